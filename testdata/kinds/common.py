"""What the kinds of load in generate.py and further.py are made of."""
import sys, json, random, hashlib, heapq
kind, seed = sys.argv[1], int(sys.argv[2])
R = random.Random(f"{kind}/{seed}")
def text(name, tokens):
    return hashlib.shake_128(f"{seed}/{name}".encode()).hexdigest(2*int(tokens))
rows = []
def chat(t, msgs, out, session=None, think=None, tools=None, model="m", stream=True):
    b = {"model": model, "messages": msgs}
    if tools: b["tools"] = tools
    if stream: b["stream"] = True; b["stream_options"] = {"include_usage": True}
    r = {"t": t, "body": b, "output_tokens": max(1, int(out))}
    if session: r["session"] = session
    if think is not None: r["think"] = think
    rows.append(r)
S = lambda x: {"role": "system", "content": x}
U = lambda x: {"role": "user", "content": x}
A = lambda x: {"role": "assistant", "content": x}
def poisson(rate, end):
    t = 0
    while True:
        t += R.expovariate(rate)
        if t > end: return
        yield t
def zipf(n, a=1.0):
    w = [1/(i+1)**a for i in range(n)]
    return lambda: R.choices(range(n), w)[0]
def logn(mean, s=.6, lo=1):
    return max(lo, int(R.lognormvariate(0, s)*mean/2.718281828**(s*s/2)))
