"""Kinds of load that people make, by a fourth hand, blind to the rule: see generate.py. calls and edits are bargein and editree at the speed of people, linear is edits without an edit."""
from common import *
def editree():                                 # consumer chat as a tree: users edit an earlier question, regenerate an answer, or go back to another branch
    for i, t in enumerate(poisson(1.3, 260)):
        sysm = S(text("product", 1100) + text(f"mem{R.randint(0, 399)}", 250)); nodes = [([sysm], 0)]; cur = [sysm]; tt = t
        for j in range(1 + min(24, int(R.expovariate(1/7.)))):
            x = R.random()
            if j and x < .16: pass                                                       # regenerate: the same prompt again
            elif j > 1 and x < .30: cur = R.choice(nodes)[0] + [U(text(f"edit{i}.{j}", logn(90, .9)))]      # edit an earlier one
            else: cur = (ans if j else [sysm]) + [U(text(f"u{i}.{j}", logn(110, 1.)))]
            o = logn(420, .7); chat(tt, list(cur), o, f"s{i}", logn(12, .7)); nodes.append((cur[:-1], j)); ans = cur + [A(text(f"a{i}.{j}", o))]
            tt += logn(14, .7) + o*.015
def clockhead():                               # "The current time is 14:05." is the first line of the system prompt, rounded to the minute: all caches are void at once
    for i, t in enumerate(poisson(.8, 300)):
        app = i % 3; h = [U(text(f"q{i}", logn(500, .8)))]; tt = t
        for j in range(1 + min(12, int(R.expovariate(1/5.)))):
            o = logn(160, .6); chat(tt, [S(f"The current time is 2026-05-04 14:{int(tt//60):02d}. " + text(f"app{app}", 1600))] + h, o, f"s{i}", 8)
            h = h + [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(260, .9)))]; tt += 4 + logn(9, .7) + o*.02
def lunchstep():                               # an office assistant; at 150 s all of a second site logs in: 2.2 times the load within a second, replicas join a minute later
    z = zipf(60, .7)
    for i, t in enumerate(sorted(list(poisson(1.7, 420)) + [150 + x for x in poisson(2.1, 270)])):
        m = [S(text(f"team{z()}", 2400)), U(text(f"q{i}", logn(300, 1.)))]; tt = t
        for j in range(1 + min(10, int(R.expovariate(1/3.)))):
            o = logn(190, .7); chat(tt, list(m), o, f"s{i}", 12); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(110, .9)))]; tt += 5 + logn(15, .8) + o*.02
def bargein():                                 # voice: every partial transcript is sent ahead and cancelled by the next; callers interrupt a third of the answers
    for i, t in enumerate(poisson(1.1, 170)):
        m = [S(text(f"line{i % 18}", 1500) + text(f"crm{i}", 350))]; tt = t
        for j in range(R.randint(5, 20)):
            w = R.randint(2, 7); full = text(f"u{i}.{j}", 4*w)
            for p in range(1, w): chat(tt, m + [U(full[:16*p])], R.randint(1, 4), f"s{i}", .35); tt += .35
            o = logn(45); cut = R.random() < .33; o = max(2, int(o*R.random())) if cut else o
            chat(tt, m + [U(full)], o, f"s{i}", .35); m = m + [U(full), A(text(f"a{i}.{j}", o))]; tt += 1.2 + o*.06
def sumchat():                                 # half upload a document of 20,000 to 90,000 tokens, have it summarised and ask on; half just chat
    for i, t in enumerate(poisson(.75, 300)):
        big = R.random() < .22; tt = t
        m = [S(text("assistant", 900))] + ([U(text(f"doc{i}", R.randint(12000, 60000)))] if big else [U(text(f"q{i}", logn(150, .9)))])
        for j in range(R.randint(3, 12) if big else 1 + min(9, int(R.expovariate(1/3.)))):
            o = logn(900, .3) if big and not j else logn(240, .6); chat(tt, list(m), o, f"s{i}", 20); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(70, .8)))]; tt += 6 + logn(18, .7) + o*.012
def hedged():                                  # a client that sends a second copy when no token has come within .4 s (a third of the time), and cancels the loser
    for i, t in enumerate(poisson(1.9, 220)):
        m = [S(text(f"svc{R.choices(range(12), range(12, 0, -1))[0]}", 2000)), U(text(f"q{i}", logn(900, .9)))]; tt = t
        for j in range(1 + min(8, int(R.expovariate(1/3.)))):
            o = logn(170, .6); dup = R.random() < .34; chat(tt, list(m), o, f"s{i}", 5)
            if dup: chat(tt + .4, list(m), R.randint(1, 10), f"s{i}.h{j}")
            m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(200, .9)))]; tt += 4 + logn(6, .6) + o*.02
def drift():                                   # 500 tenants with prompts of 1,500 to 6,000 tokens; who is popular drifts by all of the ranking within eight minutes, with a flash now and then
    size = [R.randint(1500, 6000) for _ in range(500)]; w = [1/(r+1)**.9 for r in range(500)]; flash = [(R.random()*480, R.randint(0, 499)) for _ in range(14)]
    for i, t in enumerate(poisson(5.5, 480)):
        k = (R.choices(range(500), w)[0] + int(t/480*500)) % 500
        for a, b in flash:
            if a < t < a + 14 and R.random() < .3: k = b
        m = [S(text(f"tn{k}", size[k])), U(text(f"q{i}", logn(120, .9)))]; tt = t
        for j in range(R.choices([1, 2, 4], [6, 3, 1])[0]):
            o = logn(110, .7); chat(tt, list(m), o, f"s{i}", 8); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(90, .9)))]; tt += 9 + o*.02
def canvas():                                  # a document of 9,000 tokens stands before the talk and is edited at any place each turn; two in three times near its end
    for i, t in enumerate(poisson(.42, 330)):
        n = R.randint(20, 60); par = [(f"p{i}.{k}", logn(180, .4)) for k in range(n)]; talk = []; tt = t
        for j in range(R.randint(3, 14)):
            talk.append(U(text(f"u{i}.{j}", logn(50)))); o = logn(220, .5)
            chat(tt, [S(text("canvas", 1300) + "".join(text(a, b) for a, b in par))] + talk, o, f"c{i}", 15)
            k = R.randint(0, n-1) if R.random() < .33 else R.randint(n*3//4, n-1); par[k] = (f"p{i}.{k}.{j}", o); talk.append(A(text(f"ok{i}.{j}", 40))); tt += 6 + logn(14, .6) + o*.02
def prewarm():                                 # the client sends the prompt ahead for one token when the user begins to type, the question three to nine seconds later; a third never asks
    z = zipf(150, .6)
    for i, t in enumerate(poisson(1.6, 240)):
        m = [S(text(f"bot{z()}", 3500) + text(f"user{i}", 900))]; tt = t
        for j in range(1 + min(6, int(R.expovariate(1/2.)))):
            chat(tt, m + [U(" ")], 1, f"s{i}", 6, stream=False)
            if R.random() < .33: tt += 12; continue
            tt += 3 + R.random()*6; o = logn(140, .6); u = U(text(f"u{i}.{j}", logn(50, .8))); chat(tt, m + [u], o, f"s{i}", 5); m = m + [u, A(text(f"a{i}.{j}", o))]; tt += 5 + logn(8, .7) + o*.02
def ragtail():                                 # RAG chat as LangChain does it: passages stand before the last question only, and leave the history with it
    z = zipf(900, .8)
    for i, t in enumerate(poisson(1.5, 240)):
        h = [S(text(f"kb{i % 7}", 800))]; tt = t
        for j in range(1 + min(11, int(R.expovariate(1/4.)))):
            q = text(f"q{i}.{j}", logn(45)); o = logn(190, .6); chat(tt, h + [U("".join(text(f"p{z()}", 420) for _ in range(6)) + q)], o, f"s{i}", 10); h = h + [U(q), A(text(f"a{i}.{j}", o))]; tt += 5 + logn(11, .7) + o*.02
def livestream():                              # live meetings and matches: a transcript that grows by 120 tokens each 8 s in front, and viewers who ask about it; Zipf over 14 of them
    z = zipf(14, .8); start = [R.randint(1500, 16000) for _ in range(14)]
    for i, t in enumerate(poisson(7, 260)):
        e = z(); k = int(t//8); tr = text(f"st{e}", start[e]) + "".join(text(f"seg{e}.{x}", 120) for x in range(k)); chat(t, [S(text("live", 500)), U(tr), U(text(f"q{i}", logn(35)))], logn(120, .6), f"v{i}")
def mhachat():                                 # a model with as many KV heads as heads: memory for a dozen chats; group chats of friends, prompts of 1,000 to 3,000 tokens
    for i, t in enumerate(poisson(1.0, 300)):
        m = [S(text(f"char{i % 25}", 700)), U(text(f"q{i}", logn(200, .8)))]; tt = t
        for j in range(2 + min(20, int(R.expovariate(1/6.)))):
            o = logn(130, .6); chat(tt, list(m), o, f"s{i}", 9); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(50, .9)))]; tt += 4 + logn(9, .8) + o*.025
def abflap():                                  # an experiment by request and not by user: each turn comes with prompt A or B, so that each conversation exists twice
    for i, t in enumerate(poisson(1.3, 240)):
        h = [U(text(f"q{i}", logn(700, .9)))]; tt = t
        for j in range(2 + min(14, int(R.expovariate(1/6.)))):
            o = logn(180, .7); chat(tt, [S(text(R.choice(["A", "A", "B"]), 1900))] + h, o, f"s{i}", 8); h = h + [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(250, .9)))]; tt += 4 + logn(9, .7) + o*.02
def noisy():                                   # tenants who chat, and one that sends bursts of thirty prompts of 14,000 tokens that nobody repeats
    b = sorted(R.random()*280 for _ in range(13)); z = zipf(80, .6)
    for a in b:
        for k in range(30): chat(a + R.random()*2, [S(text("bulk", 300)), U(text(f"bulk{a}.{k}", logn(14000, .4)))], logn(90, .5), f"n{a}.{k}", stream=False)
    for i, t in enumerate(poisson(2., 300)):
        m = [S(text(f"tn{z()}", 2200)), U(text(f"q{i}", logn(250, .9)))]; tt = t
        for j in range(1 + min(9, int(R.expovariate(1/3.5)))):
            o = logn(160, .7); chat(tt, list(m), o, f"s{i}", 10); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(120, .9)))]; tt += 5 + logn(9, .8) + o*.02
def memory():                                  # assistants with a memory: product prompt, then the user's memory, which a background call rewrites after each chat
    v = [0]*220
    for i, t in enumerate(poisson(1.5, 300)):
        u = R.randint(0, 219); m = [S(text("prod", 2600) + text(f"mem{u}.{v[u]}", 700))]; tt = t
        for j in range(1 + min(9, int(R.expovariate(1/3.)))):
            o = logn(210, .6); m.append(U(text(f"u{i}.{j}", logn(100, .9)))); chat(tt, list(m), o, f"s{i}", 10); m.append(A(text(f"a{i}.{j}", o))); tt += 5 + logn(10, .8) + o*.02
        chat(tt, [S(text("extract", 900)), U(text(f"mem{u}.{v[u]}", 700) + "".join(x["content"] for x in m[1:]))], logn(300, .4), f"x{i}", stream=False); v[u] += 1
def calls():                                   # bargein with people's times: six times as many callers, for a shorter time
    for i, t in enumerate(poisson(5.2, 45)):
        m = [S(text(f"line{i % 18}", 1500) + text(f"crm{i}", 350))]; tt = t
        for j in range(R.randint(5, 20)):
            w = R.randint(2, 7); full = text(f"u{i}.{j}", 4*w)
            for p in range(1, w): chat(tt, m + [U(full[:16*p])], R.randint(1, 4), f"s{i}", .35); tt += .35
            o = logn(45); cut = R.random() < .33; o = max(2, int(o*R.random())) if cut else o
            chat(tt, m + [U(full)], o, f"s{i}", .35); m = m + [U(full), A(text(f"a{i}.{j}", o))]; tt += 1.2 + o*.06
def edits():                                   # editree with people's times
    for i, t in enumerate(poisson(7.5, 70)):
        sysm = S(text("product", 1100) + text(f"mem{R.randint(0, 399)}", 250)); nodes = [([sysm], 0)]; cur = [sysm]; tt = t
        for j in range(1 + min(24, int(R.expovariate(1/7.)))):
            x = R.random()
            if j and x < .16: pass
            elif j > 1 and x < .30: cur = R.choice(nodes)[0] + [U(text(f"edit{i}.{j}", logn(90, .9)))]
            else: cur = (ans if j else [sysm]) + [U(text(f"u{i}.{j}", logn(110, 1.)))]
            o = logn(420, .7); chat(tt, list(cur), o, f"s{i}", logn(12, .7)); nodes.append((cur[:-1], j)); ans = cur + [A(text(f"a{i}.{j}", o))]
            tt += logn(14, .7) + o*.015
def linear():                                   # control: edits without any edit or regeneration
    for i, t in enumerate(poisson(7.5, 70)):
        sysm = S(text("product", 1100) + text(f"mem{R.randint(0, 399)}", 250)); nodes = [([sysm], 0)]; cur = [sysm]; tt = t
        for j in range(1 + min(24, int(R.expovariate(1/7.)))):
            x = R.random()*0+1
            if j and x < .16: pass
            elif j > 1 and x < .30: cur = R.choice(nodes)[0] + [U(text(f"edit{i}.{j}", logn(90, .9)))]
            else: cur = (ans if j else [sysm]) + [U(text(f"u{i}.{j}", logn(110, 1.)))]
            o = logn(420, .7); chat(tt, list(cur), o, f"s{i}", logn(12, .7)); nodes.append((cur[:-1], j)); ans = cur + [A(text(f"a{i}.{j}", o))]
            tt += logn(14, .7) + o*.015
