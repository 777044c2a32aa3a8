#!/usr/bin/env bash
# vLLM, Envoy and warmroute for a GPU machine without a network, in pieces; and there: start several small replicas, calibrate the
# model of one, and compare all policies, round by round until the time is over.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

VLLM=${VLLM:-0.26.0}     # for torch 2.11; pool.sh's version_for knows others
PYTHON=${PYTHON:-3.12}   # of the GPU machine
PIECE=${PIECE:-56}       # MiB
ARCH=${ARCH:-}           # 90 for Hopper: pack drops machine code for other cards, and packages that a plain Llama does not need
export POLICIES=${POLICIES:-round_robin,random,join_shortest_queue,power_of_two,session_affinity,prefix_key,prefix_hash,lru_match,cache_aware,expected_ttft}
ROUNDS=${ROUNDS:-5}
WORKLOADS=${WORKLOADS:-conversations shared-system hot-prefix}
REQUESTS=${REQUESTS:-96} CONCURRENCY=${CONCURRENCY:-24} OUTPUT_TOKENS=${OUTPUT_TOKENS:-32}
FOR=${FOR:-86400}        # seconds: no comparison begins that would not end by then
export REPLICAS=${REPLICAS:-4} PORT=${PORT:-8201} KV_BLOCKS=${KV_BLOCKS:-2500} SERVE_ARGS=${SERVE_ARGS:---max-num-seqs 64}

say() { echo "==> $*" >&2; }
fail() { echo "${0##*/}: $1" >&2; exit "${2:-1}"; }

usage() {
  cat <<'TEXT'
usage: offline.sh COMMAND
  pack FOLDER [HAVE]   on a machine with a network: fetches the wheels of vLLM and of what it needs, but for the packages whose names
                       are in the file HAVE (one a line: those of the GPU machine), adds Envoy, a build of this project and the routers of
                       examples/compare/routers.sh, and writes pieces of at most PIECE (56) MiB and their checksums to FOLDER.
                       ARCH=90, for Hopper cards, makes 77 MiB of 761, and the routers: no machine code for other cards, and no
                       package that only other models need
  take FOLDER STORE    on the GPU machine, after each transfer: unpacks what is whole into STORE, and says what is missing
  start STORE          on the GPU machine, needs no more than the pieces named project and vllm: the servers
  run STORE OUT        on the GPU machine: start, if it was not, calibrate, and compare, a round of a workload at a time, for FOR seconds;
                       the results go to OUT. If the piece routers is there, all are compared with its routers, which are started
                       anew for each comparison
  stop STORE           on the GPU machine: the servers
  table OUT            anywhere, after ./build.sh build: replays the same requests on the calibrated model, with the GPU shared by the
                       replicas, and prints the tables
VLLM (0.26.0) and PYTHON (3.12) say what to fetch; REPLICAS (4), KV_BLOCKS (2500), ROUNDS (5), REQUESTS (96), CONCURRENCY (24),
OUTPUT_TOKENS (32) and WORKLOADS what to run. A workload may have settings of its own, agents:192,24,8000,6: requests, concurrency,
tokens of a system prompt, and system prompts; what is left out is as for the others.
TEXT
}

# take unpacks with Python: the machine may have no xz.
take() {
  local from=$1 store=$2 name missing= without=
  mkdir -p "$store"
  cp "$from"/SHA256SUMS "$from"/*.tar.xz-* "$store/" 2>/dev/null || fail "$from has no pieces and SHA256SUMS"
  for name in $(sed 's/.* //; s/-[0-9]*$//' "$store/SHA256SUMS" | sort -u); do
    [ ! -e "$store/$name.taken" ] || continue
    if (cd "$store" && grep " $name-" SHA256SUMS | sha256sum --quiet -c -) >"$store/missing" 2>/dev/null; then
      cat "$store/$name"-* | python3 -c 'import sys, tarfile; tarfile.open(fileobj=sys.stdin.buffer, mode="r|xz").extractall(sys.argv[1], filter="tar")' "$store"
      rm "$store/$name"-*
      touch "$store/$name.taken"
    else
      missing+=" $(sed -n 's/: FAILED.*//p' "$store/missing" | tr '\n' ' ')"
    fi
  done
  if [ -e "$store/site" ] && [ ! -e "$store/bin/vllm" ]; then
    python3 -m compileall -q -j 0 "$store/site" >/dev/null || true
    mkdir -p "$store/bin"
    # No venv: one made from a venv, where torch may be, does not see its packages.
    [ -e "$store/site/flashinfer" ] || without='VLLM_USE_FLASHINFER_SAMPLER=0 ' # else it is imported
    printf '#!/usr/bin/env bash\nPYTHONPATH=%q %sexec python3 -m vllm.entrypoints.cli.main "$@"\n' "$store/site" "$without" >"$store/bin/vllm"
    chmod +x "$store/bin/vllm"
  fi
  if [ -n "$missing" ]; then echo "missing or broken: $missing"; else echo "all there"; fi
}

enter() {
  store=$(cd "$1" && pwd)
  cd "$store/project" || fail "$store has no project"
  export PATH=$store/bin:$PATH PREBUILT=1 ENVOY=$store/project/build/envoy WARMROUTE_TOOLS=$store/tools
}

start() {
  enter "$1"
  examples/vllm-gpu/pool.sh start >&2
}

stop() {
  enter "$1"
  examples/vllm-gpu/pool.sh stop
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

# check_workloads sees that each has a name of its own, and numbers for settings.
check_workloads() {
  local one seen=' '
  for one in $WORKLOADS; do
    [[ $one =~ ^[a-z0-9-]+(:[0-9]*(,[0-9]*){0,3})?$ ]] ||
      fail "WORKLOADS: \"$one\" is not NAME or NAME:REQUESTS,CONCURRENCY,PROMPT_TOKENS,SYSTEM_PROMPTS" 2
    [[ $seen != *" ${one%%:*} "* ]] || fail "WORKLOADS: ${one%%:*} is there twice" 2
    seen+="${one%%:*} "
  done
}

# settings WORKLOAD: hostsim's flags, one a line.
settings() {
  local requests='' concurrency='' tokens='' prompts=''
  [[ $1 != *:* ]] || IFS=, read -r requests concurrency tokens prompts <<<"${1#*:}"
  printf '%s\n' --requests "${requests:-$REQUESTS}" --concurrency "${concurrency:-$CONCURRENCY}" ${tokens:+--prompt-tokens "$tokens"} ${prompts:+--system-prompts "$prompts"}
}

# routers COMMAND…: those of the store. They take from vLLM's wheels what is there.
routers() { ROUTERS=$store/routers PYTHONPATH=$store/site${PYTHONPATH:+:$PYTHONPATH} examples/compare/routers.sh "$@"; }

run() {
  local out address profile longest=0 began round one workload policies more
  local -A took=() # seconds of each workload's last round
  check_workloads
  mkdir -p "$2"
  out=$(cd "$2" && pwd)
  SECONDS=0
  start "$1"
  say "servers answer after $SECONDS s"
  if [ ! -e "$out/calibrated.json" ]; then
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader >"$out/gpu.txt"
    address=$(examples/vllm-gpu/pool.sh addresses)
    profile=${CARD:-$(card)}-llama3b
    echo "$profile" >"$out/profile.txt"
    build/hostsim calibrate probe "http://${address%%,*}" --profile "$profile" --set "$(limits "${address%%,*}")" --out "$out/calibrated.json" 2>&1 | tee "$out/calibrate.txt" >&2
    say "calibrated after $SECONDS s"
  fi
  MACHINE="$(head -n 1 "$out/gpu.txt" | cut -d, -f1), $REPLICAS servers on $(wc -l <"$out/gpu.txt") of them"
  export MACHINE
  [ ! -d "$store/routers" ] || trap 'routers stop' EXIT
  for ((round = 1; round <= ROUNDS; round++)); do
    # Another order each round, so that a drift of the machine affects all policies alike.
    policies=$(tr , '\n' <<<"$POLICIES" | awk -v by=$((round * 3)) '{ p[NR - 1] = $0 } END { for (i = 0; i < NR; i++) printf "%s,", p[(i + by) % NR] }')
    [ $((round % 2)) = 1 ] || policies=$(tr , '\n' <<<"${policies%,}" | tac | tr '\n' ,)
    for one in $WORKLOADS; do
      workload=${one%%:*}
      [ ! -e "$out/$workload-$round/result.json" ] || continue
      ((SECONDS + ${took[$workload]:-$longest} <= FOR)) || { say "no time is left for $workload, round $round"; return 0; }
      began=$SECONDS
      mkdir -p "$out/$workload-$round"
      mapfile -t more < <(settings "$one")
      if [ -d "$store/routers" ]; then # they would know of earlier rounds
        routers start "$(examples/vllm-gpu/pool.sh addresses)" >&2 || fail "the routers do not start; without them: rm -r $store/routers"
        more+=(--urls "$(routers urls)" --isolation reset)
      fi
      POLICIES=${policies%,} examples/vllm-gpu/pool.sh compare --baseline "${POLICIES%%,*}" --workloads "$workload" --rounds 1 --seed "$round" \
        "${more[@]}" --output-tokens "$OUTPUT_TOKENS" --trace "$out/$workload-$round" \
        --json "$out/$workload-$round/part.json" >"$out/$workload-$round/compare.txt" 2>&1 || fail "$(tail -n 20 "$out/$workload-$round/compare.txt")"
      [ ! -d "$store/routers" ] || routers stop
      mv "$out/$workload-$round/part.json" "$out/$workload-$round/result.json" # whole
      took[$workload]=$((SECONDS - began))
      ((took[$workload] <= longest)) || longest=${took[$workload]}
      say "$workload, round $round: ${took[$workload]} s"
    done
  done
}

# limits ADDRESS: the server's KV memory and batch, as --set wants them. CUDA graphs go as far as twice the batch.
limits() {
  local seqs
  seqs=$(sed -n 's/.*--max-num-seqs[ =]\([0-9]*\).*/\1/p' <<<"$SERVE_ARGS")
  echo "$(blocks "$1")${seqs:+,max_num_seqs=$seqs}"
}

# blocks ADDRESS: the server's KV memory.
blocks() {
  python3 - "$1" <<'PY'
import re, sys, urllib.request
page = urllib.request.urlopen(f"http://{sys.argv[1]}/metrics", timeout=10).read().decode()
info = next(line for line in page.splitlines() if line.startswith("vllm:cache_config_info"))
value = lambda name: int(re.search(name + r'="(\d+)"', info)[1])
print(f"block_size={value('block_size')},kv_blocks={value('num_gpu_blocks') - 1}")
PY
}

# table OUT: all replicas share one GPU, and with --cores 1 the model divides it among those that work.
table() {
  local out folders tokens profile
  out=$(cd "$1" && pwd)
  cd "$root"
  folders=("$out"/*-*/result.json)
  tokens=$(python3 -c 'import json, sys; p = json.load(open(sys.argv[1])); print(p["kv_blocks"]["value"] * p["block_size"]["value"])' "$out/calibrated.json")
  echo "$(head -n 1 "$out/gpu.txt"); servers of Llama-3.2-3B's shape with $tokens tokens of KV memory"
  sed 's/^/    /' "$out/calibrate.txt"
  for profile in "$(cat "$out/profile.txt")" "$out/calibrated.json"; do
    echo
    echo "--profile $profile"
    examples/vllm-cpu/fidelity.py --profile "$profile" --kv-tokens "$tokens" --cores "$(wc -l <"$out/gpu.txt")" "${folders[@]%/result.json}"
  done
}

[ $# -gt 0 ] || { usage; exit 2; }
case "$1:$#" in
  pack:2 | pack:3) # shellcheck source=examples/vllm-gpu/pack.sh
    . "$here/pack.sh"
    "$@"
    ;;
  take:3 | start:2 | run:3 | stop:2 | table:2) "$@" ;;
  help:* | -h:* | --help:*) usage ;;
  *) usage >&2; fail "wrong arguments: $*" 2 ;;
esac
