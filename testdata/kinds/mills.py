"""Batches and machines: rollouts in groups, extraction, judges, logs, benchmarks, completion."""
from common import *

def rlgroups():                                # steps of 48 prompts, 12 samples each, a tool's result between two answers; then 25 s of training
    sysm = text("sys", 650)
    for step in range(7):
        for i in range(48):
            m = [S(sysm), U(text(f"p{step}.{i}", logn(700)))]
            for k in range(12):
                t = 1 + step*75 + R.random()*.4; o = min(6000, logn(650, .9)); s = f"{step}.{i}.{k}"; chat(t, m, o, s, 0, stream=False)
                if R.random() < .6: chat(t + o*.02, m + [A(text("a" + s, o)), U(text("r" + s, logn(300)))], min(4000, logn(500, .9)), s, 1.5, stream=False)
def extract():                                 # closed: threads of two pipelines, one instruction each, documents of any length; people beside them
    inst = [text("inst0", 6500), text("inst1", 2800)]; n = 0
    for th in range(72):
        for k in range(34):
            d = logn(2300, 1.1); chat(th*.07, [S(inst[th % 3 == 0]), U(text(f"doc{n}", min(d, 30000)))], logn(260, .5), f"th{th}", .05, stream=False); n += 1
    for i, t in enumerate(poisson(.8, 320)):
        m = [S(text(f"chat{i % 2}", 900))]; think = 0
        for j in range(R.randint(1, 5)):
            o = logn(200); m.append(U(text(f"u{i}.{j}", logn(120, 1.)))); chat(t, list(m), o, f"c{i}", think)
            m.append(A(text(f"a{i}.{j}", o))); think = R.uniform(5, 25)
def judge():                                   # closed, 120 threads: 9 pairs of each question in both orders, question by question
    rub = [text(f"rub{k}", 1100) for k in range(2)]; n = 0
    for q in range(260):
        ques = text(f"q{q}", logn(1300, .8)); ans = [text(f"a{q}.{k}", logn(600)) for k in range(4)]
        pairs = [(a, b) for a in range(4) for b in range(4) if a != b]; R.shuffle(pairs)
        for a, b in pairs * (2 if q % 5 == 0 else 1):
            chat(n*.002, [S(rub[q % 2]), U(ques + ans[a] + ans[b])], logn(240), f"th{n % 120}", .02, stream=False); n += 1
def loglines():                                # every 20 s each of 70 services sends its last minutes: the window slides, what is old falls off
    book = [text(f"book{k}", logn(1800)) for k in range(70)]; rate = [R.uniform(8, 60) for _ in range(70)]
    for tick in range(30):
        for k in range(70):
            if R.random() < .15: continue
            w = "".join(text(f"log{k}.{x}", rate[k]*20) for x in range(tick, tick + 9))
            chat(tick*20 + min(6, R.expovariate(1.2)), [S("You summarise logs. " + book[k]), U(w)], logn(180), f"svc{k}")
    for i, t in enumerate(poisson(1.2, 600)):  # on-call people ask about one of them, its runbook in front
        k = R.randint(0, 69); chat(t, [S("You summarise logs. " + book[k]), U(text(f"ask{i}", logn(400, 1.)))], logn(220), f"p{i}")
def evalsweep():                               # closed, 200 threads: 57 subjects in any order, four choices of one question side by side, then a check
    shots = [text(f"s{k}", R.randint(700, 3400)) for k in range(57)]; n = 0
    for i in range(2400):
        k = R.randrange(57); q = text(f"x{i}", logn(140))
        for c in range(4): chat(n*.001, [U(shots[k] + q + text(f"c{i}.{c}", 12))], 1, f"th{n % 200}", 0, stream=False); n += 1
def complete():                                # snippets of other files first, which change as one moves; the cursor's window last
    for d in range(130):
        f = text(f"file{d}", 30000); snip = [text(f"snip{d % 26}.{k}", 500) for k in range(12)]; t = R.uniform(0, 30); use = R.sample(range(12), 4); pos = 5000
        while t < 330:
            if R.random() < .35: use = [use[0]] + R.sample(range(12), 3); pos = R.randint(3000, 26000)
            for _ in range(R.randint(3, 16)):
                p = "".join(snip[k] for k in use) + "<fim_prefix>" + f[(pos - 1200)*4 - pos*4 % 320: pos*4] + "<fim_suffix>" + f[pos*4: pos*4 + 1600]
                rows.append({"t": t, "session": f"d{d}", "path": "/v1/completions", "body": {"model": "m", "stream": True, "prompt": p}, "output_tokens": logn(24, .9)})
                pos += R.randint(1, 9); t += .35 + R.expovariate(1.2)
            t += R.expovariate(1/14.)
