"""Kinds of load that programs make in pools of late 2026, by a sixth hand, blind to the rule: see generate.py. Behind each: the fleet and the flags of replay."""
from common import *
def tenantdesk():                              # help desks of 300 firms, each with its own prompt: --replicas 6 --gateways 2 --sync 200ms (h100-8b)
    z = zipf(300, 1.0); size = [min(9000, logn(2600, .7)) for _ in range(300)]
    for i, t in enumerate(poisson(38, 45)):
        k = z(); m = [S(text(f"firm{k}", size[k])), U(text(f"q{i}", logn(120, .8)))]; tt = t
        for j in range(1 + min(9, int(R.expovariate(1/2.2)))):
            o = logn(190, .6); chat(tt, list(m), o, f"s{i}", 9); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(50, .8)))]; tt += 4 + logn(7, .8) + o*.012
def crewlead():                                # a lead agent that sends out three to six helpers with one tool set but their own task, and is compacted at 45,000 tokens: --replicas 8 --profile h100x2-70b --closed --clients 18
    for i in range(34):
        t = i*.8; head = [S(text("lead", 7000)), U(text(f"job{i}", logn(1500, .7)))]; h = []; size = 8500
        for j in range(R.randint(5, 14)):
            o = logn(350, .6); chat(t, head + h, o, f"l{i}", 2); h.append(A(text(f"p{i}.{j}", o))); t += 2 + o*.03
            if R.random() < .35:
                rep = ""; end = t
                for k in range(R.randint(3, 6)):
                    m = [S(text("helper", 5000)), U(text(f"part{i}.{j}.{k}", logn(700)))]; tt = t + R.random()*.05
                    for n in range(R.randint(2, 6)):
                        o = logn(130, .6); chat(tt, list(m), o, f"h{i}.{j}.{k}", 1.5); m += [A(text(f"ha{i}.{j}.{k}.{n}", o)), U(text(f"hr{i}.{j}.{k}.{n}", min(7000, logn(1300, .9))))]; tt += 1.5 + o*.03
                    rep += text(f"rep{i}.{j}.{k}", 400); end = max(end, tt)
                h.append(U(rep)); size += len(rep)//4; t = end
            else:
                n = min(12000, logn(2600, 1.)); h.append(U(text(f"r{i}.{j}", n))); size += n + o
            if size > 45000: chat(t, head + h, 1200, f"l{i}", .5); h = [A(text(f"sum{i}.{j}", 1200)), U("Go on.")]; size = 9700; t += 35
def ragrank():                                 # retrieval anew at each turn, the passages before the history and in the re-ranker's order, two in three stay: --replicas 6 --profile l40s-llama8b
    z = zipf(500, .85)
    for i, t in enumerate(poisson(6.3, 110)):
        hist = []; docs = []; tt = t
        for j in range(1 + min(6, int(R.expovariate(1/1.8)))):
            docs = R.sample(docs, min(len(docs), 4))
            while len(docs) < 6:
                d = z()
                if d not in docs: docs.append(d)
            if R.random() < .6: docs.sort()
            o = logn(210, .5); q = U(text(f"q{i}.{j}", logn(45)))
            chat(tt, [S(text("rag", 650) + "".join(text(f"d{d}", 420) for d in docs))] + hist + [q], o, f"s{i}", 14); hist += [q, A(text(f"a{i}.{j}", o))]; tt += 6 + logn(9, .7) + o*.025
def nightshift():                              # a nightly job drops 600 filings within 20 s beside chats that go on: --replicas 6 --profile h100-llama8b
    for k in range(600): chat(40 + R.random()*20, [S(text("digest", 900)), U(text(f"filing{k}", min(24000, logn(6500, .6))))], logn(300, .4), f"n{k}", 0, stream=False)
    for i, t in enumerate(poisson(9, 120)):
        m = [S(text(f"prod{i % 7}", 1600)), U(text(f"q{i}", logn(110, .8)))]; tt = t
        for j in range(1 + min(7, int(R.expovariate(1/2.5)))):
            o = logn(170, .6); chat(tt, list(m), o, f"c{i}", 8); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(60, .8)))]; tt += 3 + logn(8, .7) + o*.012
def overtalk():                                 # callers who talk into the answer: the turn is asked again with more words in it, one in four, the old answer runs on: --replicas 4 --profile l4x2-llama8b
    for i, t in enumerate(poisson(1.7, 130)):
        m = [S(text(f"persona{i % 12}", 900)), U(text(f"caller{i}", logn(1200, .6)))]; tt = t
        for j in range(R.randint(3, 16)):
            said = text(f"u{i}.{j}", logn(18, .6, 4)); o = logn(38, .5)
            for _ in range(R.choices([0, 1, 2], [75, 19, 6])[0]): chat(tt, m + [U(said)], o, f"s{i}", .6); tt += .4 + R.random()*.8; said += text(f"more{i}.{j}.{tt}", R.randint(4, 12))
            chat(tt, m + [U(said)], o, f"s{i}", 5); m += [U(said), A(text(f"a{i}.{j}", o))]; tt += 3 + R.expovariate(1/3.) + o*.02
def prswarm():                                 # a review bot asks about each file of a pull request at one instant, behind one head; at the end a verdict over all: --replicas 10 --gateways 3 (h100-8b)
    for i, t in enumerate(poisson(2.5, 60)):
        head = [S(text(f"guide{R.randint(0, 24)}", 3200)), U(text(f"pr{i}", min(20000, logn(3600, .8))))]; n = min(60, logn(14, .8)); last = 0
        for k in range(n): o = logn(220, .7); chat(t + R.random()*.3, head + [U(text(f"file{i}.{k}", min(9000, logn(1500, .8))))], o, f"p{i}.{k}", 1); last = max(last, o)
        chat(t + 2 + last*.015, head + [U(text(f"notes{i}", 200*n))], logn(500), f"p{i}", 3)
def formfill():                                # one schema, all documents differ, more than the pool can do: --replicas 8 --profile l4-8b-fp8
    for i, t in enumerate(poisson(8.7, 110)): chat(t, [S(text("schema", 3400)), U(text(f"doc{i}", min(8000, logn(950, .7))))], logn(170, .5), stream=False)
def beamtree():                                # tree of thoughts: five thoughts of each of two branches, each judged twice, six levels: --replicas 6 --profile h200-qwen32b --closed --clients 30
    for i in range(44):
        t = i*.5; root = [S(text("think", 700)), U(text(f"puzzle{i}", logn(1800, .6)))]; keep = [root]
        for d in range(6):
            cand = []
            for b, m in enumerate(keep):
                for k in range(5): o = logn(160, .4); chat(t, list(m), o, f"t{i}.{b}.{k}", .3); cand.append(m + [A(text(f"th{i}.{d}.{b}.{k}", o)), U("Continue.")])
            t += 5
            for c, m in enumerate(cand):
                for v in range(2): chat(t, [S(text("judge", 1100))] + m[1:-1] + [U(text("verdict", 40))], logn(12), f"j{i}.{c}.{v}", .3, stream=False)
            t += 2; keep = R.sample(cand, 2)
def mathlong():                                # proofs of 8,000 to 20,000 tokens beside short questions to the same model: --replicas 4 --profile b200-qwen32b
    for i, t in enumerate(poisson(1.5, 240)):
        if R.random() < .35: chat(t, [S(text("prove", 600)), U(text(f"thm{i}", logn(350, .7)))], R.randint(8000, 20000), f"m{i}"); continue
        m = [S(text(f"tutor{i % 3}", 2200)), U(text(f"q{i}", logn(160, .8)))]; tt = t
        for j in range(R.randint(1, 5)): o = logn(350, .7); chat(tt, list(m), o, f"s{i}", 8); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(60)))]; tt += 8 + o*.025
def lorashop():                                # shops whose chats need one of 24 adapters, four fit a replica; Bailian's format, blocks of 64: --replicas 8 --profile l40s-llama8b --adapters 24 --max-loras 4
    n = 10**6; out = []
    for i, t in enumerate(poisson(15, 60)):
        ctx = [1000*(i % 40) + k for k in range(28)]; tt = t; tail = logn(90, .8)
        for j in range(1 + min(8, int(R.expovariate(1/2.5)))):
            o = logn(150, .6); k = max(1, round(tail/64)); ctx = ctx + list(range(n, n + k)); n += k
            out.append({"timestamp": round(tt, 3), "input_length": 64*len(ctx), "output_length": o, "hash_ids": ctx, "chat_id": i}); tail = o + logn(45); tt += 3 + logn(6, .7) + o*.025
    for r in sorted(out, key=lambda r: r["timestamp"]): print(json.dumps(r))
