// Throughput of the guest in V8, Envoy's engine:  node v8.mjs guest.wasm   (built as in buildGuest of wasm_test.go)
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const wasi = Object.fromEntries(WebAssembly.Module.imports(module).map((i) => [i.name, () => 0]));
const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
(exports._initialize ?? exports._start)();

function body(text, size) {
  const turn = JSON.stringify(text.repeat(size / 10 / text.length + 1).slice(0, size / 10));
  const turns = Array.from({ length: 10 }, (_, i) => `{"role":"${i % 2 ? "assistant" : "user"}","content":${turn}}`);
  return new TextEncoder().encode(`{"model":"orchard-8b-instruct","messages":[${turns.join(",")}],"stream":true}`);
}

// best is the least time of 9 runs of about 100 ms, in seconds per body.
function best(run) {
  let times = 1;
  const timed = () => {
    const from = performance.now();
    if (!run(times)) throw new Error("the guest found no prompt");
    return (performance.now() - from) / 1e3;
  };
  while (timed() < 0.05) times *= 2;
  return Math.min(...Array.from({ length: 9 }, timed)) / times;
}

const texts = {
  ascii: "The pear trees along the south wall want pruning before the frost. ",
  escapes: '\tif (row["pear"] > 0) {\n\t\tprintf("%d\\n", row["pear"]);\n\t}\n',
  cjk: "南の壁に沿った梨の木は霜が降りる前に剪定が必要です。",
};
for (const [kind, text] of Object.entries(texts)) {
  for (const size of [1024, 4096, 65536, 524288]) {
    const bytes = body(text, size / (kind === "cjk" ? 3 : 1));
    const at = exports.room(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    const line = ["scan", "key", "parse"].map((name) => {
      const seconds = best((n) => exports[name](n, 1));
      return `${name} ${(seconds * 1e6).toFixed(1)} µs ${(bytes.length / seconds / 1e6).toFixed(0)} MB/s`;
    });
    console.log(`${kind} ${bytes.length} bytes: ${line.join(" · ")}`);
  }
}
