#!/usr/bin/env python3
"""Workloads of kinds that the league lacks, as traces: generate.py KIND SEED > trace.jsonl

KIND is the name of a function below, or in further.py, fleets.py, crowds.py, people.py, machines.py, crews.py, mills.py, offices.py, depots.py or newsrooms.py. Lines are OpenAI requests with times in seconds (compaction, lora, lorashop: Mooncake's format with chat_id, as
Bailian's, whose times are in seconds, too); docs/traces.md says what the fields are. The same seed gives the same trace. What the default is worth on them: docs/league-kinds.md.
"""
import sys; sys.dont_write_bytecode = True
from common import *
import crews, crowds, depots, further, fleets, machines, mills, newsrooms, offices, people

def rag():
    z = zipf(400, .9); sysm = text("sys", 800)
    docs = [text(f"d{i}", 600) for i in range(400)]
    for i, t in enumerate(poisson(12, 150)):
        k = []
        while len(k) < 6:
            d = z()
            if d not in k: k.append(d)
        R.shuffle(k)
        chat(t, [S(sysm), U("\n\n".join(docs[d] for d in k) + text(f"q{i}", 50))], logn(200))
def subagents():
    for i, t in enumerate(poisson(.05, 300)):
        base = [S(text("sys", 4000)), U(text(f"task{i}", R.randint(8000, 30000)))]
        chat(t, base, 800, f"p{i}", 0)
        t1 = t + 25
        n = R.randint(8, 32); last = t1
        for k in range(n):
            m = base + [A(text(f"plan{i}", 800)), U(text(f"sub{i}.{k}", 300))]; tt = t1
            for j in range(R.randint(2, 5)):
                o = logn(250); chat(tt, list(m), o, f"p{i}.{k}", 1)
                m += [A(text(f"a{i}.{k}.{j}", o)), U(text(f"r{i}.{k}.{j}", logn(600)))]
                tt += 2 + o*.02
            last = max(last, tt)
        chat(last + 5, base + [A(text(f"plan{i}", 800)), U("".join(text(f"sum{i}.{k}", 200) for k in range(n)))], 1500, f"p{i}", last - t1)
def bestofn():
    for i, t in enumerate(poisson(.6, 120)):
        root = [S(text("sys", 300)), U(text(f"q{i}", logn(2000)))]
        front = [(t, root, "r")]
        for depth in range(3):
            nxt = []
            for (tt, m, nm) in front:
                for k in range(16 if depth == 0 else 4):
                    o = logn(200, .3); chat(tt + R.random()*.02, m, o, f"{i}{nm}.{k}")
                    nxt.append((tt + o*.02 + 1, m + [A(text(f"{i}{nm}.{k}", o)), U("Next step.")], f"{nm}.{k}"))
            end = max(x[0] for x in nxt); R.shuffle(nxt)
            front = [(end, m, nm) for (_, m, nm) in nxt[:4]]
def nightly():
    doc = text("doc", 100000); q = 0
    for th in range(24):                       # 32 threads of a batch client, each asks 12 questions in turn
        for k in range(8):
            chat(20 + th*.05 + k*8, [S(text("bs", 100)), U(doc + text(f"bq{q}", 40))], logn(150), f"b{th}", 0, stream=False); q += 1
    for i, t in enumerate(poisson(2.5, 240)):
        m = [S(text("cs", 1200))]; tt = t
        for j in range(R.randint(1, 6)):
            o = logn(180); m.append(U(text(f"c{i}.{j}", logn(120)))); chat(tt, list(m), o, f"c{i}", 8)
            m.append(A(text(f"ca{i}.{j}", o))); tt += 8 + o*.02
def dated():
    tools = text("tools", 4000)
    for i, t in enumerate(poisson(2, 120)):
        m = [S(f"You are an assistant of user {text(f'u{i}', 6)}. It is 2026-03-01 09:{int(t)//60:02d}:{int(t)%60:02d}. " + tools), U(text(f"q{i}", logn(150)))]; tt = t
        for j in range(R.randint(3, 12)):
            o = logn(80); chat(tt, list(m), o, f"s{i}", 3)
            m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", logn(500)))]; tt += 3 + o*.02
def ide():
    for d in range(40):                       # developers: bursts of typing; the window of 1,500 tokens slides by lines
        f = text(f"file{d}", 60000); pos = R.randint(8000, 20000); t = R.random()*5; pre = R.randint(200, 400)
        while t < 100:
            for _ in range(R.randint(5, 25)):
                w = f[(pos - 1500)*4 - (pos*4) % 160: pos*4]
                rows.append({"t": t, "session": f"d{d}", "path": "/v1/completions", "body": {"model": "m", "stream": True, "prompt": "<fim_prefix>" + w + "<fim_suffix>" + f[pos*4: (pos+300)*4]}, "output_tokens": logn(16)})
                pos += R.randint(1, 12); t += .3 + R.expovariate(1.5)
            t += R.expovariate(1/6.)
def fewshot():
    shots = [text(f"s{i}", 900) for i in range(4)]
    for i, t in enumerate(poisson(500, 16)):
        chat(t, [S(shots[R.choices(range(4), [6, 2, 1, 1])[0]]), U(text(f"x{i}", logn(60)))], 1, stream=False)
def idle():
    for i, t in enumerate(poisson(.1, 5400)):
        m = [S(text(f"sys{i%5}", 1500)), U(text(f"q{i}", logn(3000)))]; tt = t
        for j in range(R.randint(2, 5)):
            if tt > 7200: break
            o = logn(300); chat(tt, list(m), o, f"s{i}", 900)
            m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", logn(1500)))]; tt += R.choice([20, 40, 900, 1800, 2400])
def diurnal():
    z = zipf(25, .8); n = 0
    for i, t in enumerate(poisson(12, 480)):
        side = "A" if R.random() > min(1, max(0, (t-160)/160)) else "B"
        k = z(); m = [S(text(f"{side}{k}", 5000))]; tt = t
        for j in range(R.randint(1, 4)):
            o = logn(150); m.append(U(text(f"u{i}.{j}", logn(100)))); chat(tt, list(m), o, f"s{i}", 10)
            m.append(A(text(f"a{i}.{j}", o))); tt += 10 + o*.02
        n += j
        if len(rows) > 3000: break
def tail():
    for i, t in enumerate(poisson(6, 200)):
        if R.random() < .01:
            chat(t, [S(text("ls", 200)), U(text(f"L{i}", 300000))], 400, f"s{i}")
            continue
        m = [S(text("cs", 200))]; tt = t
        for j in range(R.randint(1, 4)):
            o = logn(150); m.append(U(text(f"u{i}.{j}", logn(300)))); chat(tt, list(m), o, f"s{i}", 10)
            m.append(A(text(f"a{i}.{j}", o))); tt += 10 + o*.02
def twomodels():
    for i, t in enumerate(poisson(3, 180)):
        big = R.random() < .2; m = [S(text(f"sys{R.randint(0, 9)}", 1000))]; tt = t
        for j in range(R.randint(1, 8)):
            o = logn(200); m.append(U(text(f"u{i}.{j}", logn(400)))); chat(tt, list(m), o, f"s{i}", 10, model="big" if big else "small")
            m.append(A(text(f"a{i}.{j}", o))); tt += 10 + o*.02
def tools_after():
    tool = lambda k: {"type": "function", "function": {"name": f"t{k}", "description": text(f"tool{k}", 350), "parameters": {"type": "object", "properties": {}}}}
    sets = [R.sample(range(40), R.randint(6, 14)) for _ in range(60)]; z = zipf(60, .8)
    for i, t in enumerate(poisson(4, 150)):
        ks = sets[z()]; m = [S(text(f"sys{i % 3}", 1500)), U(text(f"q{i}", logn(200)))]; tt = t
        for j in range(R.randint(1, 6)):
            o = logn(90); chat(tt, list(m), o, f"s{i}", 4, tools=[tool(k) for k in ks])
            m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", logn(400)))]; tt += 4 + o*.02
def reasoning():
    for i, t in enumerate(poisson(2.5, 400)):
        m = [S(text("sys", 100)), U(text(f"q{i}", logn(200)))]; o = logn(8000, .7)
        chat(t, m, min(o, 30000), f"s{i}")
def compaction():                              # Bailian's format: blocks of 512
    nid = [1000]
    def blocks(n):
        nid[0] += n; return list(range(nid[0]-n, nid[0]))
    sysb = list(range(20)); out = []
    for i, t in enumerate(poisson(.05, 400)):
        ctx = sysb + blocks(R.randint(2, 8)); tt = t
        for j in range(R.randint(20, 90)):
            o = logn(300); out.append({"timestamp": round(tt, 3), "input_length": len(ctx)*512, "output_length": o, "hash_ids": list(ctx), "chat_id": i})
            tt += 3 + o*.02 + R.expovariate(1/4.)
            if len(ctx) > 220:                 # summarise: one long answer, then start anew
                out.append({"timestamp": round(tt, 3), "input_length": (len(ctx)+1)*512, "output_length": 2500, "hash_ids": ctx + blocks(1), "chat_id": i})
                tt += 60; ctx = sysb + blocks(6)
            ctx = ctx + blocks(R.randint(1, 9))
    out.sort(key=lambda r: r["timestamp"])
    for r in out: print(json.dumps(r))
def evalharness():                             # subjects one after the other, 64 threads in turn
    q = 0
    for s in range(24):
        shots = text(f"sub{s}", logn(1800, .3))
        for k in range(120):
            chat(q*.03, [U(shots + text(f"x{s}.{k}", logn(120)))], 1 if R.random() < .7 else 200, f"th{q % 64}", 0, stream=False); q += 1
def channel():                                 # bots in group chats: one growing history, the oldest half dropped at 12k tokens
    for c in range(60):
        h = []; n = 0; t = R.random()*20; rate = 1/R.choice([5., 12., 40.])
        while t < 400:
            h.append((text(f"c{c}.{n}", 0) or "", n)); size = logn(60); h[-1] = (text(f"c{c}.{n}", size), size); n += 1
            if sum(x[1] for x in h) > 12000: h = h[len(h)//2:]
            if n == 1: h = [(text(f"c{c}.h{k}", 60), 60) for k in range(R.randint(20, 190))] + h
            if R.random() < .7:
                o = logn(60); chat(t, [S(text(f"bot{c%4}", 700))] + [U(x[0]) for x in h], o, f"c{c}")
                h.append((text(f"b{c}.{n}", o), o))
            t += R.expovariate(rate)
def cron():
    for k in range(6):
        for i in range(150):
            chat(20 + 60*k + R.random()*.5, [S(text("report", 8000)), U(text(f"{k}.{i}", logn(400)))], logn(250), stream=False)
    for i, t in enumerate(poisson(3, 380)):
        chat(t, [S(text(f"sys{R.randint(0,19)}", 700)), U(text(f"c{i}", logn(150)))], logn(150))
def rollouts():                                # 256 threads; 8 samples of each prompt side by side, long answers
    for i in range(160):
        p = [S(text("sys", 500)), U(text(f"p{i}", logn(1200)))]
        for k in range(8): chat(i*1.2, p, min(8000, logn(1500, .8)), f"th{(i*8+k) % 256}", 0, stream=False)
def voice():
    for i, t in enumerate(poisson(2.2, 150)):
        k = R.randint(0, 29); m = [S(text(f"tenant{k}", 2500))]; tt = t
        for j in range(R.randint(4, 14)):
            o = logn(30); m.append(U(text(f"u{i}.{j}", logn(25)))); chat(tt, list(m), o, f"s{i}", 7)
            m.append(A(text(f"a{i}.{j}", o))); tt += 7 + o*.02
def repo():                                    # code review bots: 12 questions about one pull request, side by side, on one repo map
    for i, t in enumerate(poisson(.25, 250)):
        base = text(f"repo{R.randint(0, 7)}", 9000) + text(f"pr{i}", logn(7000))
        for k in range(12): chat(t + R.random()*2, [S(text("rev", 500)), U(base + text(f"q{k}", 120))], logn(350), f"s{i}.{k}")
def agentsnested():                            # long tools: think times of a minute, 10 to 60k, few tenants
    for i, t in enumerate(poisson(.35, 240)):
        m = [S(text(f"sys{i%3}", 8000)), U(text(f"q{i}", logn(2000)))]; tt = t
        for j in range(R.randint(4, 14)):
            o = logn(200); chat(tt, list(m), o, f"s{i}", 20)
            m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", logn(1800, 1.)))]; tt += o*.02 + R.choice([2, 2, 2, 60, 90])
def translate():
    # a book in chunks: glossary and instructions, threads of a batch client
    for job in range(4):
        g = text(f"gloss{job}", 3000)
        for k in range(160):
            chat(job*25 + k*.05, [S(g), U(text(f"chunk{job}.{k}", logn(1200, .3)))], logn(1000, .4), f"j{job}t{k%24}", 0)
def debate():
    # four speakers, one growing transcript behind each speaker's own system prompt
    for i, t in enumerate(poisson(.3, 240)):
        h = [U(text(f"topic{i}", logn(1500)))]; tt = t
        for j in range(R.randint(8, 24)):
            k = j % 4; o = logn(250, .3); chat(tt, [S(text(f"speaker{k}", 800))] + h, o, f"s{i}")
            h.append(U(text(f"say{i}.{j}", o))); tt += 1 + o*.025

{**vars(people), **vars(machines), **vars(crowds), **vars(fleets), **vars(further), **vars(crews), **vars(mills), **vars(offices), **vars(depots), **vars(newsrooms), **globals()}[kind]()
rows.sort(key=lambda r: r["t"])
for r in rows: print(json.dumps({k: v for k, v in r.items() if k != "t" or "timestamp" not in r}))
