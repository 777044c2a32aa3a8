"""Fourteen kinds of load of 2026, made by one who did not know the rule: see generate.py. lora is in Bailian's format, for replay --adapters."""
from common import *

def codemix():                                 # coding agents whose contexts grow from 25,000 to 150,000 tokens, and developers whose editors ask for completions, in one pool
    for i in range(14):
        m = [S(text("agent", 9000)), U(text(f"repo{i % 5}", 6000) + text(f"task{i}", logn(12000, .8)))]; tt = R.random()*240; size = 27000
        for j in range(R.randint(8, 22)):
            o = logn(350, .9); chat(tt, list(m), o, f"a{i}", R.choice([1, 2, 4, 15]))
            r = min(30000, logn(5000, 1.1)); size += r + o
            if size > 150000: break
            m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", r))]; tt += 5 + o*.025
    for d in range(26):
        f = text(f"file{d}", 9000); pos = R.randint(2500, 4000); t = R.random()*30
        while t < 330:
            for _ in range(R.randint(3, 14)):
                w = f[max(0, pos - 1800 - pos % 300)*4: pos*4]                     # the window moves in leaps of 300 tokens
                rows.append({"t": t, "session": f"d{d}", "think": .4, "path": "/v1/completions", "body": {"model": "m", "stream": True, "prompt": "<|fim_suffix|>" + f[(pos+40)*4: (pos+500)*4] + "<|fim_prefix|>" + w + "<|fim_middle|>"}, "output_tokens": logn(22)})
                pos = min(pos + R.randint(1, 12), 8400); t += .35 + R.expovariate(1.4)
            t += R.expovariate(1/18.)
def mapreduce():                               # summaries of long reports: chunks of 6,000 tokens side by side, 24 workers a job, then summaries of ten summaries, then one of these
    t = 0
    for job in range(14):
        n = logn(70, .6, 12); sysm = S(text(f"map{job % 3}", 700)); end = t + n/24*9
        for c in range(n): chat(t + c//24*9 + R.random()*.3, [sysm, U(text(f"head{job}", 250) + text(f"chunk{job}.{c}", logn(6000, .15)))], logn(420, .4), f"j{job}.w{c % 24}", 0, stream=False)
        for g in range(0, n, 10): chat(end + 9 + R.random()*.2, [S(text("reduce", 500)), U(text(f"head{job}", 250) + "".join(text(f"sum{job}.{c}", 420) for c in range(g, min(n, g+10))))], logn(700, .3), f"j{job}.w{g//10}", 9, stream=False)
        chat(end + 26, [S(text("reduce", 500)), U(text(f"head{job}", 250) + "".join(text(f"red{job}.{g}", 700) for g in range(0, n, 10)))], logn(1600, .3), f"j{job}.w0", 14, stream=False)
        t += R.expovariate(1/18.)
def grpo():                                    # RL of an agent that searches: in each step 24 prompts, 16 samples of each at one instant, up to five turns, tails of 6,000 tokens
    for step in range(4):
        for p in range(24):
            base = [S(text("policy", 900)), U(text(f"p{step}.{p}", logn(350)))]
            for k in range(16):
                m = list(base); tt = step*75 + R.random()*.2; lng = R.lognormvariate(0, .5)
                for j in range(R.choices([1, 2, 3, 4, 5], [3, 3, 2, 1, 1])[0]):
                    o = min(6000, logn(420*lng, .9)); chat(tt, list(m), o, f"{step}.{p}.{k}", R.choice([.3, .6, 1.5]), stream=False)
                    m += [A(text(f"a{step}.{p}.{k}.{j}", o)), U(text(f"hit{step}.{p}.{R.randint(0, 9)}", logn(900, .5)))]; tt += 1 + o*.012
def lora():                                    # 40 customers' adapters (--adapters): chats behind three products' prompts of 4,096 tokens; the adapter makes equal texts unlike. Bailian's format, blocks of 512
    nid = [1000]
    def new(): nid[0] += 1; return nid[0]
    for i, t in enumerate(poisson(3.4, 240)):
        p = R.choices(range(3), [5, 3, 1])[0]; full = list(range(p*8, p*8 + 8)); n = 4096; tt = t
        for j in range(1 + min(9, int(R.expovariate(1/2.2)))):
            o = logn(170, .7); n += logn(110, .9)
            while len(full) < n//512: full.append(new())
            rows.append({"t": tt, "timestamp": round(tt, 3), "input_length": n, "output_length": o, "hash_ids": full + ([new()] if n % 512 else []), "chat_id": i*16 + j, "parent_chat_id": i*16 + j - 1 if j else -1, "turn": j + 1, "type": "text"}); n += o; tt += 3 + logn(12, .8) + o*.02
def research():                                # deep research: a lead plans, three to eight branches read pages side by side, the lead reads their notes, twice; then a report
    for i, t in enumerate(poisson(.09, 320)):
        lead = [S(text("lead", 3500)), U(text(f"q{i}", logn(200)))]; tt = t
        for rd in range(2):
            o = logn(900, .4); chat(tt, list(lead), o, f"L{i}", 0 if not rd else 60); lead.append(A(text(f"plan{i}.{rd}", o))); t1 = tt + 1 + o*.02; last = t1; notes = ""
            for b in range(R.randint(3, 8)):
                m = [S(text("browse", 2600)), U(text(f"goal{i}.{rd}.{b}", logn(180)))]; bt = t1 + R.random()*.4
                for j in range(R.randint(2, 8)):
                    o = logn(130, .6); chat(bt, list(m), o, f"L{i}.{rd}.{b}", logn(2, .6))
                    m += [A(text(f"a{i}.{rd}.{b}.{j}", o)), U(text(f"page{i}.{rd}.{b}.{j}", min(12000, logn(3600, .8))))]; bt += 2.5 + o*.02
                o = logn(500, .3); chat(bt, list(m), o, f"L{i}.{rd}.{b}", 2); notes += text(f"note{i}.{rd}.{b}", o); last = max(last, bt + o*.02)
            lead.append(U(notes)); tt = last + 2
        chat(tt, list(lead), min(7000, logn(3500, .4)), f"L{i}", 60)
def speculate():                               # agents whose framework guesses the tool's result: three continuations at one instant, two of them dropped after a few tokens
    for i, t in enumerate(poisson(.9, 170)):
        m = [S(text(f"agent{i % 4}", 5200)), U(text(f"q{i}", logn(900, .8)))]; tt = t; o = logn(140); chat(tt, list(m), o, f"s{i}", 0)
        for j in range(R.randint(3, 11)):
            m.append(A(text(f"a{i}.{j}", o))); right = R.randint(0, 2); tt += .8 + o*.015; o = logn(140)
            for k in range(3):
                g = m + [U(text(f"res{i}.{j}.{k}", logn(1100, .9)))]
                chat(tt + R.random()*.03, list(g), o if k == right else R.randint(2, 12), f"s{i}" if k == right else f"s{i}.{j}.{k}", .8)
                if k == right: keep = g
            m = keep
def helpdesk():                                # support: 30 shops' knowledge in front, eight times as many at the full hour for half a minute
    z = zipf(30, .9); ts = list(poisson(1.1, 330)) + [60*1 + x for x in poisson(7, 12)] + [60 + 12 + x for x in poisson(3.5, 20)] + [220 + x for x in poisson(7, 12)] + [232 + x for x in poisson(3.5, 20)]
    for i, t in enumerate(sorted(ts)):
        k = z(); m = [S(text("desk", 400) + text(f"shop{k}", 3600)), U(text(f"order{i}", logn(500, .5)))]; tt = t
        for j in range(1 + min(11, int(R.expovariate(1/3.)))):
            o = logn(110, .6); chat(tt, list(m), o, f"s{i}", logn(18, .7))
            m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(45, .8)))]; tt += 4 + logn(16, .8) + o*.02
def evalmix():                                 # six teams' suites at one time: five shots of one of 12 subjects each, items shuffled, four choices of each item side by side, one token
    for team in range(6):
        shots = [text(f"t{team}.s{s}", logn(1900, .4)) for s in range(12)]; items = [(s, q) for s in range(12) for q in range(14)]
        if team % 2: R.shuffle(items)
        for n, (s, q) in enumerate(items):
            p = shots[s] + text(f"item{team}.{s}.{q}", logn(160))
            for c in range(4): chat(team*1.5 + n*.16, [U(p + text(f"ch{c}.{team}.{s}.{q}", logn(14)))], 1 if team < 4 else logn(220, .6), f"t{team}.w{(n*4 + c) % 32}", 0, stream=False)
def mail():                                    # drafts of mails: the user's style in front, then the thread; asked again after minutes, or hours, when the thread has grown
    zu = zipf(90, .5)
    for i in range(900):
        u = zu(); m = [S(text("mail", 700) + text(f"style{u}", 1500))]; th = text(f"th{i}", logn(1800, .9)); tt = R.random()*14400
        for j in range(R.choices([1, 2, 3, 4, 6], [5, 4, 3, 2, 1])[0]):
            for v in range(R.choices([1, 2, 3], [6, 3, 1])[0]):                    # another draft of the same
                if tt > 14400: break
                o = logn(210, .5); chat(tt, m + [U(th + text(f"wish{i}.{j}.{v}", 40))], o, f"th{i}", 20); tt += 15 + o*.02 + R.expovariate(1/25.)
            th += text(f"reply{i}.{j}", logn(350, .7)); tt += logn(3600, 1.2)
def docend():                                  # due diligence: a question of 25 in front, the document behind it; each document gets eight of them
    for i, t in enumerate(poisson(.9, 260)):
        d = text(f"doc{i}", min(20000, logn(5000, .7)))
        for n, q in enumerate(R.sample(range(25), R.randint(4, 12))): chat(t + n*.02, [S(text("dd", 600)), U(text(f"question{q}", 120) + d)], logn(160), f"d{i}.{n}", stream=False)
def guard():                                   # a guard reads each message before the chat and each answer after it: same pool, prompt of its own, three tokens
    for i, t in enumerate(poisson(2.3, 170)):
        m = [S(text(f"app{R.choices(range(8), [8, 6, 4, 3, 2, 2, 1, 1])[0]}", 1700))]; tt = t; last = ""
        for j in range(1 + min(9, int(R.expovariate(1/3.)))):
            u = text(f"u{i}.{j}", logn(160, 1.)); o = logn(230, .7); a = text(f"a{i}.{j}", o)
            chat(tt, [S(text("guard", 1100)), U(last + u)], 3, f"s{i}", 8, stream=False); m.append(U(u))
            chat(tt + .15, list(m), o, f"s{i}", 0); m.append(A(a)); tt += .3 + o*.015
            chat(tt, [S(text("outguard", 1300)), U(u + a)], 3, f"s{i}", 0, stream=False); last = u + a; tt += 5 + logn(9, .8)
def reask():                                   # extraction to a schema: three in ten answers do not parse, and the same prompt comes again; one task in eight asks five times at once and votes
    for i, t in enumerate(poisson(5, 200)):
        p = [S(text(f"schema{R.choices(range(10), range(10, 0, -1))[0]}", 1900)), U(text(f"in{i}", min(14000, logn(2800, .8))))]
        if R.random() < .125:
            for k in range(5): chat(t + R.random()*.01, p, logn(240, .5), f"s{i}.{k}", stream=False)
            continue
        for k in range(5):
            o = logn(240, .5); chat(t, p, o, f"s{i}", .1, stream=False); t += .3 + o*.02
            if R.random() > .3: break
def subtitles():                               # subtitles of 44 films, ten lines a request: the show's glossary, the last 40 lines with their translation (the window slides each time), the next ten
    for f in range(44):
        h = []; t = R.random()*20
        for j in range(R.randint(35, 75)):
            n = logn(190, .25); o = int(n*1.15)
            chat(t, [S(text("style", 500) + text(f"show{f % 16}", 900)), U("".join(x for x in h[-4:]) + text(f"l{f}.{j}", n))], o, f"f{f}", .2, stream=False)
            h.append(text(f"l{f}.{j}", n) + text(f"tr{f}.{j}", o)); t += 1 + o*.02
def dungeon():                                 # a game master and up to four players' companions: rules, then the party's state that each turn rewrites, then the story; companions answer side by side
    for c in range(34):
        h = []; t = R.random()*120; rules = text("rules", 3200) + text(f"world{c % 5}", 2400); st = 0
        for j in range(R.randint(14, 34)):
            if R.random() < .35: st += 1
            sysm = S(rules + text(f"state{c}.{st}", 420)); o = logn(240, .4)
            h.append((U, f"act{c}.{j}", logn(40))); chat(t, [sysm] + [f(text(n, s)) for f, n, s in h], o, f"c{c}", 9); h.append((A, f"gm{c}.{j}", o)); tt = t + .4 + o*.02
            for k in range(R.randint(0, 3)): chat(tt + R.random()*.05, [sysm] + [f(text(n, s)) for f, n, s in h] + [U(text(f"companion{k}", 150))], logn(45), f"c{c}.{k}", 5)
            t = tt + 4 + logn(9, .7)
            while sum(x[2] for x in h) > 9000: h = h[len(h)//3:]
