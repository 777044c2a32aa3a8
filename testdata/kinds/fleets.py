"""Kinds of load as fleets of 2026 see them, made by one who did not make the rule: see generate.py."""
from common import *

def tool(k, n=300): return {"type": "function", "function": {"name": f"t{k}", "description": text(f"tool{k}", n), "parameters": {"type": "object", "properties": {}}}}
def mcp():                                     # agents with MCP servers: tools come and go within a session
    servers = [range(s*8, s*8 + R.randint(3, 8)) for s in range(20)]; z = zipf(20, .8)
    for i, t in enumerate(poisson(1.5, 140)):
        on = sorted({0, 1, z(), z()}); m = [S(text("agent", 2500)), U(text(f"q{i}", logn(400)))]; tt = t
        for j in range(R.randint(4, 18)):
            if R.random() < .12:
                s = z(); on = sorted(set(on) ^ {s}) or [0]
            o = logn(120); chat(tt, list(m), o, f"s{i}", 3, tools=[tool(k) for s in on for k in servers[s]])
            m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", logn(700, .9)))]; tt += 3 + o*.02
def optimizer():                               # a prompt optimizer: candidates differ in one of eight paragraphs in the middle, each scored on 20 examples
    head, shots = text("task", 1500), text("shots", 4000); pool = [[0]*8]; n = 0
    for g in range(90):
        c = list(R.choice(pool[-6:])); n += 1; c[R.randint(0, 7)] = n
        if R.random() < .4: pool.append(c)
        p = head + "".join(text(f"par{k}.{v}", 250) for k, v in enumerate(c)) + shots
        for e in R.sample(range(200), 20):
            chat(g*1.6 + R.random()*.4, [S(p), U(text(f"ex{e}", 150 + e % 90))], logn(80), f"w{e % 20}", 0, stream=False)
def corpus():                                  # RAG: the knowledge base's digest in front, then eight passages in order of rank, which varies
    z = zipf(12, .8); zc = zipf(40, 1.1)
    for i, t in enumerate(poisson(9, 150)):
        b = z(); k = []
        while len(k) < 8:
            c = zc()
            if c not in k: k.append(c)
        for a in range(7):
            if R.random() < .3: k[a], k[a+1] = k[a+1], k[a]
        chat(t, [S(text("rag", 300) + text(f"digest{b}", 6000)), U("".join(text(f"p{b}.{c}", 350) for c in k) + text(f"q{i}", 40))], logn(180), f"u{i}")
def glossaries():                              # a localisation pipeline: 40 languages in rotation, each behind its glossary; 24 workers
    n = 0
    for d in range(55):
        size = logn(500)
        for l in range(40):
            chat(d*4 + l*.1, [S(text("style", 200) + text(f"gloss{l}", 2600)), U(text(f"doc{d}", size))], logn(size), f"w{n % 24}", 0, stream=False); n += 1
def batchchat():                               # a batch of long answers on 48 threads, and people who chat
    for k in range(900):
        chat(5 + k*.12, [S(text("batch", 400)), U(text(f"rec{k}", logn(2500)))], logn(1800, .5), f"b{k % 48}", 0, stream=False)
    for i, t in enumerate(poisson(1.2, 260)):
        m = [S(text(f"app{R.randint(0, 3)}", 1800))]; tt = t
        for j in range(R.randint(1, 8)):
            o = logn(200); m.append(U(text(f"c{i}.{j}", logn(100)))); chat(tt, list(m), o, f"c{i}", 12)
            m.append(A(text(f"ca{i}.{j}", o))); tt += 12 + o*.02
def contracts():                               # extraction: 60 fields of one contract, asked one after the other; a worker for each contract
    for c in range(24):
        base = text(f"contract{c}", logn(18000, .4)); t = c*2.2
        for k in range(60):
            chat(t, [S(text("extract", 600)), U(base + text(f"field{k}", 60))], logn(25), f"c{c}", 0, stream=False); t += .7
def pinned():                                  # role play: card and pinned messages stay, lore of the moment is inserted, old messages leave
    for c in range(90):
        h = []; pin = [U(text(f"pin{c}.{k}", 120)) for k in range(R.randint(2, 10))]; t = R.random()*60; lore = []
        for j in range(R.randint(20, 60)):
            if R.random() < .15: lore = R.sample(range(30), 3)
            h.append((U, f"u{c}.{j}", logn(60))); o = logn(180)
            while sum(x[2] for x in h) > 3500: h.pop(0)
            chat(t, [S(text("rp", 400) + text(f"card{c % 40}", 1500))] + pin + [S(text(f"lore{k}", 200)) for k in lore] + [f(text(n, s)) for f, n, s in h], o, f"c{c}", 6)
            h.append((A, f"a{c}.{j}", o)); t += 6 + o*.02 + R.expovariate(1/6.)
def saas():                                    # 3,000 tenants with a prompt each, of which memory holds one in ten
    z = zipf(3000, 1.0); size = [random.Random(f"{seed}/{k}").randint(1000, 4500) for k in range(3000)]
    for i, t in enumerate(poisson(6, 220)):
        k = z(); m = [S(text(f"tenant{k}", size[k]))]; tt = t
        for j in range(R.randint(1, 4)):
            o = logn(150); m.append(U(text(f"u{i}.{j}", logn(120)))); chat(tt, list(m), o, f"s{i}", 8)
            m.append(A(text(f"a{i}.{j}", o))); tt += 8 + o*.02
def judges():                                  # graded evaluations: seven judges at one instant share the rubric and the answer
    rub = [text(f"rubric{k}", 2200) for k in range(5)]
    for i, t in enumerate(poisson(1.6, 180)):
        p = rub[R.randint(0, 4)] + text(f"q{i}", logn(300)) + text(f"ans{i}", logn(1800, .7))
        for k in range(7): chat(t + R.random()*.01, [S(text("judge", 150)), U(p + text(f"aspect{k}", 60))], logn(120), f"j{i}.{k}", stream=False)
def thinkers():                                # agents that reason for up to 20,000 tokens, which the next turn does not repeat
    for i, t in enumerate(poisson(.28, 500)):
        m = [S(text(f"sys{i % 4}", 2500)), U(text(f"q{i}", logn(1500)))]; tt = t
        for j in range(R.randint(2, 6)):
            o = min(20000, logn(5000, .9)); chat(tt, list(m), o, f"s{i}", 4)
            m += [A(text(f"fin{i}.{j}", 250)), U(text(f"r{i}.{j}", logn(1200)))]; tt += 4 + o*.015
def reagents():                                # agents that reason between their tools
    for i, t in enumerate(poisson(.25, 400)):
        m = [S(text(f"agent{i % 6}", 4000)), U(text(f"q{i}", logn(800)))]; tt = t
        for j in range(R.randint(4, 14)):
            o = min(8000, logn(1200, .9)); chat(tt, list(m), o, f"s{i}", 3)
            m += [A(text(f"fin{i}.{j}", 150)), U(text(f"r{i}.{j}", logn(1000, .9)))]; tt += 3 + o*.015
def abtest():                                  # six products, system prompts of 8,000 tokens; a new version each minute, old and new side by side for 20 s
    z = zipf(6, .7)
    for i, t in enumerate(poisson(9, 180)):
        p = z(); age = t - p*10; v = int(age//60)
        if age % 60 < 20 and R.random() > (age % 60)/20: v -= 1
        m = [S(text(f"prod{p}.head", 200) + text(f"prod{p}.v{v}", 8000))]; tt = t
        for j in range(R.randint(1, 3)):
            o = logn(90); m.append(U(text(f"u{i}.{j}", logn(90)))); chat(tt, list(m), o, f"s{i}", 6)
            m.append(A(text(f"a{i}.{j}", o))); tt += 6 + o*.02
def phone():                                   # calls: a turn each two seconds, a third of them cut off when the caller speaks
    for i, t in enumerate(poisson(2, 150)):
        m = [S(text(f"line{R.randint(0, 11)}", 1800))]; tt = t
        for j in range(R.randint(10, 40)):
            o = logn(25); cut = R.random() < .33
            m.append(U(text(f"u{i}.{j}", logn(14)))); chat(tt, list(m), 3 if cut else o, f"s{i}", 1.6)
            m.append(A(text(f"a{i}.{j}", 3 if cut else o))); tt += 2
def storms():                                  # clients that give up after half a second and ask again, up to five times, in two storms of ten seconds
    for i, t in enumerate(poisson(7, 150)):
        storm = 40 < t < 50 or 95 < t < 105
        p = [S(text(f"svc{R.randint(0, 24)}", 1600)), U(text(f"q{i}", logn(1400, .8)))]; n = R.randint(2, 5) if storm else 1 + (R.random() < .05)
        for k in range(n): chat(t + k*.5*(1 + .3*R.random()), p, logn(150) if k == n-1 else 4, f"s{i}.{k}")
def monday():                                  # 160 conversations, an hour of nothing, and all are back within two minutes
    hist = []
    for i in range(160):
        m = [S(text(f"team{i % 6}", 1500)), U(text(f"file{i}", logn(7000)))]; tt = R.random()*400
        for day in range(2):
            for j in range(R.randint(1, 4)):
                o = logn(250); chat(tt, list(m), o, f"s{i}", 15)
                m += [A(text(f"a{i}.{day}.{j}", o)), U(text(f"r{i}.{day}.{j}", logn(300)))]; tt += 15 + o*.02
            tt = 4100 + min(R.expovariate(1/45.), 200)
def duo():                                     # two replicas, a dozen people with books of up to 150,000 tokens
    for u in range(14):
        m = [S(text("analyst", 800)), U(text(f"book{u}", R.randint(20000, 150000)))]; tt = R.random()*300
        for j in range(R.randint(5, 14)):
            o = logn(400); chat(tt, list(m), o, f"u{u}", 20)
            m += [A(text(f"a{u}.{j}", o)), U(text(f"q{u}.{j}", logn(200)))]; tt += o*.03 + R.choice([10, 25, 25, 120])
def sparse():                                  # 32 replicas for 50 agents at a time: one prompt of 12,000 tokens in front, results of up to 8,000
    for i, t in enumerate(poisson(.5, 140)):
        m = [S(text("agent", 12000)), U(text(f"q{i}", logn(800)))]; tt = t
        for j in range(R.randint(5, 30)):
            o = logn(90); chat(tt, list(m), o, f"s{i}", 1)
            m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", min(8000, logn(1200, 1.2))))]; tt += 1 + o*.015
def writers():                                 # drafts and reports: short briefs that share nothing but a line, answers of 2,500 tokens: memory is what is short
    for i, t in enumerate(poisson(1.0, 900)):
        chat(t, [S(text("writer", 120)), U(text(f"brief{i}", logn(1300)))], min(8000, logn(2500, .6)), f"w{i}")
