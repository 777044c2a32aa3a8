#!/usr/bin/env bash
# vLLM, Envoy and warmroute for a GPU machine without a network, in pieces; and there, from one command: install, start several
# small replicas, calibrate the model of one, compare all policies, replay the same requests, and write the table.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

VLLM=${VLLM:-0.26.0}     # for torch 2.11; pool.sh's version_for knows others
PYTHON=${PYTHON:-3.12}   # of the GPU machine
PIECE=${PIECE:-60}       # MiB
export POLICIES=${POLICIES:-round_robin,random,join_shortest_queue,power_of_two,session_affinity,prefix_key,prefix_hash,lru_match,cache_aware,expected_ttft}
WORKLOADS=${WORKLOADS:-conversations,shared-system,hot-prefix}
ROUNDS=${ROUNDS:-5}
REQUESTS=${REQUESTS:-200}
export REPLICAS=${REPLICAS:-4} PORT=${PORT:-8201}

say() { echo "==> $*" >&2; }
fail() { echo "${0##*/}: $1" >&2; exit "${2:-1}"; }

usage() {
  cat <<'TEXT'
usage: offline.sh COMMAND
  pack FOLDER [HAVE]   on a machine with a network: fetches the wheels of vLLM and of what it needs, but for the packages whose names
                       are in the file HAVE (one a line: those of the GPU machine), adds Envoy and a build of this project, and
                       writes pieces of PIECE (60) MiB and their checksums to FOLDER
  take FOLDER STORE    on the GPU machine, after each transfer: keeps the pieces of FOLDER in STORE, and says what is missing;
                       when all are there, unpacks and installs them
  run STORE [OUT]      on the GPU machine: start, calibrate, compare, replay, stop; the results and table.md go to OUT
  table FILE           anywhere: puts table.md into docs/fidelity.md
VLLM (0.26.0) and PYTHON (3.12) say what to fetch; REPLICAS (4), ROUNDS (5), REQUESTS (200) and WORKLOADS what to run.
TEXT
}

pack() {
  local out=$1 have=${2:-/dev/null} work
  [ "$(uname -m)" = x86_64 ] || fail "the pieces are for x86_64; this is $(uname -m)"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  mkdir -p "$out" "$work/wheels" "$work/project/build"
  local platforms=() n
  for ((n = 39; n >= 5; n--)); do platforms+=(--platform "manylinux_2_${n}_x86_64"); done
  platforms+=(--platform manylinux2014_x86_64 --platform manylinux1_x86_64 --python-version "$PYTHON" --implementation cp --only-binary=:all:)
  say "resolving vllm $VLLM for Python $PYTHON"
  python3 -m pip install --quiet --disable-pip-version-check --dry-run --ignore-installed --target "$work/none" --report "$work/report.json" \
    "${platforms[@]}" "vllm==$VLLM" || fail "pip found no set of wheels for vllm $VLLM and Python $PYTHON"
  python3 - "$work/report.json" "$have" >"$work/names" <<'PY'
import json, re, sys
normal = lambda name: re.sub(r"[-_.]+", "-", name).lower()
have = {normal(line.split("==")[0].strip()) for line in open(sys.argv[2]) if line.strip()}
for item in json.load(open(sys.argv[1]))["install"]:
    if normal(item["metadata"]["name"]) not in have:
        print(f'{item["metadata"]["name"]}=={item["metadata"]["version"]}')
PY
  say "fetching $(wc -l <"$work/names") wheels"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work/wheels" "${platforms[@]}" -r "$work/names"
  (cd "$root" && ./build.sh build >&2)
  cp "$("$root/build.sh" envoy)" "$work/project/build/envoy"
  cp "$root/build/hostsim" "$root/build/warmroute.wasm" "$work/project/build/"
  tar -C "$root" --exclude=results -cf - examples docs/fidelity.md | tar -C "$work/project" -xf -
  rm -f "$out"/piece-* "$out/SHA256SUMS"
  tar -C "$work" -cf - wheels project | split -b "${PIECE}m" -d -a 3 - "$out/piece-"
  (cd "$out" && sha256sum piece-* >SHA256SUMS)
  say "$(wc -l <"$out/SHA256SUMS") pieces in $out, $(du -sh "$out" | cut -f1); SHA256SUMS goes with each of them"
}

take() {
  local from=$1 store=$2
  mkdir -p "$store"
  cp "$from"/SHA256SUMS "$from"/piece-* "$store/" 2>/dev/null || fail "$from has no pieces and SHA256SUMS"
  if ! (cd "$store" && sha256sum --quiet -c SHA256SUMS) >"$store/missing" 2>/dev/null; then
    echo "missing or broken: $(grep -c FAILED "$store/missing") of $(wc -l <"$store/SHA256SUMS") pieces: $(sed -n 's/: FAILED.*//p' "$store/missing" | tr '\n' ' ')"
    return 0
  fi
  cat "$store"/piece-* | tar -C "$store" -xf -
  python3 -m venv --clear --system-site-packages "$store/venv"
  "$store/venv/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --no-compile "$store"/wheels/*.whl || fail "the wheels do not install" 4
  "$store/venv/bin/python" -c 'import torch, vllm; assert torch.cuda.is_available(), "torch sees no GPU"; print("vllm", vllm.__version__, "torch", torch.__version__, torch.cuda.get_device_name(0))' ||
    fail "the installed vLLM does not import, or sees no GPU" 4
}

# card: the name in hostsim's data sheets of the GPU that nvidia-smi shows.
card() {
  local name
  name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  case $name in
    *A100*) echo a100 ;; *H100*) echo h100 ;; *H200*) echo h200 ;; *B200*) echo b200 ;; *L40S*) echo l40s ;; *L4*) echo l4 ;;
    *4090*) echo rtx4090 ;; *"PRO 6000"*) echo rtxpro6000 ;;
    *) fail "no data sheet of \"$name\" in hostsim profile; start from another with CARD=" 3 ;;
  esac
}

run() {
  local store out address profile hostsim
  store=$(cd "$1" && pwd)
  mkdir -p "${2:-$root/build/gpu}"
  out=$(cd "${2:-$root/build/gpu}" && pwd)
  cd "$store/project"
  hostsim=build/hostsim
  export PATH=$store/venv/bin:$PATH PREBUILT=1 ENVOY=$store/project/build/envoy WARMROUTE_TOOLS=$store/tools
  trap 'examples/vllm-gpu/pool.sh stop' EXIT
  examples/vllm-gpu/pool.sh start >&2
  address=$(examples/vllm-gpu/pool.sh addresses)
  profile=${CARD:-$(card)}-llama3b
  "$hostsim" calibrate probe "http://${address%%,*}" --profile "$profile" --set "$(blocks "${address%%,*}")" --out "$out/calibrated.json" | tee "$out/calibrate.txt" >&2
  mkdir -p "$out/trace"
  examples/vllm-gpu/pool.sh compare --workloads "$WORKLOADS" --rounds "$ROUNDS" --requests "$REQUESTS" --concurrency 32 \
    --output-tokens 64 --trace "$out/trace" --json "$out/trace/result.json" --html "$out/gpu.html" | tee "$out/compare.txt" >&2
  {
    echo "GPU: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1); $REPLICAS replicas of Llama-3.2-3B's shape on it; $(date -u +%F)"
    echo
    sed 's/^/    /' "$out/calibrate.txt"
    echo
    # All replicas share one GPU: with --cores 1 the model divides it among those that work.
    examples/vllm-cpu/fidelity.py --profile "$out/calibrated.json" --cores "$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)" "$out/trace" | sed 's/^/    /'
  } >"$out/table.md"
  cat "$out/table.md"
}

# blocks ADDRESS: the server's KV memory, as --set wants it.
blocks() {
  python3 - "$1" <<'PY'
import re, sys, urllib.request
page = urllib.request.urlopen(f"http://{sys.argv[1]}/metrics", timeout=10).read().decode()
info = next(line for line in page.splitlines() if line.startswith("vllm:cache_config_info"))
value = lambda name: int(re.search(name + r'="(\d+)"', info)[1])
print(f"block_size={value('block_size')},kv_blocks={value('num_gpu_blocks') - 1}")
PY
}

# table FILE: between the markers in docs/fidelity.md.
table() {
  python3 - "$1" "$root/docs/fidelity.md" <<'PY'
import pathlib, re, sys
table, page = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
text, n = re.subn(r"(<!-- gpu -->\n).*?(<!-- /gpu -->)", lambda m: m[1] + table.rstrip() + "\n" + m[2], page.read_text(), flags=re.S)
if n != 1:
    sys.exit(f"{page}: the markers <!-- gpu --> and <!-- /gpu --> are not there once")
page.write_text(text)
PY
}

[ $# -gt 0 ] || { usage; exit 2; }
case "$1:$#" in
  pack:2 | pack:3 | take:3 | run:2 | run:3 | table:2) "$@" ;;
  help:* | -h:* | --help:*) usage ;;
  *) usage >&2; fail "wrong arguments: $*" 2 ;;
esac
