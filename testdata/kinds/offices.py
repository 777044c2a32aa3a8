"""People and tenants: services with many prompts, retrieval, long documents, role play, help desks, prompts under test."""
from common import *

def ramp(rate, end, shape):
    top = max(shape)
    for t in poisson(rate, end):
        x = t/end*(len(shape)-1); a = int(x)
        if R.random()*top < shape[a] + (shape[min(a+1, len(shape)-1)]-shape[a])*(x-a): yield t
def turns(t, i, m, n, ask, out, pause, **kw):
    for j in range(n):
        o = logn(out); m.append(U(text(f"u{i}.{j}", logn(ask, .9)))); chat(t, list(m), o, f"s{i}", kw.get("think", 12))
        if kw.get("again", 0) > R.random(): chat(t + R.uniform(2, 9), list(m), logn(out), f"s{i}", 2)
        m.append(A(text(f"a{i}.{j}", o))); t += o*.015 + R.uniform(*pause)
def saas1k():                                    # a thousand customers, a day in ten minutes
    z = zipf(1000, .95); size = [R.randint(900, 5200) for _ in range(1000)]
    for i, t in enumerate(ramp(22, 600, [.3, .5, 1, .8, 1, .4])):
        k = z(); turns(t, i, [S(text(f"ten{k}", size[k]))], R.choices([1, 2, 4, 6], [4, 3, 2, 1])[0], 110, 170, (8, 45))
def reranked():                                  # passages in the order of a reranker stand before the history, and change with the question
    z = zipf(500, .8); zf = zipf(200, 1.1); doc = [text(f"d{k}", R.randint(280, 650)) for k in range(500)]; sysm = text("sys", 900)
    faq = [[z() for _ in range(6)] for _ in range(200)]
    for i, t in enumerate(poisson(7, 420)):
        h = []; tt = t
        for j in range(R.choices([1, 2, 3, 4], [5, 3, 2, 1])[0]):
            if R.random() < .45: k = zf(); ds, q = faq[k], text(f"faq{k}", 40)
            else: ds, q = sorted((z() for _ in range(6)), key=lambda d: R.random()*3 + d/250), text(f"q{i}.{j}", logn(60))
            o = logn(210); chat(tt, [S(sysm + "".join(doc[d] for d in ds))] + h + [U(q)], o, f"s{i}", 15)
            h = h + [U(q), A(text(f"a{i}.{j}", o))]; tt += o*.015 + R.uniform(8, 40)
def longdocs():                                # contracts of 15 to 70k; one to four readers each, minutes apart
    for i, t in enumerate(poisson(.2, 660)):
        d = text(f"doc{i}", min(70000, logn(26000, .6, 6000)))
        for r in range(R.choices([1, 2, 4], [5, 3, 1])[0]):
            turns(t + r*R.uniform(0, 90), f"{i}.{r}", [S("Answer from the contract."), U(d), A("Read.")], R.randint(1, 9), 60, 260, (10, 70), think=30)
def roleplay():                                # persona and lore in front, a window that drops the oldest turn, swipes
    for u in range(300):
        p = text(f"card{u % 90}", R.randint(600, 1900)); lore = [text(f"lore{u % 90}.{k}", 180) for k in range(8)]; h = [text(f"h{u}.{k}", logn(170)) for k in range(R.randint(0, 40))]
        t = R.uniform(0, 420); end = t + R.uniform(60, 400); on = R.sample(range(8), 2); n = 0
        while t < min(end, 600):
            if R.random() < .2: on = R.sample(range(8), R.randint(0, 3))
            h.append(text(f"u{u}.{n}", logn(45)))
            while sum(len(x) for x in h) > 6000*4: h.pop(0)
            m = [S(p + "".join(lore[k] for k in sorted(on)))] + [(U if k % 2 == 0 else A)(x) for k, x in enumerate(h)]
            o = logn(230); chat(t, m, o, f"u{u}", 10); t += o*.02 + 1
            while R.random() < .3: o = logn(230); chat(t + 2, m, o, f"u{u}", 2); t += 3 + o*.02
            h.append(text(f"b{u}.{n}", o)); n += 1; t += R.expovariate(1/14.)
def deskrush():                                # departments with their tools; a minute's rush now and then; some ask again
    dep = [text(f"dep{k}", R.randint(1500, 4200)) for k in range(12)]; z = zipf(12, .7)
    for i, t in enumerate(ramp(20, 420, [1, 1, 1, 3, 1, 1, 1, 1, 3, 1, 1, 1])):
        turns(t, i, [S(dep[z()])], R.choices([1, 2, 3, 5, 7], [3, 3, 2, 2, 1])[0], 90, 150, (10, 60), again=.05)
def stamped():                                 # two variants of each prompt under test; a third of the callers put the time in front; tiny ones, too
    var = [text(f"v{k}", 2400) for k in range(16)]; z = zipf(8)
    for i, t in enumerate(poisson(9, 420)):
        x = R.random(); v = var[2*z() + R.randint(0, 1)]
        if x < .25: chat(t, [U(text(f"tiny{i}", logn(40)))], logn(60), f"s{i}"); continue
        m = [S(f"Now: 2026-03-01 09:{int(t)//60:02d}:{int(t)%60:02d}. " + v if x < .5 else v)]
        turns(t, i, m, R.randint(1, 4), 130, 160, (6, 30))
def longshort():                                 # short prompts, answers up to 10k, beside a chat of short ones
    for i, t in enumerate(poisson(5, 600)):
        if R.random() < .12: turns(t, i, [S(text("write", 1800))], R.randint(1, 3), 500, 4200, (20, 60))
        else: turns(t, i, [S(text(f"chat{i % 7}", 1200))], R.randint(1, 4), 80, 140, (6, 30))
