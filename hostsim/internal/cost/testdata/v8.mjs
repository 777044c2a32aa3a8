// What a request costs in modules alone, in V8 without a proxy, µs, the median and the least of the rounds. Modules take turns with the
// same requests: chats that nobody has sent before, and answers with usage that come at once.
//
//   node v8.mjs [--bytes 4096] [--rounds 40] [--workers 1] [--endpoints 8] [--calls] MODULE.wasm…
//
// Run it a few times, on a machine with nothing else to do (taskset, nice): caches stay warm here, so that in Envoy a request takes two
// to four times as long. --calls counts the calls into the proxy instead.
import fs from "node:fs";
import { parseArgs } from "node:util";

const number = (value) => ({ type: "string", default: value });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { bytes: number("4096"), rounds: number("40"), workers: number("1"), endpoints: number("8"), calls: { type: "boolean", default: false } },
});
const [bytes, rounds, workers, endpoints] = ["bytes", "rounds", "workers", "endpoints"].map((name) => Number(values[name]));

const encode = (text) => new TextEncoder().encode(text);
const latin1 = new TextDecoder("latin1");
const ok = 0, notFound = 1, mismatch = 8; // proxy_status_t
const root = 1; // the filter's context
const [requestBody, responseBody, filterConfig] = [0, 1, 7]; // proxy_buffer_type_t
const [requestHeaders, responseHeaders] = [0, 2]; // proxy_map_type_t

let clock = 1_800_000_000_000_000_000n; // ns, the same for all

// pairs is headers as the ABI has them.
function pairs(headers) {
  const all = headers.map((pair) => pair.map(encode));
  const size = all.reduce((sum, [name, value]) => sum + 10 + name.length + value.length, 4);
  const out = new Uint8Array(size), view = new DataView(out.buffer);
  view.setUint32(0, all.length, true);
  all.forEach(([name, value], i) => {
    view.setUint32(4 + 8 * i, name.length, true);
    view.setUint32(8 + 8 * i, value.length, true);
  });
  let at = 4 + 8 * all.length;
  for (const part of all.flat()) {
    out.set(part, at);
    at += part.length + 1;
  }
  return out;
}

// VM is one worker's: what the module asks its proxy for while requests go on one after the other.
class VM {
  constructor(module, shared, configuration) {
    this.buffers = { [filterConfig]: configuration };
    this.headers = {};
    this.properties = { plugin_name: encode("warmroute"), "xds\0cluster_name": encode("vllm") };
    this.calls = {};
    const u32 = (at, value) => new DataView(this.memory.buffer).setUint32(at >>> 0, value, true);
    const bytesAt = (at, size) => new Uint8Array(this.memory.buffer, at >>> 0, size);
    const textAt = (at, size) => latin1.decode(bytesAt(at, size));
    const give = (value, at, sizeAt) => {
      if (!value) return notFound;
      const to = value.length && this.exports.malloc(value.length);
      bytesAt(to, value.length).set(value);
      u32(at, to);
      u32(sizeAt, value.length);
      return ok;
    };
    let metrics = 0;
    const proxy = {
      proxy_get_buffer_bytes: (kind, from, size, at, sizeAt) => give(this.buffers[kind]?.subarray(from, from + (size >>> 0)), at, sizeAt),
      proxy_get_header_map_pairs: (kind, at, sizeAt) => give(this.headers[kind], at, sizeAt),
      proxy_replace_header_map_value: (kind, name, size, value, length) => {
        if (kind === requestHeaders) this.properties["upstream\0address"] = bytesAt(value, length).slice(0, textAt(value, length).split(",")[0].length);
        return ok;
      },
      proxy_get_property: (name, size, at, sizeAt) => give(this.properties[textAt(name, size)], at, sizeAt),
      proxy_get_shared_data: (name, size, at, sizeAt, versionAt) => {
        const item = shared.get(textAt(name, size));
        if (item) u32(versionAt, item.version);
        return give(item?.value, at, sizeAt);
      },
      proxy_set_shared_data: (name, size, at, length, version) => {
        const key = textAt(name, size), last = shared.get(key)?.version ?? 0;
        if (version && last && version !== last) return mismatch;
        shared.set(key, { value: bytesAt(at, length).slice(), version: last + 1 });
        return ok;
      },
      proxy_define_metric: (kind, name, size, at) => (u32(at, (++metrics << 2) | kind), ok),
      proxy_log: (level, at, size) => (console.error(textAt(at, size)), ok),
      proxy_dequeue_shared_queue: () => 7, // empty
      proxy_http_call: () => 2, // there is no such cluster
    };
    const wasi = {
      clock_time_get: (id, precision, at) => (new DataView(this.memory.buffer).setBigUint64(at, clock, true), 0),
      random_get: (at, size) => (bytesAt(at, size).fill(7), 0),
      args_sizes_get: (a, b) => (u32(a, 0), u32(b, 0), 0),
      environ_sizes_get: (a, b) => (u32(a, 0), u32(b, 0), 0),
    };
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      const call = proxy[name] ?? wasi[name] ?? (() => ok);
      (imports[from] ??= {})[name] = !values.calls ? call : (...given) => {
        this.calls[name] = (this.calls[name] ?? 0) + 1;
        return call(...given);
      };
    }
    this.exports = new WebAssembly.Instance(module, imports).exports;
    this.memory = this.exports.memory;
    this.exports._start();
    this.exports.proxy_on_context_create(root, 0);
    if (!this.exports.proxy_on_vm_start(root, 0) || !this.exports.proxy_on_configure(root, configuration.length)) process.exit(1);
    this.exports.proxy_on_tick(root);
    this.last = root;
  }

  // request plays one with this body, until its answer has ended.
  request(body, headers) {
    const id = ++this.last, on = this.exports;
    on.proxy_on_context_create(id, root);
    this.headers[requestHeaders] = headers;
    on.proxy_on_request_headers(id, 6, 0);
    this.buffers[requestBody] = body;
    on.proxy_on_request_body(id, body.length, 1);
    clock += 20_000n;
    on.proxy_on_response_headers(id, 3, 0);
    on.proxy_on_response_body(id, this.buffers[responseBody].length, 1);
    on.proxy_on_log(id);
    on.proxy_on_delete(id);
  }
}

// Bodies are made of these by other letters in each, each 200 bytes.
const words = ["pear", "wall", "frost", "river", "mill", "answer", "question", "because", "reads", "south", "then", "what", "of", "the", "a", "is"];
let text = '{"model":"m","max_tokens":2,"messages":[{"role":"system","content":"You answer questions on gardens. ';
for (let i = 1; text.length < bytes - 8; i = (i * 5 + 3) % 4093) text += words[i % words.length] + " ";
const like = encode(text + '"}]}');
let serial = 0;
function newBody() {
  const body = like.slice();
  for (let at = 110; at < body.length - 20; at += 200) {
    for (let k = 0, left = ++serial; k < 8; k++, left >>>= 4) body[at + k] = 97 + (left & 15);
  }
  return body;
}

const answer = encode('{"id":"c-1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},' +
  '"finish_reason":"stop"}],"usage":{"prompt_tokens":1024,"completion_tokens":2,"total_tokens":1026,"prompt_tokens_details":{"cached_tokens":0}}}');
const asked = pairs([[":authority", "gateway"], [":path", "/v1/chat/completions"], [":method", "POST"], [":scheme", "http"],
  ["content-length", String(like.length)], ["content-type", "application/json"]]);
const answered = pairs([[":status", "200"], ["content-type", "application/json"], ["content-length", String(answer.length)]]);
const configuration = encode(JSON.stringify({ scrape: { path: "" }, endpoints: Array.from({ length: endpoints }, (_, i) => `127.0.0.1:${20000 + i}`) }));

const played = positionals.map((file) => {
  const module = new WebAssembly.Module(fs.readFileSync(file)), shared = new Map();
  const vms = Array.from({ length: workers }, () => new VM(module, shared, configuration));
  for (const vm of vms) Object.assign(vm, { headers: { [responseHeaders]: answered }, buffers: { [responseBody]: answer } });
  return { file, vms, took: [] };
});
const each = Math.max(64, Math.floor(1e6 / bytes)); // requests of a round
const warmUp = 4; // rounds
for (let round = -warmUp; round < rounds; round++) {
  const bodies = Array.from({ length: each }, newBody), began = clock;
  for (const one of round & 1 ? played : played.toReversed()) {
    clock = began;
    let ticked = clock;
    const from = process.hrtime.bigint();
    bodies.forEach((body, i) => {
      clock += 100_000n;
      if (clock - ticked > 200_000_000n) {
        ticked = clock;
        for (const vm of one.vms) vm.exports.proxy_on_tick(root);
      }
      one.vms[i % workers].request(body, asked);
    });
    if (round >= 0) one.took.push(Number(process.hrtime.bigint() - from) / each / 1e3);
  }
}
for (const { file, vms, took } of played) {
  took.sort((a, b) => a - b);
  const calls = Object.entries(vms[0].calls).map(([name, n]) => `${name} ${((n * workers) / each / (rounds + warmUp)).toFixed(2)}`);
  console.log(file, values.calls ? `calls a request: ${calls.join(", ")}` : `${took[took.length >> 1].toFixed(1)} µs a request, least ${took[0].toFixed(1)}`);
}
