"""Kinds of load that nobody had seen when the rule of 35eb625 was made: see generate.py."""
from common import *

def surge():
    n = 0
    ts = list(poisson(2, 60)); t0 = 60
    ts += [60 + x for x in poisson(12, 30)]; ts += [90 + x for x in poisson(2, 60)]
    for i, t in enumerate(ts):
        m = [S(text(f"tenant{R.randint(0, 19)}", 1500))]; tt = t
        for j in range(R.randint(1, 5)):
            o = logn(150); m.append(U(text(f"u{i}.{j}", logn(120)))); chat(tt, list(m), o, f"s{i}", 6)
            m.append(A(text(f"a{i}.{j}", o))); tt += 6 + o*.02
def uuid():
    for i, t in enumerate(poisson(4, 150)):
        if R.random() < .6:
            chat(t, [S(text(f"id{i}", 10) + text("doc", 3000)), U(text(f"q{i}", 60))], logn(80))
        else:
            m = [S(text("sys", 1200))]; tt = t
            for j in range(R.randint(2, 6)):
                o = logn(120); m.append(U(text(f"u{i}.{j}", logn(80)))); chat(tt, list(m), o, f"s{i}", 6)
                m.append(A(text(f"a{i}.{j}", o))); tt += 6 + o*.02
def heavy():
    for i, t in enumerate(poisson(4, 200)):
        chat(t, [S(text(f"sys{R.randint(0, 7)}", 600)), U(text(f"q{i}", logn(900, 1.)))], min(6000, logn(500, 1.4)), f"s{i}")
def readers():
    for d in range(9):
        for u in range(40):
            m = [S(text("lib", 300)), U(text(f"doc{d}", 30000) + text(f"q{d}.{u}.0", 40))]; tt = d*20 + R.random()*15
            for j in range(R.randint(1, 3)):
                o = logn(150); chat(tt, list(m), o, f"d{d}.{u}", 8)
                m += [A(text(f"a{d}.{u}.{j}", o)), U(text(f"q{d}.{u}.{j+1}", 40))]; tt += 8 + o*.02
def ci():
    for p in range(60):
        base = text("guide", 2500) + text(f"pr{p}", logn(8000)); t = p*2.5
        for k in range(5):
            m = [S(text(f"rev{k}", 200)), U(base)]; tt = t + R.random()
            for j in range(4):
                o = logn(300); chat(tt, list(m), o, f"p{p}.{k}", 0.5)
                m += [A(text(f"a{p}.{k}.{j}", o)), U(text(f"f{p}.{k}.{j}", 150))]; tt += .5 + o*.02
def assistants():
    z = zipf(200, 1.2)
    for i, t in enumerate(poisson(40, 60)):
        chat(t, [S(text(f"as{z()}", 6000)), U(text(f"q{i}", logn(50)))], logn(40))
def longchat():
    for u in range(24):
        m = [S(text("sys", 500)), U(text(f"start{u}", 9000))]; tt = R.random()*40
        for j in range(30):
            o = logn(600, .4); chat(tt, list(m), o, f"u{u}", R.choice([5, 10, 30]))
            m += [A(text(f"a{u}.{j}", o)), U(text(f"m{u}.{j}", logn(2500, 1.)))]; tt += 12 + o*.02
def twoclasses():
    for i, t in enumerate(poisson(20, 90)):
        if R.random() < .9: chat(t, [U(text(f"s{i}", logn(100)))], logn(12))
        else: chat(t, [U(text(f"l{i}", logn(20000, .4)))], logn(150))
def thoughts():
    for i, t in enumerate(poisson(.25, 160)):
        root = text(f"root{i}", 6000); notes = ""; tt = t
        for st in range(4):
            outs = []
            for k in range(10):
                o = logn(250, .4); outs.append((k, o)); chat(tt + R.random()*.05, [S(text("got", 400)), U(root + notes + text(f"k{k}", 40))], o, f"g{i}.{st}.{k}")
            notes += "".join(text(f"n{i}.{st}.{k}", o) for k, o in outs); tt += 8
def npcs():
    hist = {n: [] for n in range(300)}; z = zipf(300, .7)
    for i, t in enumerate(poisson(14, 120)):
        n = z(); h = hist[n]; o = logn(60)
        chat(t, [S(text(f"persona{n}", 2000))] + h[-20:] + [U(text(f"m{i}", 40))], o, f"n{n}")
        h += [U(text(f"m{i}", 40)), A(text(f"r{i}", o))]
def retrybots():
    for i, t in enumerate(poisson(1.2, 200)):
        m = [S(text(f"tool{i%3}", 5000)), U(text(f"task{i}", logn(3000)))]; tt = t
        for j in range(R.randint(3, 10)):
            o = logn(120); chat(tt, list(m), o, f"b{i}", 1)
            if R.random() < .25: m = m[:2] + [U(text(f"again{i}.{j}", 200))]        # starts over
            else: m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", logn(900, 1.)))]
            tt += 1 + o*.02
