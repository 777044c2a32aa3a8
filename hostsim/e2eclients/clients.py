"""Talks to a gateway with the official packages, and prints a JSON line for each request: which replica answered, what the
module decided, how many prompt tokens there were and were cached, and the text.

    clients.py GATEWAY_URL MODEL
"""

import json
import sys

import anthropic
import openai

URL, MODEL = sys.argv[1:]
RULES = "You keep the books of an orchard. Count every basket, name every row, and answer in one sentence. " * 20
TURNS = ["Which row is ripe first?", "And which one is last?"]
TOKENS = 12
TOOL = {"type": "object", "properties": {"row": {"type": "integer"}}, "required": ["row"]}

o = openai.OpenAI(base_url=URL + "/v1", api_key="none", max_retries=0, timeout=60)
a = anthropic.Anthropic(base_url=URL, api_key="none", max_retries=0, timeout=60)


def say(name, headers, prompt, cached, text):
    line = {"name": name, "replica": headers.get("x-replica"), "decision": headers.get("x-warmroute-decision")}
    print(json.dumps({**line, "prompt": prompt, "cached": cached, "text": text}), flush=True)


def completion(name, turns, stream):
    prompt = name + RULES + " ".join(turns)
    if not stream:
        raw = o.completions.with_raw_response.create(model=MODEL, prompt=prompt, max_tokens=TOKENS)
        r = raw.parse()
        text, usage = r.choices[0].text, r.usage
    else:
        raw = o.completions.with_raw_response.create(
            model=MODEL, prompt=prompt, max_tokens=TOKENS, stream=True, stream_options={"include_usage": True})
        text, usage = "", None
        for chunk in raw.parse():
            text += "".join(c.text for c in chunk.choices)
            usage = chunk.usage or usage
    return raw.headers, usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, text


def chat(name, turns, stream):
    messages = [{"role": "system", "content": name + RULES}] + [
        {"role": "user" if i % 2 == 0 else "assistant", "content": t} for i, t in enumerate(turns)]
    tools = [{"type": "function", "function": {"name": "count", "description": "baskets of a row", "parameters": TOOL}}]
    if not stream:
        raw = o.chat.completions.with_raw_response.create(model=MODEL, messages=messages, tools=tools, max_tokens=TOKENS)
        r = raw.parse()
        text, usage = r.choices[0].message.content, r.usage
    else:
        raw = o.chat.completions.with_raw_response.create(
            model=MODEL, messages=messages, tools=tools, max_completion_tokens=TOKENS, stream=True,
            stream_options={"include_usage": True})
        text, usage = "", None
        for chunk in raw.parse():
            text += "".join(c.delta.content or "" for c in chunk.choices)
            usage = chunk.usage or usage
    return raw.headers, usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, text


def response(name, turns, stream):
    items = [{"role": "user" if i % 2 == 0 else "assistant", "content": t} for i, t in enumerate(turns)]
    settings = dict(model=MODEL, instructions=name + RULES, input=items, max_output_tokens=TOKENS)
    if not stream:
        raw = o.responses.with_raw_response.create(**settings)
        r = raw.parse()
    else:
        raw = o.responses.with_raw_response.create(**settings, stream=True)
        text, r = "", None
        for event in raw.parse():
            if event.type == "response.output_text.delta":
                text += event.delta
            if event.type == "response.completed":
                r = event.response
        assert text == r.output_text, (text, r.output_text)
    return raw.headers, r.usage.input_tokens, r.usage.input_tokens_details.cached_tokens, r.output_text


def message(name, turns, stream):
    messages = [{"role": "user" if i % 2 == 0 else "assistant", "content": t} for i, t in enumerate(turns)]
    settings = dict(model=MODEL, max_tokens=TOKENS, system=name + RULES, messages=messages,
                    tools=[{"name": "count", "description": "baskets of a row", "input_schema": TOOL}])
    if not stream:
        raw = a.messages.with_raw_response.create(**settings)
        m, headers = raw.parse(), raw.headers
    else:
        with a.messages.stream(**settings) as s:
            text = "".join(s.text_stream)
            m, headers = s.get_final_message(), s.response.headers
        assert text == m.content[0].text, (text, m)
    assert m.stop_reason == "max_tokens", m
    cached = m.usage.cache_read_input_tokens
    return headers, m.usage.input_tokens + cached, cached, m.content[0].text


for ask in (completion, chat, response, message):
    for stream in (False, True):
        name = ask.__name__ + (" stream" if stream else "")
        first = ask(name, TURNS[:1], stream)
        say(name + ", first turn", *first)
        say(name + ", second turn", *ask(name, [TURNS[0], first[3], TURNS[1]], stream))

for name, form in (("embeddings float", {"encoding_format": "float"}), ("embeddings", {})):  # base64, if it is not said
    raw = o.embeddings.with_raw_response.create(model=MODEL, input=["apple", "pear"], **form)
    e = raw.parse()
    assert [len(d.embedding) for d in e.data] == [256, 256], e
    say(name, raw.headers, e.usage.prompt_tokens, 0, "")

raw = o.models.with_raw_response.list()
assert [m.id for m in raw.parse()] == [MODEL]
say("models", raw.headers, 0, 0, "")
raw = a.messages.with_raw_response.count_tokens(model=MODEL, messages=[{"role": "user", "content": TURNS[0]}])
say("count_tokens", raw.headers, raw.parse().input_tokens, 0, "")

for package, ask in ((openai, chat), (anthropic, message)):
    MODEL, known = "no-such-model", MODEL
    try:
        ask("error", TURNS[:1], False)
        raise SystemExit("an unknown model was taken")
    except package.NotFoundError as e:
        assert "no-such-model" in str(e), e
    MODEL = known
