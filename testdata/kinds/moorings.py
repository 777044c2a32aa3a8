#!/usr/bin/env python3
"""Kinds of load that people make in pools of late 2026, by a seventh hand, blind to the rule: moorings.py KIND SEED [SPEED] > trace.jsonl

Behind each: the fleet and the flags of replay. SPEED multiplies the sessions that come in a second, which were set by expected_ttft alone, so that
requests come at the drawn share of what a fleet can do. Lines are OpenAI requests with times in seconds (adapters: Mooncake's format, as
Bailian's). The same seed gives the same trace. What the default is worth on them: docs/league-kinds.md.
"""
import sys, json, random, hashlib, functools, math
kind, seed = sys.argv[1], int(sys.argv[2])
RATES = {"mcpusers": 0.531, "dialer": 12.1, "nextedit": 0.4164, "backfill": 15.314, "enterprise": 12.146, "adapters": 3.8454, "dataroom": 0.3726, "mcts": 0.9339, "rollcompact": 0.03908, "newfirst": 19.4734, "threezones": 24.5484, "classroom": 0.6913, "redeliver": 20.6618, "typeahead": 35, "effort": 3.5707, "scans": 2.05, "locales": 3.2771, "triage": 12.1922, "simtown": 0.269, "minutes": 0.3641, "packed": 0.6409, "streamguard": 5.9717, "attempts": 0.2567, "filldown": 2.2519}
RATE = RATES[kind]*(float(sys.argv[3]) if len(sys.argv) > 3 else 1)
R = random.Random(f"h3/{kind}/{seed}")
def raw(name, tokens): return hashlib.shake_128(f"h3/{seed}/{name}".encode()).hexdigest(2*max(1, int(tokens)))
big = functools.lru_cache(3000)(raw)
def T(name, tokens): return big(name, int(tokens)) if tokens > 300 else raw(name, tokens)
rows = []; MAX = 6500
def chat(t, msgs, out, session=None, think=None, tools=None, stream=True):
    b = {"model": "m", "messages": msgs}
    if tools: b["tools"] = tools
    if stream: b["stream"] = True; b["stream_options"] = {"include_usage": True}
    r = {"t": round(t, 4), "body": b, "output_tokens": max(1, int(out))}
    if session: r["session"] = session
    if think is not None: r["think"] = round(think, 3)
    rows.append(r)
S = lambda x: {"role": "system", "content": x}
U = lambda x: {"role": "user", "content": x}
A = lambda x: {"role": "assistant", "content": x}
def span(per, lo=90, hi=400, n=3200): return min(hi, max(lo, n/(RATE*per)))   # per: requests of a session
def poisson(end, rate=None):
    t = 0
    while True:
        t += R.expovariate(rate or RATE)
        if t > end: return
        yield t
def zipf(n, a=1.0):
    w = [1/(i+1)**a for i in range(n)]
    import itertools; c = list(itertools.accumulate(w))
    return lambda: R.choices(range(n), cum_weights=c)[0]
def logn(mean, s=.6, lo=1, hi=10**9): return int(min(hi, max(lo, R.lognormvariate(0, s)*mean/math.exp(s*s/2))))
def tool(name, tokens): return {"type": "function", "function": {"name": name, "description": T("tool"+name, tokens), "parameters": {"type": "object", "properties": {}}}}
def talk(t, m, turns, q, a, sid, think, tok=.02, head=None, tools=None):
    """a chat that goes on: questions of q tokens, answers of a, pauses of think seconds"""
    for j in range(turns):
        o = logn(a); p = logn(think, .7)
        m = m + [U(T(f"{sid}q{j}", logn(q)))]; chat(t, m, o, sid, p, tools); m = m + [A(T(f"{sid}a{j}", o))]; t += p + o*tok
    return m, t

def mcpusers():     # desktop agents: each user has a choice of 40 MCP servers in an order of his own; servers' schemas change version now and then: --replicas 6 --profile l4x2-llama8b --kv-tokens 60000 --gateways 3
    size = [logn(1100, .9, 120, 7000) for _ in range(40)]; z = zipf(40, .9); users = []
    for u in range(120):
        k = []
        while len(k) < 3 + u % 7:
            x = z()
            if x not in k: k.append(x)
        users.append(k)
    zu = zipf(120, .7)
    for i, t in enumerate(poisson(span(9))):
        u = zu(); tools = [tool(f"s{k}v{int((t + k*7)/180)}", size[k]) for k in users[u]]
        m = [S(T("desk", 1300) + T(f"user{u}", 250)), U(T(f"ask{i}", logn(120, .9)))]; tt = t
        for j in range(1 + min(24, int(R.expovariate(1/8)))):
            o = logn(90, .7); p = logn(2.5, .8); chat(tt, list(m), o, f"u{u}.{i}", p, tools)
            m += [A(T(f"a{i}.{j}", o)), U(T(f"r{i}.{j}", logn(600, 1.1, 10, 8000)))]; tt += p + o*.02
def dialer():       # outbound calls in waves each 30 s: one campaign's script, most hang up after one or two turns, a turn each 4 s exactly: --replicas 5 --profile h100x2-70b --second-profile b200-llama70b
    end = span(4); w = 0
    while w*30 < end:
        c = w % 5
        for k in range(max(1, int(RATE*30*R.uniform(.8, 1.2)))):
            t = w*30 + R.random()*2.5; m = [S(T(f"script{c}", 2600)), U(T(f"lead{w}.{k}", 350))]
            for j in range(1 + min(40, int(R.expovariate(1/3)))):
                o = logn(28, .5, 4); chat(t, list(m), o, f"c{w}.{k}", 4); m += [A(T(f"a{w}.{k}.{j}", o)), U(T(f"u{w}.{k}.{j}", logn(14, .6, 3)))]; t += 4
        w += 1
def nextedit():     # next-edit prediction: recent edits (new each time) stand before the file, the file after; each pause of typing; replayed with hang-ups: --replicas 4 --profile mi300x-qwen32b --hang-up 0.4 --hang-up-after 400ms
    for i, t in enumerate(poisson(span(40))):
        f = logn(2200, .6, 300, 6000); ver = 0; blocks = [T(f"f{i}.{b}", f/12) for b in range(12)]; edits = []; tt = t
        for j in range(R.randint(15, 65)):
            b = min(11, max(0, int(R.gauss(6 + 5*math.sin(j/9), 1)))); e = T(f"e{i}.{j}", logn(30, .7, 5)); edits = (edits + [e])[-6:]
            if R.random() < .5: blocks[b] = blocks[b][:40] + e + blocks[b][40:]
            chat(tt, [S(T("nextedit", 420)), U("".join(edits) + "".join(blocks[:b+1])), U("".join(blocks[b+1:]) + "<cursor>")], logn(35, .6, 4), f"ed{i}", 1); tt += .35 + R.expovariate(1/1.1)
def backfill():     # 64 batch threads over 12 templates (4 active at once), beside product chats; closed loop: --replicas 4 --profile mi300x-llama70b --gateways 3 --sync 0 --closed
    n = 64; end = 240; z = zipf(12, .6)
    for th in range(n):
        t = R.random()*3
        for k in range(26): c = (int(k/7) + z()//4) % 12; chat(t, [S(T(f"tmpl{c}", 1800 + 150*c)), U(T(f"rec{th}.{k}", logn(700, .9, 40, 9000)))], logn(140, .5), f"b{th}", 0, stream=False); t += 3
    for i, t in enumerate(poisson(end)): talk(t, [S(T(f"prod{i%9}", 1500))], 1 + min(8, int(R.expovariate(1/2.6))), 70, 180, f"c{i}", 9)
def enterprise():   # 90 firms: the larger its system prompt (200 to 50,000 tokens) the rarer; each active in its own part of the day: --replicas 6 --profile mi300x-qwen32b
    size = sorted(int(min(50000, 200*R.paretovariate(.55))) for _ in range(90)); w = [1/(k+1)**.8 for k in range(90)]; end = span(3.5)
    ph = [R.random() for _ in range(90)]
    for i, t in enumerate(poisson(end)):
        act = [w[k]*(1 if (t/end + ph[k]) % 1 < .4 else .04) for k in range(90)]; k = R.choices(range(90), act)[0]
        talk(t, [S(T(f"firm{k}", size[k]))], 1 + min(9, int(R.expovariate(1/2.5))), 80, 200, f"s{i}", 11)
def adapters():     # chats of customers behind one of two product prompts; replayed with --adapters (Bailian's format, blocks of 64): --replicas 6 --profile a100x2-qwen32b --gateways 3 --name-sessions --adapters 30 --max-loras 4 --lora-load 900ms
    n = 10**6
    for i, t in enumerate(poisson(span(4))):
        ctx = [10000*(i % 2) + k for k in range(17)] + [50000 + 10*R.randint(0, 59) + k for k in range(5)]; tt = t; tail = logn(90); par = -1
        for j in range(1 + min(9, int(R.expovariate(1/3)))):
            o = logn(160); k = max(1, round(tail/64)); ctx = ctx + list(range(n, n + k)); n += k
            rows.append({"t": tt, "timestamp": round(tt, 3), "input_length": 64*len(ctx), "output_length": o, "hash_ids": ctx, "chat_id": len(rows) + 1, "parent_chat_id": par}); par = len(rows); tail = o + logn(90); tt += logn(8, .7) + o*.02
def dataroom():     # teams in one room whose documents grow: all prompts have all documents so far, then the user's own questions: --replicas 5 --profile h200-llama8b --gateways 4 --sync 0
    for i, t in enumerate(poisson(span(45, 180, 500))):
        docs = [T(f"d{i}.{k}", logn(6000, .8, 600, 30000)) for k in range(R.randint(2, 5))]; people = R.randint(3, 9); end = R.uniform(120, 300)
        up = sorted(R.uniform(20, end) for _ in range(R.randint(1, 4)))
        ev = []
        for p in range(people):
            x = R.uniform(0, 60)
            while x < end: ev.append((x, p)); x += logn(35, .8, 5)
        ev.sort(); hist = {p: [] for p in range(people)}
        for j, (x, p) in enumerate(ev):
            nd = len(docs) + sum(u < x for u in up); d = docs + [T(f"n{i}.{k}", 2500 + 1500*k) for k in range(nd - len(docs))]
            o = logn(260, .6); q = U(T(f"q{i}.{j}", logn(45))); chat(t + x, [S(T("room", 500) + "".join(d))] + hist[p] + [q], o, f"r{i}.{p}", 20); hist[p] = (hist[p] + [q, A(T(f"a{i}.{j}", o))])[-12:]
def mcts():         # tree search with UCB: each simulation takes the best leaf, three children side by side, then a value prompt; closed loop: --replicas 5 --profile rtx4090-8b --gateways 3 --closed
    for i, t in enumerate(poisson(span(110, 60, 400))):
        root = [S(T("solve", 900)), U(T(f"pb{i}", logn(900, .6)))]; nodes = [(root, 0)]; tt = t
        for s in range(R.randint(15, 40)):
            m, d = max(nodes, key=lambda n: R.gauss(.25*n[1], 1.)); nodes.remove((m, d)) if len(nodes) > 5 else None
            for k in range(3): o = logn(110, .5); chat(tt, m, o, f"t{i}.{k}", .2); nodes.append((m + [A(T(f"n{i}.{s}.{k}", o)), U("Next step.")], d + 1))
            tt += 3; chat(tt, [S(T("value", 700))] + nodes[-1][0][1:], 6, f"t{i}.0", .1, stream=False); tt += 1
def rollcompact():  # agents: at 28,000 tokens the older half of the messages becomes a summary, a memory file stands first and changes then; closed loop: --replicas 2 --profile mi300x-llama70b --second-profile h200x2-llama70b --gateways 2 --closed
    for i, t in enumerate(poisson(span(35, 120, 500, 2200))):
        mem = T(f"mem{i}.0", 900); h = [U(T(f"task{i}", logn(900, .8)))]; size = 900; tt = t; v = 0
        for j in range(R.randint(15, 55)):
            o = logn(180, .7); p = logn(3, 1.); chat(tt, [S(T(f"agent{i%3}", 5200) + mem)] + h, o, f"g{i}", p); n = logn(1500, 1., 20, 9000); h = h + [A(T(f"a{i}.{j}", o)), U(T(f"r{i}.{j}", n))]; size += o + n; tt += p + o*.02
            if size > 28000:
                v += 1; chat(tt, [S(T(f"agent{i%3}", 5200) + mem)] + h + [U("Summarize the older half.")], 600, f"g{i}", .3); k = len(h)//2; h = [U(T(f"sum{i}.{v}", 600))] + h[k + (k+1) % 2:]; mem = T(f"mem{i}.{v}", 900 + 100*v); size = sum(len(x["content"]) for x in h)//4; tt += 14
def newfirst():     # chat with retrieval: in 4 of 10 turns new passages come, newest first, before everything said: --replicas 4 --profile mi300x-llama8b --kv-tokens 762352 --gateways 2 --sync 0
    z = zipf(800, .9)
    for i, t in enumerate(poisson(span(5))):
        docs = []; h = []; tt = t
        for j in range(1 + min(14, int(R.expovariate(1/4)))):
            if j == 0 or R.random() < .4: docs = ([z() for _ in range(R.randint(1, 3))] + docs)[:8]
            o = logn(200, .6); q = U(T(f"q{i}.{j}", logn(50))); chat(tt, [S(T("rag", 800) + "".join(T(f"doc{d}", 500 + 37*(d % 13)) for d in docs))] + h + [q], o, f"s{i}", 12); h = h + [q, A(T(f"a{i}.{j}", o))]; tt += 4 + logn(9, .8) + o*.02
def threezones():   # three regions' tenants, each with a day of 300 s: the load goes from a fifth to the peak and from region to region: --replicas 8 --profile l40s-llama8b --gateways 4
    day = 300; z = zipf(40, .9)
    for i, t in enumerate(poisson(day*1.2, RATE*1.9)):
        r = R.randint(0, 2); lvl = max(0, math.sin(2*math.pi*(t/day - r/3.6)))**1.5*.9 + .1
        if R.random() < lvl: talk(t, [S(T(f"r{r}t{z()}", 1900))], 1 + min(8, int(R.expovariate(1/2.4))), 80, 190, f"s{i}", 8)
def classroom():    # a teacher: 30 pupils open one task within 20 s, ask 3 to 12 times with hints, pauses of a minute: --replicas 10 --profile a100x2-qwen32b --gateways 2 --sync 0
    for i, t in enumerate(poisson(span(170, 150, 500))):
        head = [S(T("tutor", 1400) + T(f"lesson{i}", logn(2600, .6)))]
        for p in range(R.randint(22, 34)): talk(t + R.random()*20, head, R.randint(3, 9), 45, 130, f"p{i}.{p}", 26)
def redeliver():    # webhooks, delivered at least once: one in six whole prompts comes again after 10, 60 or 180 s: --replicas 8 --profile h100x4-llama70b
    z = zipf(30, .8)
    for i, t in enumerate(poisson(span(1.2, 240, 500, 4000))):
        k = z(); m = [S(T(f"flow{k}", 700 + 130*k)), U(T(f"event{i}", logn(2600, 1., 60, 24000)))]; o = logn(120, .6); chat(t, m, o, stream=False)
        if R.random() < .17: chat(t + R.choice([10, 10, 60, 60, 180]) + R.random(), m, o, stream=False)
def typeahead():    # search as you type: each key or two a prompt with the text so far; replayed with hang-ups: --replicas 3 --profile h200-qwen32b --gateways 2 --name-sessions --hang-up 0.4 --hang-up-after 150ms
    for i, t in enumerate(poisson(span(14))):
        q = ""; m = S(T(f"site{R.randint(0, 11)}", 1700) + T(f"basket{i}", 120)); tt = t
        for j in range(R.randint(6, 24)): q += T(f"k{i}.{j}", 1)[:R.randint(2, 5)]; chat(tt, [m, U(q)], R.randint(6, 22), f"s{i}", .3); tt += .16 + R.expovariate(1/.15)
def effort():       # reasoning at three efforts: 150, 1,200 or 6,000 tokens; thoughts are not sent back; few tenants: --replicas 10 --profile mi300x-llama70b --gateways 2 --name-sessions
    for i, t in enumerate(poisson(span(3, 240, 600))):
        m = [S(T(f"t{i%6}", 1500))]; tt = t
        for j in range(1 + min(5, int(R.expovariate(1/2)))):
            e = R.choices([150, 1200, 6000], [60, 30, 10])[0]; o = logn(e, .6, 20, 14000); m = m + [U(T(f"q{i}.{j}", logn(160, .9)))]; chat(tt, m, o, f"s{i}", 12); m = m + [A(T(f"a{i}.{j}", min(o, 250)))]; tt += 12 + o*.015
def scans():        # pages as images: a template, 2 to 12 pages, then a second pass on the same pages where the first was unsure: --replicas 4 --profile rtxpro6000-llama8b --second-profile l4x2-llama8b --name-sessions
    for i, t in enumerate(poisson(span(1.6))):
        k = R.randint(0, 7); n = R.randint(2, 12); img = [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + T(f"pg{i}.{p}", 24)}} for p in range(n)]
        m = [S(T(f"form{k}", 1900)), {"role": "user", "content": [{"type": "text", "text": "Pages:"}] + img}]; o = logn(220, .5); chat(t, m, o, f"d{i}", 2, stream=False)
        if R.random() < .45: chat(t + 3 + o*.025, m + [A(T(f"a{i}", o)), U(T("again", 160))], logn(120, .5), f"d{i}", 2, stream=False)
def locales():      # a page of help is put into 22 languages at one instant: head, page, then language and glossary; ten seconds later each is proofread: --replicas 32 --profile h200x2-llama70b --name-sessions
    for i, t in enumerate(poisson(span(44))):
        pg = logn(1900, .7, 200, 9000); head = [S(T("style", 1500)), U(T(f"page{i}", pg))]
        for l in range(22):
            o = int(pg*R.uniform(.2, .32)); chat(t + R.random()*.08, head + [U(T(f"lang{l}", 600 + 40*l))], o, f"p{i}.{l}", 1, stream=False)
            chat(t + 12 + o*.03, [S(T(f"proof{l}", 1300)), U(T(f"page{i}", pg) + T(f"tr{i}.{l}", o))], logn(60), f"p{i}.{l}", 10, stream=False)
def triage():       # a ticket goes through four templates: class, search, draft, check, each with a head of its own; the ticket's thread behind it: --replicas 24 --profile h200-qwen32b --gateways 2
    for i, t in enumerate(poisson(span(5.5))):
        th = T(f"tk{i}", logn(500, .9, 20, 6000)); tt = t
        for r in range(1 + min(4, int(R.expovariate(1/.7)))):
            for name, hd, o in (("class", 2800, 8), ("search", 1500, 40), ("draft", 4200, 230), ("check", 3300, 25)):
                o = logn(o, .4); x = T(f"kb{R.randint(0, 150)}", 900) + T(f"kb{R.randint(0, 150)}", 900) if name in ("draft", "check") else ""
                chat(tt, [S(T(name + f"{i%3}", hd)), U(th + x)], o, f"t{i}", .2, stream=name == "draft"); tt += .6 + o*.02
            th += T(f"re{i}.{r}", logn(300)); tt += logn(40, .8)
def simtown():      # towns of 25 agents in lock step: each tick all at one instant, a persona, memories that change, the day so far: --replicas 4 --profile mi300x-llama8b --second-profile l40s-llama8b --gateways 2 --sync 0
    for i, t in enumerate(poisson(span(300, 150, 400))):
        day = [[] for _ in range(25)]
        for k in range(R.randint(8, 16)):
            for a in range(25):
                mem = "".join(T(f"m{i}.{a}.{x}", 60) for x in sorted(R.sample(range(40), 6)))
                o = logn(45, .5); chat(t + k*9 + R.random()*.15, [S(T("town", 1200) + T(f"pers{i}.{a}", 350)), U("".join(day[a])), U(mem + T(f"obs{i}.{k}", 180))], o, f"w{i}.{a}", 6); day[a].append(T(f"act{i}.{a}.{k}", o + 30))
def minutes():      # meetings that begin at the full quarter: each minute (here 20 s) the whole transcript so far is summed up again, then what the minute changed: --replicas 2 --profile a100x2-qwen32b --name-sessions
    end = span(35, 240, 420); n = max(1, int(RATE*60))
    for q in range(int(end/60)):
        for i in range(n):
            tr = []; t = q*60 + R.random()*3; L = R.randint(8, 30)
            for k in range(L):
                tr.append(T(f"tr{q}.{i}.{k}", logn(230, .3))); chat(t + k*20, [S(T(f"minutes{i%4}", 1100)), U("".join(tr)), U("Sum it up.")], logn(150, .3), f"mt{q}.{i}", 15)
                if k % 5 == 4: chat(t + k*20 + 6, [S(T("actions", 700)), U("".join(tr))], logn(60), f"mt{q}.{i}", 4, stream=False)
def packed():       # a code base packed into one prompt of 60,000 to 200,000 tokens, 3 to 9 questions by its user; beside short chats: --replicas 4 --profile h100x2-qwen32b
    for i, t in enumerate(poisson(span(1.0, 200, 400, 3000), RATE*.04)):
        m, _ = talk(t, [S(T("packed", 300)), U(T(f"base{i}", logn(100000, .4, 60000, 200000)))], R.randint(3, 7), 70, 350, f"b{i}", 22)
    for i, t in enumerate(poisson(span(3.6, 200, 400, 3000))): talk(t, [S(T(f"small{i%5}", 900))], 1 + min(8, int(R.expovariate(1/2.6))), 60, 140, f"c{i}", 8)
def streamguard():  # a guard reads each answer while it is written: every 1.5 s policy, talk, and the answer so far; the chats are in the same pool: --replicas 6 --profile mi300x-llama70b --gateways 2 --name-sessions
    for i, t in enumerate(poisson(span(14))):
        m = [S(T(f"app{i%7}", 900))]; tt = t
        for j in range(1 + min(6, int(R.expovariate(1/2)))):
            o = logn(280, .7); m = m + [U(T(f"q{i}.{j}", logn(80, .8)))]; chat(tt, m, o, f"s{i}", 8); full = T(f"a{i}.{j}", o)
            said = "".join(x["content"] for x in m[1:])
            for k in range(75, o + 75, 75): chat(tt + k*.02, [S(T("policy", 3000)), U(said + full[:4*min(k, o)])], 2, f"g{i}.{j}", .2, stream=False)
            m = m + [A(full)]; tt += 8 + o*.02
def attempts():     # coding: five attempts at each issue side by side, one repository head, each goes its own way; ends when three have ended; closed loop: --replicas 6 --profile h200-llama8b --kv-tokens 177600 --closed
    for i, t in enumerate(poisson(span(90, 90, 400, 2200))):
        head = [S(T("swe", 3500)), U(T(f"repo{i%14}", 6500) + T(f"issue{i}", logn(800)))]
        for a in range(5):
            m = list(head); tt = t + R.random()*.3
            for j in range(R.randint(6, 26)): o = logn(200, .8); p = logn(2, 1.1); chat(tt, list(m), o, f"i{i}.{a}", p); m += [A(T(f"a{i}.{a}.{j}", o)), U(T(f"r{i}.{a}.{j}", logn(750, 1.1, 15, 6000)))]; tt += p + o*.02
def filldown():     # a formula of a spreadsheet is filled down: 40 to 400 rows at one instant behind a prompt nobody had; changed and filled again twice: --replicas 10 --profile a100x2-qwen32b --kv-tokens 125376 --gateways 4 --name-sessions
    for i, t in enumerate(poisson(span(260, 150, 400))):
        n = logn(130, .7, 40, 400); col = T(f"col{i}", logn(900, .7, 80, 4000))
        for e in range(R.randint(1, 3)):
            for r in range(n): chat(t + R.random()*.6 + r*.004, [S(T("sheet", 350) + col + T(f"ed{i}.{e}", 50)), U(T(f"row{i}.{r}", logn(45, .7)))], logn(18, .6), f"x{i}.{r}", 1, stream=False)
            t += logn(35, .6)
if __name__ == "__main__":
    globals()[kind]()
    rows.sort(key=lambda r: r["t"])
    for r in rows[:MAX]: print(json.dumps({k: v for k, v in r.items() if k != "t" or "timestamp" not in r}))
