"""Kinds of load that programs make, by a fourth hand, blind to the rule: see generate.py."""
from common import *
def blackboard():                              # six agents read one board at one instant, their role stands behind it; each adds a note, then the next round
    for i, t in enumerate(poisson(.16, 300)):
        board = text("common", 2200) + text(f"case{i}", logn(4000, .7)); tt = t
        for rd in range(R.randint(4, 12)):
            who = [k for k in range(6) if R.random() < .8] or [0]; notes = ""; last = 0
            for k in who:
                o = logn(200, .5); chat(tt + R.random()*.03, [U(board), S(text(f"role{k}", 260))], o, f"b{i}.{k}", 2); notes += text(f"n{i}.{rd}.{k}", o); last = max(last, o)
            board += notes; tt += 2 + last*.025
def fimhop():                                  # editor: repository map, then the other open files in order of last use, then prefix and suffix of the present one; the user hops
    for d in range(46):
        repo = text(f"map{d % 9}", 1200); files = [[text(f"f{d}.{k}", R.randint(900, 2600)), 0] for k in range(5)]; mru = list(range(5)); t = R.random()*20; cur = 0; pos = 1200
        while t < 260:
            if R.random() < .35: cur = R.choice(mru[-3:] if R.random() < .6 else mru); mru.remove(cur); mru.append(cur); pos = R.randint(1200, len(files[cur][0])-800)
            for _ in range(R.randint(2, 9)):
                f = files[cur][0]; ctx = "".join("\n// file" + files[k][0][:1600] for k in mru[:-1][-2:])
                rows.append({"t": t, "session": f"d{d}", "think": .5, "path": "/v1/completions", "body": {"model": "m", "stream": True, "prompt": "<|fim_prefix|>" + repo + ctx + f[:pos] + "<|fim_suffix|>" + f[pos:pos+1200] + "<|fim_middle|>"}, "output_tokens": logn(28, .8)})
                ins = text(f"i{d}.{t}", R.randint(1, 12)); files[cur][0] = f[:pos] + ins + f[pos:]; pos = min(pos + len(ins), len(files[cur][0]) - 400); t += .5 + R.expovariate(1.3)
            t += R.expovariate(1/9.)
def rerank():                                  # pointwise reranking by an LLM: instruction, query, passage; 40 at one instant, one token; then an answer over the best eight
    for i, t in enumerate(poisson(1.2, 90)):
        q = text(f"q{i}", logn(60, .8, 8)); ps = [R.randint(0, 2500) for _ in range(40)]
        for k, p in enumerate(ps): chat(t + R.random()*.02, [S(text("rank", 220)), U(q + text(f"p{p}", 280 + p % 170))], 1, f"r{i}.{k}", stream=False)
        chat(t + 1.2, [S(text("answer", 700)), U("".join(text(f"p{p}", 280 + p % 170) for p in ps[:8]) + q)], logn(230), f"r{i}")
def interleave():                              # reasoning kept within a tool loop and dropped at the user's next turn (gpt-oss, DeepSeek V3.2): the prompt shrinks there
    for i, t in enumerate(poisson(.34, 360)):
        base = [S(text(f"agent{i % 5}", 3000)), U(text(f"q{i}.0", logn(600, .8)))]; tt = t
        for turn in range(R.randint(1, 5)):
            loop = []; vis = []
            for j in range(R.randint(2, 8)):
                o = min(4000, logn(500, .9)); chat(tt, base + loop, o, f"s{i}", 2 if j else 15); r = text(f"r{i}.{turn}.{j}", min(6000, logn(900, 1.))); c = text(f"call{i}.{turn}.{j}", 50)
                loop += [A(text(f"think{i}.{turn}.{j}", o) + c), U(r)]; vis += [A(c), U(r)]; tt += 1.5 + o*.012
            base = base + vis + [A(text(f"fin{i}.{turn}", 200)), U(text(f"q{i}.{turn+1}", logn(120, .8)))]; tt += 8 + logn(20, .7)
def crashloop():                               # agents; one replica of six crashes, comes back empty, crashes again (--away): seven times
    for i, t in enumerate(poisson(.75, 300)):
        m = [S(text(f"agent{i % 4}", 3500)), U(text(f"q{i}", logn(1500, .8)))]; tt = t
        for j in range(R.randint(4, 16)):
            o = logn(120, .7); chat(tt, list(m), o, f"s{i}", 3); m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", min(9000, logn(900, 1.))))]; tt += 3 + o*.015
def unlikemem():                               # assistants with files of 8,000 tokens and pauses of a minute; cards as quick as each other, half of them with a fifth of the memory
    for i, t in enumerate(poisson(.8, 400)):
        m = [S(text(f"as{i % 10}", 1800)), U(text(f"file{i}", logn(8000, .6)))]; tt = t
        for j in range(R.randint(2, 9)):
            o = logn(200, .6); chat(tt, list(m), o, f"s{i}", 40); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(120, .8)))]; tt += 8 + logn(40, .8) + o*.02
def cua():                                     # computer use: a screenshot of 1,300 tokens a step, only the last three stay, the older become a word; so the tail is void each step
    for i, t in enumerate(poisson(.5, 260)):
        head = [S(text("cua", 2600)), U(text(f"task{i}", logn(200)))]; steps = []; tt = t
        for j in range(R.randint(6, 34)):
            m = list(head)
            for k, (a, n) in enumerate(steps): m += [A(text(f"act{i}.{k}", a)), U(text(f"shot{i}.{k}", 1300) if k >= len(steps)-3 else "[image removed]")]
            o = logn(90, .5); chat(tt, m, o, f"s{i}", 2); steps.append((o, j)); tt += 2 + R.random()*2 + o*.02
def clearing():                                # agents whose old tool results are cleared in batches once the context is above 40,000 tokens; subtasks start from the plan
    for i, t in enumerate(poisson(.16, 420)):
        head = [S(text(f"agent{i % 3}", 6000)), U(text(f"task{i}", logn(1500, .8)))]; h = []; tt = t
        for j in range(R.randint(15, 60)):
            if sum(x[1] + x[3] for x in h) > 34000:
                for x in h[:-3]: x[3] = 8
            o = logn(160, .8); chat(tt, head + [y for x in h for y in (A(text(x[0], x[1])), U(text(x[2], x[3]) if x[3] > 8 else "[cleared tool result]"))], o, f"s{i}", 2)
            h.append([f"a{i}.{j}", o, f"r{i}.{j}", min(12000, logn(2000, 1.1, 9))]); tt += R.choice([2, 2, 3, 12]) + o*.015
def pager():                                   # 260 watch agents with a context each (6,000 to 25,000), idle for minutes; an incident wakes 40 of them at once, for several turns
    ctx = [[S(text(f"watch{a % 4}", 2500)), U(text(f"svc{a}", R.randint(4000, 22000)))] for a in range(260)]; n = 0; busy = [0]*260
    ev = [(t, 1) for t in poisson(.5, 620)] + [(60*k + R.random()*20, 40) for k in range(1, 10)]
    for t, c in sorted(ev):
        team = R.sample(range(260), c) if c == 1 else R.sample(range(R.randint(0, 3)*65, 260), c)
        for a in team:
            tt = max(t + R.random()*1.5, busy[a])
            for j in range(R.randint(1, 5)):
                n += 1; o = logn(110, .6); ctx[a] = ctx[a] + [U(text(f"ev{n}", logn(300, .8)))]; chat(tt, list(ctx[a]), o, f"w{a}", 2); ctx[a] = ctx[a] + [A(text(f"a{n}", o))]; tt += 2.5 + o*.02
            busy[a] = tt
            if len(ctx[a]) > 24: ctx[a] = ctx[a][:2]
def sqlgen():                                  # text to SQL: schemas of 4,000 to 14,000 tokens, three samples at one instant, then up to three repairs with the error behind it
    z = zipf(36, .5); size = [R.randint(4000, 14000) for _ in range(36)]
    for i, t in enumerate(poisson(1.0, 240)):
        k = z(); p = [S(text("sql", 700) + text(f"db{k}", size[k])), U(text(f"q{i}", logn(60)))]
        for s in range(3):
            m = list(p); tt = t + R.random()*.01
            for j in range(R.choices([1, 2, 3, 4], [5, 3, 1, 1])[0]):
                o = logn(170, .5); chat(tt, list(m), o, f"s{i}.{s}", .4, stream=False); m += [A(text(f"a{i}.{s}.{j}", o)), U(text(f"err{i}.{s}.{j}", logn(110)))]; tt += .6 + o*.02
def dpmix():                                   # a MoE model served by data-parallel ranks behind one port: agents, chats and a few long documents
    for i, t in enumerate(poisson(1.8, 220)):
        x = R.random(); tt = t; ag = x < .3
        m = [S(text(f"agent{i % 3}", 4500) if ag else text(f"chat{i % 9}", 900)), U(text(f"q{i}", logn(12000, .5) if x > .93 else logn(400, .9)))]
        for j in range(R.randint(4, 14) if ag else 1 + min(8, int(R.expovariate(1/3.)))):
            o = logn(110 if ag else 220, .7); chat(tt, list(m), o, f"s{i}", 3 if ag else 12); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(700 if ag else 90, .9)))]; tt += (2.5 if ag else 5 + logn(12, .7)) + o*.02
def giants():                                  # two tensor-parallel giants that run 24 sequences each: hard questions with long reasoning, and short chats beside them
    for i, t in enumerate(poisson(.9, 420)):
        hard = R.random() < .15; m = [S(text("giant", 1500)), U(text(f"q{i}", logn(1800 if hard else 250, .8)))]; tt = t
        for j in range(1 if hard else 1 + min(9, int(R.expovariate(1/3.)))):
            o = min(9000, logn(2500, .6)) if hard else logn(200, .6); chat(tt, list(m), o, f"s{i}", 10); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(80, .9)))]; tt += 6 + logn(11, .7) + o*.02
def slowcanary():                              # half of the fleet runs a new build that is a third slower; chats with tools, 40 products
    z = zipf(40, .7)
    for i, t in enumerate(poisson(2.4, 240)):
        m = [S(text(f"prod{z()}", 2800)), U(text(f"q{i}", logn(250, .9)))]; tt = t
        for j in range(1 + min(10, int(R.expovariate(1/3.)))):
            o = logn(140, .7); chat(tt, list(m), o, f"s{i}", 7); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(220, 1.)))]; tt += 3 + logn(8, .8) + o*.02
def pagination():                              # data labelling in the closed loop: 90 annotators' agents, a guide of 5,000 tokens, an item, four passes that each end differently
    for w in range(90):
        tt = R.random()*6
        for n in range(9):
            it = text(f"it{w}.{n}", logn(2200, .8)); g = R.choices(range(6), [6, 5, 4, 3, 2, 1])[0]
            for p in range(4): o = logn(60 if p else 260, .5); chat(tt, [S(text(f"guide{g}", 5000)), U(it + text(f"pass{p}", 90))], o, f"w{w}", .3 if p else 4); tt += 1 + o*.02
            tt += 4
def sqldb():                                   # as sqlgen, one sample a question, people's follow-ups: 60 databases, replicas hold half of the schemas together twice
    z = zipf(60, .4); size = [R.randint(3000, 12000) for _ in range(60)]
    for i, t in enumerate(poisson(1.6, 260)):
        k = z(); m = [S(text("sql", 700) + text(f"db{k}", size[k])), U(text(f"q{i}", logn(60)))]; tt = t
        for j in range(R.choices([1, 2, 3, 5], [4, 3, 2, 1])[0]):
            o = logn(170, .5); chat(tt, list(m), o, f"s{i}", 12); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(80)))]; tt += 12 + o*.02
def playbooks():                               # agents of 48 departments, each behind a playbook of 7,000 tokens, two replicas' worth of memory of them in all; results short
    z = zipf(48, .3)
    for i, t in enumerate(poisson(1.0, 260)):
        m = [S(text(f"pb{z()}", 7000)), U(text(f"q{i}", logn(300, .7)))]; tt = t
        for j in range(R.randint(2, 8)):
            o = logn(90, .5); chat(tt, list(m), o, f"s{i}", 2); m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", logn(180, .8)))]; tt += 2 + o*.02
def fieldwise():                               # extraction: 14 fields of one invoice or filing, asked one after the other by one worker, many documents at a time, open loop
    for i, t in enumerate(poisson(.55, 260)):
        d = text(f"doc{i}", min(24000, logn(6000, .7))); tt = t
        for q in range(14): o = logn(45, .5); chat(tt, [S(text("ex", 500)), U(d + text(f"field{q}", 70))], o, f"d{i}", .2, stream=False); tt += 1.1 + o*.03
