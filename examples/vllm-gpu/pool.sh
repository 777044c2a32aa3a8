#!/usr/bin/env bash
# A pool of vLLM servers on this machine's NVIDIA GPUs, from one command: checks, installs, starts, waits, stops, and
# compares policies through Envoy. The model has the shape of Llama-3.2-3B and dummy weights: nothing is downloaded.
# Exit statuses: 1 something failed, 2 wrong arguments, 3 no GPU, 4 no vLLM, 5 too little GPU memory.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

TOOLS=${WARMROUTE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warmroute}
VENV=$TOOLS/vllm-gpu
MODEL=$TOOLS/llama-3b-shape
STATE=$root/build/vllm-gpu
N=${REPLICAS:-2}
PORT=${PORT:-8201}
NEEDS_MIB=10240 # of GPU memory a server: 6 GB of weights in bfloat16, and room for KV blocks
KV_BLOCKS=${KV_BLOCKS:-}
KV_BLOCK_BYTES=$((2 * 28 * 8 * 128 * 2 * 16)) # keys and values, layers, heads, head size, bfloat16, tokens
SHARE=90        # percent of a GPU's memory that its servers may take together

# shellcheck source=examples/compare/servers.sh
. "$here/../compare/servers.sh"

usage() {
  cat <<'TEXT'
usage: pool.sh COMMAND
  check       whether there is a GPU, memory for the servers and a vLLM, each with a message and an exit status
  install     the vllm that suits this machine's torch, into a venv of its own under ~/.cache/warmroute
  start       all servers that are not running, and waits until they answer
  stop [I]    all servers, or the one with that number, from 0
  status      which servers run, and where
  addresses   the servers' addresses, joined by commas
  compare …   six policies through Envoy in front of the running servers (or POLICIES); more arguments go to hostsim compare
REPLICAS (2) and PORT (8201, the others follow) say how many and where. Servers share the GPUs evenly: two on one GPU
take 0.45 of its memory each. KV_BLOCKS=2500 gives each so many blocks of 16 tokens instead of all that is free, and starts all
servers at once. SERVE_ARGS has more arguments for vllm serve.
TEXT
}

# gpus prints "index, name, total MiB, free MiB" for each GPU.
gpus() {
  command -v nvidia-smi >/dev/null || fail "no GPU: nvidia-smi is not on PATH, so there is no NVIDIA driver; examples/vllm-cpu runs without" 3
  local list
  list=$(nvidia-smi --query-gpu=index,name,memory.total,memory.free --format=csv,noheader,nounits 2>&1) ||
    fail "no GPU: nvidia-smi says: $list" 3
  [ -n "$list" ] || fail "no GPU: nvidia-smi lists none" 3
  echo "$list"
}

# check_memory sees whether every GPU has room for its servers.
check_memory() {
  local list count index name total free each want
  list=$(gpus)
  count=$(wc -l <<<"$list")
  while IFS=, read -r index name total free; do
    each=$(((N + count - 1 - index) / count)) # servers on this GPU
    [ "$each" -gt 0 ] || continue
    total=${total// /} free=${free// /} name=${name# }
    want=$((total * SHARE / 100))
    [ $((want / each)) -ge "$NEEDS_MIB" ] ||
      fail "too little memory: GPU $index ($name) has $total MiB; $each servers need $((NEEDS_MIB * each * 100 / SHARE)). Fewer fit with REPLICAS=1" 5
    [ "$free" -ge "$want" ] ||
      fail "too little memory: $free of $total MiB are free on GPU $index ($name); $SHARE % must be. nvidia-smi shows what uses it" 5
  done <<<"$list"
}

# find_vllm prints the vllm command: that of install, else the one on PATH.
find_vllm() {
  if [ -x "$VENV/bin/vllm" ]; then echo "$VENV/bin/vllm"; return; fi
  type -P vllm || fail "no vLLM: neither on PATH nor in $VENV; install it with $0 install" 4
}

# python_of VLLM prints the interpreter that the vllm command runs on.
python_of() {
  local python
  python=$(dirname "$1")/python
  if [ -x "$python" ]; then echo "$python"; else type -P python3; fi
}

# version_for TORCH prints the vllm that was built for that torch; PyPI's requirements of each say so.
version_for() {
  case $1 in
    2.10.*) echo 0.19.1 ;;
    2.11.*) echo 0.26.0 ;;
    2.13.* | none) echo 0.32.0 ;;
    *) fail "no vllm is known here for torch $1; known are 2.10, 2.11 and 2.13. Or put a vllm of your own on PATH" 4 ;;
  esac
}

install() {
  gpus >/dev/null
  [ ! -x "$VENV/bin/vllm" ] || return 0
  local torch version
  torch=$(python3 -c 'import torch; print(torch.__version__.split("+")[0])' 2>/dev/null || echo none)
  version=$(version_for "$torch")
  say "installing vllm $version into $VENV (torch on this machine: $torch)"
  local options=(--clear)
  [ "$torch" = none ] || options+=(--system-site-packages)
  python3 -m venv "${options[@]}" "$VENV"
  # A venv made from a venv sees the packages of the system, not those of the venv that torch may be in.
  [ "$torch" = none ] || python3 -c 'import site; print(*(f"import site; site.addsitedir({p!r})" for p in site.getsitepackages()), sep="\n")' \
    >"$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/this-machine.pth"
  "$VENV/bin/pip" install --quiet --disable-pip-version-check "vllm==$version" || {
    rm -rf "$VENV" # so that half of an installation is not taken for one
    fail "pip could not install vllm $version" 4
  }
}

check() {
  local list vllm
  list=$(gpus)
  check_memory
  vllm=$(find_vllm)
  echo "GPU: $list"
  echo "vLLM: $vllm"
}

model() {
  [ ! -e "$MODEL/made" ] || return 0
  local python part=$MODEL.part$$
  python=$(python_of "$VLLM")
  say "making the model's configuration and tokenizer in $MODEL"
  "$python" "$here/../vllm-cpu/model.py" "$part" 3b || { rm -rf "$part"; fail "the model could not be made with $python"; }
  touch "$part/made"
  rm -rf "$MODEL"
  mv "$part" "$MODEL" # whole
}

# launch I: on GPU I mod their number, with its share of that GPU's memory.
launch() {
  local i=$1 gpu each more
  gpu=$((i % GPUS))
  each=$(((N + GPUS - 1 - gpu) / GPUS))
  read -ra more <<<"${SERVE_ARGS:-}"
  [ -z "$KV_BLOCKS" ] || more+=(--kv-cache-memory-bytes $((KV_BLOCKS * KV_BLOCK_BYTES)))
  # A cache of its own: servers that start together would compile into the same folder.
  env VLLM_CACHE_ROOT="$TOOLS/vllm-cache-$i" CUDA_VISIBLE_DEVICES="$gpu" PYTHONHASHSEED=0 HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 VLLM_NO_USAGE_STATS=1 \
    VLLM_SERVER_DEV_MODE=1 `# for POST /reset_prefix_cache` \
    setsid "$VLLM" serve "$MODEL" --host 127.0.0.1 --port "$((PORT + i))" --served-model-name llama-3b-shape \
    --load-format dummy --dtype bfloat16 --gpu-memory-utilization "$(awk "BEGIN { printf \"%.2f\", $SHARE / 100 / $each }")" \
    --max-model-len 32768 --enable-prefix-caching --enable-prompt-tokens-details --enable-request-id-headers \
    --disable-uvicorn-access-log "${more[@]}" >"$STATE/$i.log" 2>&1 </dev/null &
}

# One after another, because a server measures the memory that is free when it starts; with KV_BLOCKS it need not.
start() {
  local i
  GPUS=$(gpus | wc -l)
  alone
  for ((i = 0; i < N; i++)); do running "$i" && break; done
  [ "$i" -lt "$N" ] || check_memory # those that run have taken theirs
  VLLM=$(find_vllm)
  model
  for ((i = 0; i < N; i++)); do
    running "$i" || begin "$i"
    [ -n "$KV_BLOCKS" ] || await "$i"
  done
  for ((i = 0; i < N; i++)); do await "$i"; done
  status
}

compare() {
  local list vllm machine=${MACHINE:-}
  if [ -z "$machine" ]; then
    list=$(gpus)
    vllm=$(find_vllm)
    machine="$(wc -l <<<"$list") × $(head -n 1 <<<"$list" | cut -d, -f2 | sed 's/^ //'), $("$(python_of "$vllm")" -c 'import torch; print("torch", torch.__version__)')"
  fi
  compare_pool --policies "${POLICIES:-round_robin,join_shortest_queue,power_of_two,session_affinity,prefix_key,cache_aware}" \
    --machine "$machine" \
    --requests 400 --concurrency 32 --prompt-tokens 4000 --output-tokens 64 --system-prompts 16 --rounds 5 \
    --sample 500ms "$@"
}

[ $# -gt 0 ] || { usage; exit 2; }
case $1 in
  check | install | start | stop | status | addresses | compare) "$@" ;;
  help | -h | --help) usage ;;
  *) usage >&2; fail "there is no command \"$1\"" 2 ;;
esac
