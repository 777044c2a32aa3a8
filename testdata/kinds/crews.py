"""Agents: of code, with tools that are cleared, with helpers, that search, that think, that browse."""
from common import *

def codeagents():                              # closed: compaction at 48k; three versions of the product, projects of teams
    ver = [text(f"ver{k}", 11000) for k in range(3)]; z = zipf(14, .9); proj = [text(f"proj{k}", R.randint(1500, 9000)) for k in range(14)]
    for d in range(110):
        s = ver[R.choices(range(3), [5, 3, 1])[0]]; p = proj[z()]; h = []; size = 0; think = 0
        for j in range(R.randint(12, 40)):
            if size > 30000:                   # all is replaced by a summary
                h = [U(text(f"sum{d}.{j}", 1800))]; size = 1800
            if not h: h = [U(text(f"ask{d}.{j}", logn(300)))]; size = 300
            o = logn(180, .8); chat(d*1.5, [S(s), U(p)] + h, o, f"d{d}", think)
            r = logn(1400, 1.1); h += [A(text(f"a{d}.{j}", o)), U(text(f"r{d}.{j}", r))]; size += o + r
            think = R.choice([.3, .5, 1, 2, 4, 8]) if R.random() < .88 else R.uniform(25, 120)
def toolclear():                               # beyond 24k the results but the last three become a line, from the front on
    sysm = [text(f"sys{k}", 5000) for k in range(4)]
    for i, t in enumerate(poisson(.42, 420)):
        s = sysm[i % 4]; h = [U(text(f"q{i}", logn(500)))]; res = []; tt = t; think = 0
        for j in range(R.randint(6, 30)):
            if sum(res) > 19000:
                for k in range(len(res) - 3):
                    if res[k] > 20: h[2*k+2] = U("[result cleared]" + str(k)); res[k] = 8
            o = logn(120); chat(tt, [S(s)] + list(h), o, f"s{i}", think)
            r = logn(1900, .9); res.append(r); h += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", r))]
            think = R.choice([1, 2, 3, 6, 15]); tt += think + o*.012 + .3
def swarm():                                   # a lead, which waits for helpers of five roles that share a brief behind their role
    role = [text(f"role{k}", 3200) for k in range(5)]; lead = text("lead", 7000)
    for i, t in enumerate(poisson(.16, 500)):
        m = [S(lead), U(text(f"task{i}", logn(2500)))]; tt = t
        for rnd in range(R.randint(1, 4)):
            o = logn(500); chat(tt, list(m), o, f"l{i}", 5); brief = text(f"brief{i}.{rnd}", logn(5000, .5)); tt += 2 + o*.012; last = tt
            for k in range(R.randint(3, 9)):
                n = [S(role[R.randint(0, 4)]), U(brief + text(f"part{i}.{rnd}.{k}", 150))]; x = tt + R.random()*.3
                for j in range(R.randint(2, 9)):
                    p = logn(160); chat(x, list(n), p, f"h{i}.{rnd}.{k}", 2)
                    n += [A(text(f"ha{i}.{rnd}.{k}.{j}", p)), U(text(f"hr{i}.{rnd}.{k}.{j}", logn(1100, .9)))]
                    x += 1 + p*.012 + R.expovariate(.5)
                last = max(last, x)
            m += [A(text(f"la{i}.{rnd}", o)), U(text(f"found{i}.{rnd}", logn(3000)))]; tt = last + 2
def beam():                                    # a proof search: 4 of 12 steps survive, as a verifier says, whose prompt has the path last
    gen = text("gen", 1400); ver = text("ver", 2600)
    for i, t in enumerate(poisson(.17, 460)):
        q = text(f"q{i}", logn(900)); paths = [""]; tt = t
        for depth in range(R.randint(4, 12)):
            new = []
            for k, p in enumerate(paths):
                for b in range(12 // len(paths)):
                    o = logn(130, .5); x = tt + R.random()*.05; step = text(f"{i}.{depth}.{k}.{b}", o)
                    chat(x, [S(gen), U(q), A(p)] if p else [S(gen), U(q)], o, f"g{i}.{depth}.{k}.{b}")
                    chat(x + .4 + o*.012, [S(ver), U(q + p + step)], 4, f"v{i}.{depth}.{k}.{b}"); new.append((p + step, x + .7 + o*.012))
            tt = max(n[1] for n in new) + .2; R.shuffle(new); paths = [n[0] for n in new[:4]]
def thinkdrop():                               # thoughts of thousands of tokens, which the next prompt lacks
    sysm = [text(f"sys{k}", 700) for k in range(6)]; z = zipf(6)
    for i, t in enumerate(poisson(1.5, 540)):
        m = [S(sysm[z()]), U(text(f"q{i}", logn(900, 1.)))]; tt = t
        for j in range(R.choices([1, 2, 3, 5, 8], [4, 3, 2, 2, 1])[0]):
            o = logn(350); th = min(12000, logn(2200, .9)); chat(tt, list(m), o + th, f"s{i}", 20)
            m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(250, 1.)))]; tt += (o + th)*.012 + R.uniform(6, 40)
def browser():                                 # closed: what was done grows, the page of 9k behind it is always the latest alone
    sysm = [text(f"sys{k}", 2600) for k in range(3)]
    for i in range(260):
        m = [S(sysm[R.choices(range(3), [6, 3, 1])[0]]), U(text(f"goal{i}", 120))]; t = R.uniform(0, 240)
        for j in range(R.randint(8, 34)):
            o = logn(90); chat(t, m + [U(text(f"page{i}.{j}", logn(7000, .5)))], o, f"s{i}", R.uniform(1, 5) if j else 0)
            m = m + [A(text(f"act{i}.{j}", o))]
