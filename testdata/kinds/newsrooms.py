"""Kinds of load that people make in pools of late 2026, by a sixth hand, blind to the rule: see generate.py. Behind each: the fleet and the flags of replay."""
import math
from common import *
def abprompt():                                # two versions of one prompt, nine users in ten have the old one: --replicas 32 --gateways 2 (h100-8b)
    for i, t in enumerate(poisson(170, 15)):
        m = [S(text("old" if R.random() < .9 else "new", 6000)), U(text(f"q{i}", logn(80, .7)))]; tt = t
        for j in range(R.choices([1, 2, 3], [5, 3, 2])[0]): o = logn(160, .6); chat(tt, list(m), o, f"s{i}", 6); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(40)))]; tt += 2 + logn(5, .7) + o*.012
def breaking():                                # readers ask about articles, 200 of them; from second 60 on most ask about one new of 12,000 tokens: --replicas 5 --profile h100-llama8b --gateways 2 --sync 100ms
    z = zipf(200, .9); size = [logn(3500, .6) for _ in range(200)]; i = 0; t = 0
    while t < 150:
        crowd = 60 < t < 105; t += R.expovariate(30. if crowd else 8.); i += 1
        if crowd and R.random() < .75: d = S(text("desk", 500) + text("scoop", 12000))
        else: k = z(); d = S(text("desk", 500) + text(f"art{k}", size[k]))
        m = [d, U(text(f"q{i}", logn(35)))]; tt = t
        for j in range(R.choices([1, 2, 4], [6, 3, 1])[0]): o = logn(160, .5); chat(tt, list(m), o, f"s{i}", 12); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(30)))]; tt += 6 + logn(8, .7) + o*.012
def dayramp():                                 # a day in seven minutes, from a fifth of the pool's strength to more than all of it; people come back with their memory of 2,400 tokens: --replicas 5 --profile l40s-llama8b
    t = 0; i = 0; z = zipf(220, .7)
    while t < 420:
        rate = 0.6 + 5.4*math.sin(math.pi*t/420)**2; t += R.expovariate(rate); i += 1
        m = [S(text("assist", 1300) + text(f"mem{z()}", 2400)), U(text(f"q{i}", logn(140, .9)))]; tt = t
        for j in range(1 + min(7, int(R.expovariate(1/2.)))): o = logn(230, .6); chat(tt, list(m), o, f"s{i}", 12); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(60, .8)))]; tt += 5 + logn(12, .7) + o*.025
def impatient():                               # lawyers with contracts; the client sends again after 6 s, one in four, and the first answer runs on: --replicas 4 --profile h100x2-70b
    for i, t in enumerate(poisson(1.6, 180)):
        m = [S(text("legal", 1500)), U(text(f"contract{i}", min(40000, logn(12000, .6))) + text(f"q{i}", 60))]; tt = t
        for j in range(R.randint(1, 6)):
            o = logn(280, .6); chat(tt, list(m), o, f"s{i}", 15)
            for _ in range(R.choices([0, 1, 2], [75, 18, 7])[0]): tt += 6 + R.random()*.2; chat(tt, list(m), o, f"s{i}", 0)
            m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(60, .7)))]; tt += 8 + logn(14, .8) + o*.025
def oldandnew():                               # three new cards and three of a third of their speed; agents at tickets: --replicas 6 --profile h100-llama8b --second-profile l40s-llama8b --closed --clients 110
    for i in range(210):
        t = i*.35; m = [S(text(f"agent{i % 5}", 4200)), U(text(f"ticket{i}", logn(900, .8)))]
        for j in range(R.randint(4, 16)): o = logn(120, .6); chat(t, list(m), o, f"s{i}", 1.5); m += [A(text(f"a{i}.{j}", o)), U(text(f"r{i}.{j}", min(7000, logn(650, 1.))))]; t += 1.5 + o*.015
def projects():                                # 500 repositories with a map of 3,500 tokens, and two files of a question: --replicas 36 --gateways 4 (h100-8b)
    z = zipf(500, .75)
    for i, t in enumerate(poisson(55, 24)):
        m = [S(text("code", 900) + text(f"map{z()}", 3500)), U(text(f"files{i}", min(14000, logn(2400, .8))))]; tt = t
        for j in range(R.choices([1, 2, 3, 5], [3, 3, 2, 1])[0]): o = logn(320, .7); chat(tt, list(m), o, f"s{i}", 5); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(200, 1.)))]; tt += 2 + logn(4, .7) + o*.012
def tightkv():                                 # analysts with a report each of 9,000 tokens, whose pauses outlast what the caches can hold: --replicas 6 --profile h100x2-70b --kv-tokens 70000
    for i, t in enumerate(poisson(1.9, 200)):
        m = [S(text(f"an{i % 4}", 1400)), U(text(f"report{i}", min(25000, logn(8500, .5))))]; tt = t
        for j in range(R.randint(1, 7)): o = logn(220, .6); chat(tt, list(m), o, f"s{i}", 30); m += [A(text(f"a{i}.{j}", o)), U(text(f"u{i}.{j}", logn(70, .7)))]; tt += 8 + logn(25, .9) + o*.025
def shuffled():                                 # a harness that shuffles 57 subjects of five examples each; one answer in four is reasoned: --replicas 8 --closed --clients 256 (h100-8b)
    size = [logn(1300, .4) for _ in range(57)]
    for q in range(5200): s = R.randrange(57); chat(q*.0005, [U(text(f"subj{s}", size[s]) + text(f"x{q}", logn(110, .6)))], logn(260, .5) if R.random() < .25 else 2, f"q{q}", 0, stream=False)
def smallteam():                               # thirty developers, two cards: chats with files, an agent now and then, and completions while they type: --replicas 2 --profile rtx4090-8b
    for d in range(30):
        t = R.random()*15; repo = text(f"repo{d % 4}", 1500); n = 0
        while t < 200:
            n += 1; x = R.random()
            if x < .55:
                pre = text(f"file{d}.{n}", R.randint(600, 2500))
                for k in range(R.randint(3, 14)): rows.append({"t": t, "session": f"c{d}", "think": .4, "path": "/v1/completions", "body": {"model": "m", "stream": True, "prompt": "<|fim_prefix|>" + repo + pre + "<|fim_suffix|>" + text(f"suf{d}.{n}", 250) + "<|fim_middle|>"}, "output_tokens": logn(20, .7)}); pre += text(f"k{d}.{n}.{k}", R.randint(1, 9)); t += .4 + R.expovariate(1.2)
            else:
                m = [S(text("agent" if x > .85 else "chat", 5000 if x > .85 else 600)), U(text(f"ask{d}.{n}", min(9000, logn(1800, .9))))]
                for j in range(R.randint(4, 12) if x > .85 else R.randint(1, 4)): o = logn(110 if x > .85 else 300, .6); chat(t, list(m), o, f"s{d}.{n}", 3); m += [A(text(f"a{d}.{n}.{j}", o)), U(text(f"r{d}.{n}.{j}", logn(500 if x > .85 else 90, .9)))]; t += (1.5 if x > .85 else 9) + o*.022
            t += R.expovariate(1/5.)
def deepdesk():                                # deep research: five to twelve searches side by side, each reads pages; then one writes 3,000 tokens over all notes: --replicas 10 --profile h200x2-llama70b --gateways 4 --sync 200ms
    for i, t in enumerate(poisson(1., 120)):
        q = text(f"q{i}", logn(200)); chat(t, [S(text("plan", 2200)), U(q)], 500, f"p{i}", 0); t1 = t + 9; notes = ""; end = t1
        for k in range(R.randint(5, 12)):
            m = [S(text("search", 2800)), U(q + text(f"plan{i}", 500) + text(f"line{i}.{k}", 60))]; tt = t1 + R.random()*.2
            for j in range(R.randint(1, 4)): o = logn(180, .5); chat(tt, list(m), o, f"r{i}.{k}", 2); m += [A(text(f"a{i}.{k}.{j}", o)), U(text(f"page{R.randint(0, 3000)}", min(9000, logn(3200, .7))))]; tt += 2 + o*.022
            notes += text(f"n{i}.{k}", 350); end = max(end, tt)
        m = [S(text("write", 1200)), U(q + notes)]; chat(end, m, logn(3000, .3), f"w{i}", end - t1); chat(end + 80, m + [A(text(f"rep{i}", 3000)), U(text(f"more{i}", 40))], logn(600), f"w{i}", 12)
