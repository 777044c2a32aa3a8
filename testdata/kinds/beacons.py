#!/usr/bin/env python3
"""Kinds of load that users of vLLM pools have, by an eighth hand, blind to the rule: beacons.py KIND SEED [SPEED] [FLEET] > trace.jsonl

beacons.py KIND flags FLEET prints replay's flags. There are three fleets of each kind, drawn by chance with the load; FLEET is SEED's unless given. SPEED
multiplies the sessions that come in a second, which were set by expected_ttft's throughput. Lines are OpenAI requests with times in seconds.
"""
import sys, json, random, hashlib, functools, itertools, math
kind, seed = sys.argv[1], sys.argv[2]
FLEETS = {   # sessions a second, share of capacity, flags
    "apply": [(1.651, 0.37, "--replicas 24 --profile h100x4-llama70b --kv-tokens 94240 --gateways 3"), (2.089, 0.54, "--replicas 5 --profile h200-llama8b --host-kv 1 --gateways 4 --name-sessions"), (0.5142, 1.04, "--replicas 10 --profile rtxpro6000x2-llama70b --name-sessions --closed")],
    "approval": [(0.2317, 0.38, "--replicas 21 --profile mi300x-llama70b --closed"), (0.2804, 0.59, "--replicas 3 --profile h200-llama8b --kv-tokens 310822"), (0.2067, 0.43, "--replicas 8 --profile l40s-llama8b --second-profile h100-llama8b --gateways 4 --closed")],
    "bulletin": [(5.522, 0.4, "--replicas 2 --profile h100-llama8b --name-sessions"), (20.4, 0.44, "--replicas 7 --profile mi300x-llama8b --second-profile h100-llama8b --gateways 3 --name-sessions --closed"), (14.74, 1.08, "--replicas 18 --profile l40sx4-llama70b --gateways 4 --closed")],
    "commuters": [(2.831, 1.05, "--replicas 9 --profile a100-llama8b --second-profile l40s-llama8b --kv-tokens 97112 --host-kv 3 --gateways 2"), (0.1339, 0.32, "--replicas 14 --profile l4x8-llama70b --name-sessions --closed"), (2.282, 0.75, "--replicas 7 --profile rtxpro6000-llama8b --kv-tokens 111504 --gateways 2 --closed")],
    "crawler": [(0.01996, 0.35, "--replicas 3 --profile b200-llama70b --gateways 3 --name-sessions --closed"), (0.8988, 0.83, "--replicas 12 --profile mi300x-llama8b --kv-tokens 444712 --host-kv 1 --name-sessions --closed"), (0.399, 0.95, "--replicas 20 --profile l4x2-llama8b --second-profile mi300x-llama8b --kv-tokens 89912 --host-kv 1 --gateways 2 --closed")],
    "franchise": [(12.34, 0.92, "--replicas 7 --profile l40s-llama8b --name-sessions"), (10.54, 0.69, "--replicas 4 --profile a100-llama8b --gateways 2 --name-sessions --closed"), (11.67, 1.08, "--replicas 3 --profile rtxpro6000-llama8b --second-profile mi300x-llama8b --kv-tokens 111504 --closed")],
    "graphrag": [(0.6141, 1.07, "--replicas 4 --profile h100-llama8b --name-sessions --closed"), (0.3297, 0.52, "--replicas 12 --profile a100-llama8b --kv-tokens 220448 --name-sessions --closed"), (0.5471, 0.95, "--replicas 17 --profile b200-llama70b --host-kv 1 --gateways 2 --name-sessions")],
    "handoff": [(3.289, 0.74, "--replicas 14 --profile a100x4-llama70b --second-profile l4x8-llama70b --gateways 3"), (11.08, 0.53, "--replicas 12 --profile rtxpro6000-llama8b --gateways 2 --name-sessions"), (1.477, 0.4, "--replicas 6 --profile l40s-llama8b --host-kv 3 --gateways 3 --name-sessions --closed")],
    "heartbeat": [(3.021, 0.98, "--replicas 2 --profile h100-llama8b --second-profile l40s-llama8b --gateways 2 --name-sessions --closed"), (3.208, 0.63, "--replicas 2 --profile h100-llama8b --second-profile mi300x-llama8b --gateways 4"), (2.837, 0.56, "--replicas 2 --profile mi300x-llama8b")],
    "knnshots": [(8.712, 0.35, "--replicas 3 --profile rtxpro6000-llama8b --gateways 2 --name-sessions"), (15.65, 0.93, "--replicas 3 --profile h200x2-llama70b --second-profile h100x4-llama70b --host-kv 1"), (36.6, 0.57, "--replicas 3 --profile h200-llama8b --name-sessions")],
    "mirror": [(1.719, 0.44, "--replicas 3 --profile a100x4-llama70b --gateways 2 --closed"), (12.1, 0.92, "--replicas 5 --profile l40s-llama8b --second-profile h100-llama8b --name-sessions"), (6.46, 0.37, "--replicas 18 --profile rtxpro6000-llama8b --kv-tokens 195132 --gateways 2 --name-sessions")],
    "mixedthink": [(8.363, 0.76, "--replicas 28 --profile a100-llama8b --second-profile rtxpro6000-llama8b --closed"), (1.04, 0.37, "--replicas 13 --profile a100-llama8b --second-profile l4x2-llama8b --host-kv 1"), (0.5168, 0.91, "--replicas 4 --profile b200-llama70b")],
    "moderate": [(1.722, 0.31, "--replicas 2 --profile l4x8-llama70b --second-profile b200-llama70b"), (6.153, 0.92, "--replicas 2 --profile rtxpro6000x2-llama70b --host-kv 3 --closed"), (5.848, 0.57, "--replicas 2 --profile mi300x-llama70b --gateways 3")],
    "novelist": [(0.2206, 0.85, "--replicas 2 --profile rtxpro6000-llama8b --second-profile a100-llama8b --kv-tokens 154313 --gateways 4"), (2.207, 0.4, "--replicas 58 --profile mi300x-llama70b --closed"), (0.1354, 0.39, "--replicas 24 --profile l4x8-llama70b --host-kv 1 --closed")],
    "openwebui": [(4.262, 0.61, "--replicas 10 --profile b200-llama70b --name-sessions --closed"), (4.869, 0.95, "--replicas 9 --profile mi300x-llama70b --host-kv 3 --gateways 2"), (4.997, 0.9, "--replicas 8 --profile l40s-llama8b --gateways 3 --name-sessions --closed")],
    "redeploy": [(1.041, 0.37, "--replicas 13 --profile a100x4-llama70b --gateways 2 --name-sessions --closed --rollout 60s-180s"), (1.3, 0.88, "--replicas 4 --profile h100-llama8b --kv-tokens 220552 --host-kv 1 --rollout 60s-180s"), (0.7351, 0.94, "--replicas 12 --profile l4x2-llama8b --gateways 3 --name-sessions --rollout 60s-180s")],
    "release": [(0.7957, 0.9, "--replicas 3 --profile l40s-llama8b --gateways 3 --name-sessions"), (8.876, 0.81, "--replicas 3 --profile mi300x-llama8b --kv-tokens 444712 --closed"), (4.583, 0.51, "--replicas 26 --profile h200x2-llama70b --second-profile l40sx4-llama70b")],
    "scaleinout": [(7.056, 0.79, "--replicas 4 --profile l4x2-llama8b --second-profile h200-llama8b --gateways 2 --name-sessions --closed --away 3@1s-80s,0@168s-"), (5.042, 0.78, "--replicas 5 --profile b200-llama70b --gateways 2 --name-sessions --closed --away 4@1s-80s,0@168s-"), (5.741, 0.52, "--replicas 9 --profile rtxpro6000-llama8b --away 8@1s-80s,7@1s-80s,0@168s-,1@168s-")],
    "selfcheck": [(6.43, 0.51, "--replicas 13 --profile h100-llama8b --second-profile rtxpro6000-llama8b --kv-tokens 88220"), (2.205, 0.42, "--replicas 8 --profile l40s-llama8b --gateways 2 --name-sessions"), (6.441, 1.1, "--replicas 6 --profile h100-llama8b --second-profile l4x2-llama8b --gateways 3 --name-sessions")],
    "tau": [(0.7593, 0.82, "--replicas 8 --profile mi300x-llama70b --gateways 4 --name-sessions --closed"), (0.2091, 0.35, "--replicas 11 --profile l4x2-llama8b --kv-tokens 89912 --gateways 3 --name-sessions"), (0.4501, 0.96, "--replicas 9 --profile l4x2-llama8b --gateways 2 --name-sessions")],
    "tinyhuge": [(27.58, 0.97, "--replicas 8 --profile rtxpro6000-llama8b --kv-tokens 195132"), (56.3, 0.83, "--replicas 9 --profile h100-llama8b --name-sessions --closed"), (53.03, 0.73, "--replicas 9 --profile mi300x-llama8b --gateways 2 --closed")],
    "tuned": [(12.48, 1.06, "--replicas 2 --profile h200-llama8b --second-profile a100-llama8b --kv-tokens 88179 --host-kv 1 --name-sessions --closed"), (8.543, 0.68, "--replicas 3 --profile a100-llama8b --second-profile rtxpro6000-llama8b --gateways 2 --name-sessions"), (8.684, 1.09, "--replicas 5 --profile a100-llama8b --second-profile l4x2-llama8b")],
    "windowed": [(1.571, 0.3, "--replicas 17 --profile l4x2-llama8b"), (1.69, 0.65, "--replicas 10 --profile mi300x-llama70b --closed"), (1.474, 0.64, "--replicas 2 --profile l40s-llama8b --second-profile mi300x-llama8b --host-kv 3 --gateways 2 --closed")],
    "worktrees": [(0.0335, 0.76, "--replicas 2 --profile h100x4-llama70b --kv-tokens 94240 --name-sessions --closed"), (0.4202, 0.99, "--replicas 4 --profile h100x4-llama70b --gateways 3 --name-sessions"), (0.4262, 0.51, "--replicas 15 --profile h100x4-llama70b --second-profile h200x2-llama70b --host-kv 3")],
}; FLEETS["metronome"] = FLEETS["windowed"]
def arg(k, default): return sys.argv[k] if len(sys.argv) > k else default
if __name__ == "__main__":
    rate, load, flags = (float(arg(5, 1)), 1, "") if len(sys.argv) > 5 else FLEETS[kind][(int(arg(4, seed if seed != "flags" else arg(3, 1))) - 1) % 3 if seed != "flags" else (int(sys.argv[3]) - 1) % 3]
    if seed == "flags": print(flags); sys.exit()
    RATE = rate*float(arg(3, 1))
R = random.Random(f"h8/{kind.replace('metronome', 'windowed')}/{seed}")
def raw(name, tokens): return hashlib.shake_128(f"h8/{seed}/{name}".encode()).hexdigest(2*max(1, int(tokens)))
big = functools.lru_cache(2000)(raw)
def T(name, tokens): return big(name, int(tokens)) if tokens > 300 else raw(name, tokens)
rows = []; MAX, TOKENS = 5000, 32e6
S, U, A = (lambda x: {"role": "system", "content": x}), (lambda x: {"role": "user", "content": x}), (lambda x: {"role": "assistant", "content": x})
def chat(t, msgs, out, session=None, think=None, stream=True):
    b = {"model": "m", "messages": list(msgs)}
    if stream: b["stream"] = True; b["stream_options"] = {"include_usage": True}
    r = {"t": round(t, 4), "body": b, "output_tokens": max(1, int(out))}
    if session: r["session"] = session
    if think is not None: r["think"] = round(think, 3)
    rows.append(r)
def span(per, lo=100, hi=420, n=3200): return min(hi, max(lo, n/(RATE*per)))   # per: requests of a session
def poisson(end, rate=None, shape=None):
    t = 0
    while True:
        t += R.expovariate(rate or RATE)
        if t > end: return
        if not shape or R.random() < shape(t/end): yield t
def zipf(n, a=1.0):
    c = list(itertools.accumulate(1/(i+1)**a for i in range(n)))
    return lambda: R.choices(range(n), cum_weights=c)[0]
def logn(mean, s=.6, lo=1, hi=10**9): return int(min(hi, max(lo, R.lognormvariate(0, s)*mean/math.exp(s*s/2))))
def geo(mean, hi): return 1 + min(hi - 1, int(R.expovariate(1/max(.01, mean - 1))))
def talk(t, m, turns, q, a, sid, think, s=.7):
    """a chat that goes on: questions of q tokens, answers of a, pauses of think seconds"""
    for j in range(turns):
        o = logn(a); p = logn(1000*think, s)/1000
        m = m + [U(T(f"{sid}q{j}", logn(q)))]; chat(t, m, o, sid, p); m = m + [A(T(f"{sid}a{j}", o))]; t += p + o*.02
    return m, t

def scaleinout():
    """Tenants with prompts of 3,000 to 12,000 tokens, a load that rises and falls; replicas join at a third of the time and two leave at seven tenths."""
    z = zipf(60); size = [R.randint(3000, 12000) for _ in range(60)]
    for i, t in enumerate(poisson(240, RATE*1.45, lambda x: .35 + .65*math.sin(math.pi*x))):
        k = z(); talk(t, [S(T(f"ten{k}", size[k]))], geo(3.5, 9), 80, 200, f"c{i}", 12)
def redeploy():
    """Agents of eight teams while each replica in turn is replaced by a new one (--rollout)."""
    for i, t in enumerate(poisson(max(240, span(13)))):
        k = R.randint(0, 7); m = [S(T(f"team{k}", 6000)), U(T(f"task{i}", logn(2000)))]
        for j in range(R.randint(6, 20)):
            o = logn(160); p = logn(3000, .8)/1000; chat(t, m, o, f"a{i}", p); m = m + [A(T(f"a{i}.{j}", o)), U(T(f"r{i}.{j}", logn(700, 1)))]; t += p + o*.02
def handoff():
    """Agents that hand a conversation over: triage and six specialists have system prompts of their own, before one history that goes on."""
    size = [R.randint(2500, 6000) for _ in range(6)]
    for i, t in enumerate(poisson(span(9))):
        h = []; who = -1
        for leg in range(R.randint(2, 4)):
            for j in range(R.randint(1, 4)):
                o = logn(150); p = logn(7000, .8)/1000; h = h + [U(T(f"q{i}.{leg}.{j}", logn(180, .9)))]
                chat(t, [S(T("triage", 1500) if who < 0 else T(f"spec{who}", size[who]))] + h, o, f"h{i}", p); h = h + [A(T(f"a{i}.{leg}.{j}", o))]; t += p + o*.02
            who = R.choice([-1, *range(6)])
def bulletin():
    """A market brief of 7,000 tokens stands first and is a new one every 45 s, also for conversations that go on."""
    for i, t in enumerate(poisson(span(2.4))):
        m = []
        for j in range(geo(2.4, 6)):
            o = logn(170); p = logn(14000, .7)/1000; m = m + [U(T(f"q{i}.{j}", logn(60)))]
            chat(t, [S(T("desk", 500) + T(f"brief{int(t/45)}", 7000))] + m, o, f"b{i}", p); m = m + [A(T(f"a{i}.{j}", o))]; t += p + o*.02
def mirror():
    """Each request is mirrored at once behind a candidate's system prompt, whose answers nobody sees; 12 products."""
    for i, t in enumerate(poisson(span(7))):
        k = int(12*R.random()**1.6); n = len(rows); talk(t, [S(T(f"live{k}", 2200))], geo(3.5, 10), 110, 220, f"c{i}", 9)
        for r in list(rows[n:]): chat(r["t"] + .05, [S(T(f"cand{k}", 2300))] + r["body"]["messages"][1:], logn(240), f"m{i}", r["think"], False)
def selfcheck():
    """Each answer is checked by the same model behind the same conversation, one in three is rewritten; later turns have only the final one."""
    for i, t in enumerate(poisson(span(7))):
        m = [S(T(f"prod{i%5}", 1800)), U(T(f"ctx{i}", logn(2500)))]
        for j in range(geo(3, 7)):
            o = logn(260); p = logn(12000)/1000; m = m + [U(T(f"q{i}.{j}", logn(90)))]; chat(t, m, o, f"s{i}", p, False); t += o*.02 + .4
            c = m + [A(T(f"d{i}.{j}", o)), U(T("check", 220))]; chat(t, c, 50, f"s{i}", .05, False); t += 1.5
            if R.random() < .35: o2 = logn(260); chat(t, c + [A(T(f"v{i}.{j}", 50)), U("Rewrite it.")], o2, f"s{i}", .05); t += o2*.02
            m = m + [A(T(f"f{i}.{j}", o))]; t += p
def tinyhuge():
    """Prompts of 200 tokens for 25 tokens of answer; one in forty is a document of 30,000 to 90,000 tokens that nobody has sent before."""
    for i, t in enumerate(poisson(span(1))):
        if R.random() < .025: chat(t, [U(T(f"doc{i}", logn(50000, .4, 30000, 90000)) + "Summarise.")], logn(400), f"d{i}", 0)
        else: chat(t, [S(T(f"tiny{i%9}", 90)), U(T(f"q{i}", logn(110)))], logn(25), f"t{i}", 0)
def moderate():
    """Each posting goes to six policies of 1,500 to 4,000 tokens at one instant, one token each."""
    size = [R.randint(1500, 4000) for _ in range(6)]
    for i, t in enumerate(poisson(span(6))):
        n = logn(120, 1, 10, 1500)
        for k in range(6): chat(t + R.random()*.004, [S(T(f"pol{k}", size[k])), U(T(f"post{i}", n))], 1, f"p{i}.{k}", 0, False)
def windowed(pause=None):
    """Completions in a window of the file that jumps ahead by 512 tokens, so that its beginning is new; a stroke each second or so."""
    for i, t in enumerate(poisson(span(34))):
        c = R.randint(0, 60)*1.0; f = i // 3
        for j in range(R.randint(14, 54)):
            c += abs(R.gauss(.35, .5)); k = int(c); lo = max(0, (k - 28)//8*8)
            o = logn(18); p = logn(1000, .6)/1000; chat(t, [S(T("fim", 120)), U("".join(T(f"l{f}.{x}", 64) for x in range(lo, k)) + T(f"ty{i}.{k}", 64)[:int(256*(c % 1))] + "<SUF>" + "".join(T(f"l{f}.{x}", 64) for x in range(k + 1, k + 7)))], o, f"w{i}", pause or p, False); t += p
def metronome():
    """The same by clients whose pause is .9 s exactly: in the closed loop they fall into step."""
    windowed(.9)
def franchise():
    """Eight brands' prompts of 6,000 to 14,000 tokens, behind them a store's 2,000 (150 stores), behind it the menu, new at half time; short chats."""
    size = [R.randint(6000, 14000) for _ in range(8)]; z = zipf(150, .8); e = span(2.5)
    for i, t in enumerate(poisson(e)):
        s = z(); talk(t, [S(T(f"brand{s%8}", size[s % 8]) + T(f"store{s}", 2000) + T(f"menu{s%8}.{int(2*t/e)}", 600))], geo(2.5, 6), 30, 60, f"f{i}", 9)
def commuters():
    """People who come back in up to three waves (morning, noon, evening) to their conversation of 3,000 to 15,000 tokens."""
    e = span(5, 200)
    for i in range(int(RATE*e)):
        m = [S(T("assist", 1500)), U(T(f"mem{i}", R.randint(3000, 15000)))]; t = 0
        for w in sorted(R.sample([.14, .5, .86], R.choice([1, 2, 2, 3]))):
            t = max(t, e*R.gauss(w, .06)); m, t = talk(max(0, t), m, geo(2.3, 5), 90, 180, f"p{i}.{w}", 10)
def worktrees():
    """A session of 15,000 to 50,000 tokens is forked into two to four that go on side by side."""
    for i, t in enumerate(poisson(span(35))):
        m = [S(T("coder", 5000)), U(T(f"repo{i%10}", 4000) + T(f"work{i}", logn(16000, .6, 6000, 42000)))]
        m, t = talk(t, m, R.randint(2, 6), 500, 220, f"w{i}", 5)
        for k in range(R.randint(2, 4)): talk(t + 2*k, m + [U(f"Variant {k}.")], R.randint(5, 14), 500, 220, f"w{i}.{k}", 5)
def knnshots():
    """Guided extraction with ten examples of 350 tokens, those nearest to the input first; 14 clusters of inputs."""
    ex = [T(f"ex{k}", 350) for k in range(210)]; z = zipf(14, .8)
    for i, t in enumerate(poisson(span(1))):
        c = z(); pick = sorted(range(15*c, 15*c + 15), key=lambda k: k + R.expovariate(.5)*(R.random() < .5))[:10]
        chat(t, [S(T("schema", 400)), U("".join(ex[k] for k in pick) + T(f"in{i}", logn(150)))], logn(35), f"k{i}", 0, False)
def tuned():
    """Chats behind one of three product prompts, each with one of 20 LoRA adapters as its model, so that equal texts are not shared."""
    z = zipf(20, .9)
    for i, t in enumerate(poisson(span(4))):
        n = len(rows); talk(t, [S(T(f"prod{i%3}", 2000))], geo(4, 9), 90, 170, f"c{i}", 8); k = z()
        for r in rows[n:]: r["body"]["model"] = f"adapter{k}"
def heartbeat():
    """Standing agents with a context of 5,000 to 18,000 tokens each look every 30 s, always in the same order: caches see a cycle."""
    n = max(4, int(RATE*30)); e = span(1, 150)
    for i in range(n):
        t = 30*i/n; base = [S(T("watch", 900)), U(T(f"ctx{i}", R.randint(5000, 18000)))]; m = base
        while t < e:
            o = logn(30, .4); m = m + [U(T(f"ob{i}.{t}", logn(140, .5)))]; chat(t + R.random()*.2, m, o, f"h{i}", 29); m = m + [A(T(f"a{i}.{t}", o))]; t += 30
def crawler():
    """Crawls of 100 sites, 16 pages at a time: instruction, the site's own 1,500 tokens, then 5,500 of the page."""
    z = zipf(100, .7)
    for i, t in enumerate(poisson(span(55))):
        s = z()
        for k in range(R.randint(15, 96)): chat(t + k//16*4 + R.random()*.5, [S(T("extract", 500)), U(T(f"site{s}", 1500) + T(f"page{i}.{k}", logn(5500, .7, 300, 22000)))], logn(170), f"x{i}.{k % 16}", .2, False)
def novelist():
    """Novels: chapters of 1,200 tokens that all stay in the prompt; each is asked for up to three times, and the last is kept."""
    for i, t in enumerate(poisson(span(13))):
        m = [S(T("writer", 800)), U(T(f"plot{i}", logn(2500)))]
        for j in range(R.randint(3, 11)):
            m = m + [U(T(f"b{i}.{j}", logn(60)))]
            for k in range(R.choice([1, 1, 2, 3])): o = logn(1200, .4, 100, 4000); p = logn(18000, .7)/1000; chat(t, m, o, f"n{i}", p); t += p + o*.02
            m = m + [A(T(f"c{i}.{j}.{k}", o))]
def mixedthink():
    """Reasoning of 3,000 tokens (to 8,000) before each answer; half of the clients send it back, half do not."""
    for i, t in enumerate(poisson(span(3))):
        m = [S(T(f"sys{i%4}", 1000))]
        for j in range(geo(3, 6)):
            r = logn(3000, .7, 200, 8000); a = logn(300); p = logn(15000)/1000; m = m + [U(T(f"q{i}.{j}", logn(200, .9)))]; chat(t, m, r + a, f"r{i}", p)
            m = m + [A((T(f"r{i}.{j}", r) if i % 2 else "") + T(f"a{i}.{j}", a))]; t += p + (r + a)*.02
def release():
    """System prompt and tools of 12,000 tokens change for all at once every 75 s, also within conversations; three products."""
    for i, t in enumerate(poisson(span(5))):
        m = []
        for j in range(geo(5, 11)):
            o = logn(200); p = logn(10000, .7)/1000; m = m + [U(T(f"q{i}.{j}", logn(150)))]; chat(t, [S(T(f"prod{i%3}.{int(t/75)}", 12000))] + m, o, f"c{i}", p); m = m + [A(T(f"a{i}.{j}", o))]; t += p + o*.02
def graphrag():
    """A graph is built from books: 1,200 tokens of text behind 3,000 of examples, then once or twice what was missed; eight workers a book; summaries of communities."""
    for i, t in enumerate(poisson(span(60))):
        free = [t]*8
        for c in range(R.randint(10, 45)):
            w = free.index(min(free)); t = free[w]; m = [S(T("entities", 3000)), U(T(f"ch{i}.{c}", 1200))]
            for j in range(R.choice([2, 2, 3])): o = logn(600 if j == 0 else 300, .5); chat(t, m, o, f"g{i}.{w}", .1, False); m = m + [A(T(f"a{i}.{c}.{j}", o)), U(T("missed", 60))]; t += o*.02 + .3
            if R.random() < .12: chat(t, [S(T("community", 1100)), U(T(f"com{i}.{c}", logn(7000, .4)))], 500, f"g{i}.{w}", .1, False); t += 11
            free[w] = t
def apply():
    """An editor's chat over 8,000 to 30,000 tokens; each answer is applied to one to three files at once, whose whole text is the answer."""
    for i, t in enumerate(poisson(span(9))):
        m = [S(T("pair", 2500)), U(T(f"files{i}", logn(12000, .5, 5000, 28000)))]; p = 0
        for j in range(geo(3.2, 8)):
            o = logn(450); m = m + [U(T(f"q{i}.{j}", logn(90)))]; chat(t, m, o, f"e{i}", p); m = m + [A(T(f"a{i}.{j}", o))]; t += o*.02 + .5; end = t
            for k in range(R.randint(1, 3)):
                f = logn(1500, .6, 200, 5000); chat(t, [S(T("apply", 700)), U(T(f"file{i}.{R.randint(0, 3)}.{j//2}", f) + T(f"up{i}.{j}.{k}", logn(250)))], f, f"e{i}.{k}", .3); end = max(end, t + f*.02)
            p = logn(25000, .8)/1000; t = end + p
def openwebui():
    """Open WebUI: after the first answer a title, tags and next questions at one instant, after each later one next questions: a template before the last six messages."""
    for i, t in enumerate(poisson(span(8))):
        m = [S(T(f"pers{i}", 60) if i % 3 else T(f"model{i%7}", 2000))]
        for j in range(geo(3.2, 9)):
            o = logn(320, .8); p = logn(16000, .8)/1000; m = m + [U(T(f"q{i}.{j}", logn(70, .9)))]; chat(t, m, o, f"c{i}", p); m = m + [A(T(f"a{i}.{j}", o))]; t += o*.02
            for k, out in (("follow", 70), ("title", 12), ("tags", 25))[:1 if j else 3]: chat(t + .05, [U(T(k, 330) + "".join(x["content"] for x in m[1:][-6:]))], out, f"c{i}.{k}", .05, False)
            t += p
def approval():
    """Agents of 15,000 to 60,000 tokens: four to ten quick steps, then a wait for a person's consent, a minute or many."""
    for i, t in enumerate(poisson(span(24, 200))):
        m = [S(T("agent", 7000)), U(T(f"task{i}", logn(14000, .6, 4000, 40000)))]
        for b in range(R.randint(2, 5)):
            p = 0 if not b else min(200, logn(45000, 1.3)/1000); t += p
            for j in range(R.randint(4, 10)):
                o = logn(140, .7); chat(t, m, o, f"a{i}", p); m = m + [A(T(f"a{i}.{b}.{j}", o)), U(T(f"r{i}.{b}.{j}", logn(500, 1, 20, 5000)))]; p = logn(1500, .8)/1000; t += p + o*.02
def tau():
    """A benchmark of agents: the customer is played by the same model (persona, roles turned round); three trials of each task at once."""
    for i, t0 in enumerate(poisson(span(70))):
        for k in range(3):
            t = t0; d = []; tools = []
            for j in range(R.randint(4, 11)):
                o = logn(40); chat(t, [S(T("sim", 400) + T(f"pers{i}", 250))] + d, o, f"u{i}.{k}", 3, False); said = T(f"u{i}.{k}.{j}", o); d = d + [A(said)]; tools = tools + [U(said)]; t += o*.02 + .2
                for s in range(R.choice([1, 1, 2, 3])):
                    a = logn(70); chat(t, [S(T(f"policy{i%2}", 6000))] + tools, a, f"g{i}.{k}", .3 if s else 1.2, False); ans = T(f"g{i}.{k}.{j}.{s}", a); tools = tools + [A(ans), U(T(f"t{i}.{k}.{j}.{s}", logn(350, .8)))]; t += a*.02 + .3
                tools = tools[:-1]; d = d + [U(ans)]
if __name__ == "__main__":
    globals()[kind]()
    rows.sort(key=lambda r: r["t"]); total = 0
    for r in rows[:MAX]:
        total += sum(len(x["content"]) for x in r["body"]["messages"])/4
        if total > TOKENS: break
        print(json.dumps(r))
