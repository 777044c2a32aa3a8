#!/usr/bin/env bash
# Routers of other projects before the servers that warmroute is compared on, for hostsim compare --urls: vLLM's and
# SGLang's, from PyPI, each with its project's defaults. Exit statuses: 1 something failed, 2 wrong arguments.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

VLLM_ROUTER=0.1.17
SGLANG_ROUTER=0.3.2
TOOLS=${WARMROUTE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warmroute}
ROUTERS=${ROUTERS:-$TOOLS/routers}
STATE=$root/build/routers
PORT=${ROUTERS_PORT:-8301}
ALL=(vllm_router sglang_router vllm_router_hash) # the port follows from the place
read -ra KINDS <<<"${ROUTERS_KINDS:-vllm_router sglang_router}"

# shellcheck source=examples/compare/servers.sh
. "$here/servers.sh"
PATIENCE=120

usage() {
  cat <<'TEXT'
usage: routers.sh COMMAND
  install           vllm-router and sglang-router from PyPI into ROUTERS, ~/.cache/warmroute/routers by default (200 MB)
  start IP:PORT,…   a router of each kind before these servers, and waits until each forwards to all of them. Those that
                    run are stopped first: the new ones know nothing of earlier requests
  urls              NAME=URL of each, joined by commas, for hostsim compare --urls
  status            which routers run, and where
  stop              all routers
ROUTERS_KINDS (vllm_router sglang_router) says which; vllm_router_hash is vLLM's with --policy consistent_hash.
ROUTERS_PORT (8301) is the port of vllm_router. The others have the next two; ten above each is the one of its metrics.
TEXT
}

# check_settings sees that ROUTERS_KINDS and ROUTERS_PORT can be used.
check_settings() {
  local kind seen=' '
  [[ $PORT =~ ^[1-9][0-9]{0,4}$ ]] && ((PORT <= 65523)) || fail "ROUTERS_PORT: \"$PORT\" is not a port up to 65523" 2
  [ ${#KINDS[@]} -gt 0 ] || fail "ROUTERS_KINDS is empty; there are ${ALL[*]}" 2
  for kind in "${KINDS[@]}"; do
    [ -n "$(port "$kind")" ] || fail "ROUTERS_KINDS: there is no \"$kind\"; there are ${ALL[*]}" 2
    [[ $seen != *" $kind "* ]] || fail "ROUTERS_KINDS: $kind is there twice" 2
    seen+="$kind "
  done
}

# port KIND
port() {
  local i
  for i in "${!ALL[@]}"; do
    [ "${ALL[i]}" != "$1" ] || echo $((PORT + i))
  done
}

# command_line KIND: once it runs, a router replaces its command line by a title, with nothing but its project in it.
command_line() {
  local module=${1%_hash}
  echo "${module}[.]launch_router .*--port $(port "$1") \|^${module%_router}::router"
}

# forwards PORT SERVER…: whether the servers answer and the router at PORT, if it is not 0, has a request answered and uses
# all of them. It prints why not. The request is a few bytes long, and shares nothing with those of a workload.
forwards() {
  NO_PROXY='*' no_proxy='*' python3 - "$@" 2>&1 <<'PY'
import http.client, json, sys, urllib.request
port, *servers = sys.argv[1:]

def ask(address, path, body=None):
    request = urllib.request.Request(f"http://{address}{path}", body and json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request, timeout=30))
    except (OSError, ValueError, http.client.HTTPException) as err:
        sys.exit(f"{address}{path}: {err}")

def model(server):
    try:
        return ask(server, "/v1/models")["data"][0]["id"]
    except (LookupError, TypeError):
        sys.exit(f"{server}/v1/models: it lists no model")

models = [model(server) for server in servers]
if port != "0":
    router = f"127.0.0.1:{port}"
    healthy = [worker["url"] for worker in ask(router, "/workers")["workers"] if worker["is_healthy"]]
    for server in servers:
        if f"http://{server}" not in healthy:
            sys.exit(f"{server} is not among the healthy workers that {router} lists")
    ask(router, "/v1/chat/completions", {"model": models[0], "messages": [{"role": "user", "content": "?"}], "max_tokens": 1})
PY
}

answers() { WHY=$(forwards "$(port "$1")" "${SERVERS[@]}"); }

# launch KIND
launch() {
  local module=${1%_hash} at policy=()
  at=$(port "$1")
  [ "$1" = "$module" ] || policy=(--policy consistent_hash)
  env PYTHONPATH="$ROUTERS${PYTHONPATH:+:$PYTHONPATH}" NO_PROXY='*' no_proxy='*' \
    setsid python3 -m "$module.launch_router" --host 127.0.0.1 --port "$at" --prometheus-host 127.0.0.1 --prometheus-port $((at + 10)) \
    "${policy[@]}" --worker-urls "${SERVERS[@]/#/http://}" >"$STATE/$1.log" 2>&1 </dev/null &
}

# check_port PORT: that nobody listens there.
check_port() {
  ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || fail "port $1 is taken; choose others with ROUTERS_PORT"
}

install() {
  local kind missing=
  for kind in "${KINDS[@]}"; do
    [ -e "$ROUTERS/${kind%_hash}" ] || missing=${kind%_hash}
  done
  [ -n "$missing" ] || return 0
  [ ! -e "$ROUTERS" ] || fail "$ROUTERS has no $missing; remove that folder, or choose another one with ROUTERS"
  say "installing vllm-router $VLLM_ROUTER and sglang-router $SGLANG_ROUTER into $ROUTERS"
  rm -rf "$ROUTERS.part"
  python3 -m pip install --quiet --disable-pip-version-check --no-warn-conflicts --root-user-action ignore --target "$ROUTERS.part" \
    "vllm-router==$VLLM_ROUTER" "sglang-router==$SGLANG_ROUTER" || fail "pip could not install vllm-router and sglang-router"
  mv "$ROUTERS.part" "$ROUTERS" # whole
}

start() {
  local kind at why
  IFS=, read -ra SERVERS <<<"$1"
  for at in "${SERVERS[@]:-}"; do
    [[ $at =~ ^[0-9.]+:[0-9]+$ ]] || { usage >&2; fail "start: \"$at\" is not IP:PORT" 2; }
  done
  alone
  install
  stop
  why=$(forwards 0 "${SERVERS[@]}") || fail "a server does not answer: $why"
  for kind in "${KINDS[@]}"; do
    at=$(port "$kind")
    check_port "$at"
    check_port $((at + 10))
  done
  trap stop EXIT # if one fails, none goes on
  for kind in "${KINDS[@]}"; do begin "$kind"; done
  for kind in "${KINDS[@]}"; do await "$kind"; done
  trap - EXIT
  status
}

urls() {
  local kind list=
  for kind in "${KINDS[@]}"; do list+=",$kind=http://127.0.0.1:$(port "$kind")"; done
  echo "${list#,}"
}

status() {
  local kind
  for kind in "${ALL[@]}"; do
    if running "$kind"; then
      echo "$kind http://127.0.0.1:$(port "$kind") pid $(cat "$STATE/$kind.pid")"
    elif [[ " ${KINDS[*]} " == *" $kind "* ]]; then
      echo "$kind stopped"
    fi
  done
}

stop() {
  local kind
  for kind in "${ALL[@]}"; do stop_one "$kind"; done
}

[ $# -gt 0 ] || { usage; exit 2; }
case "$1:$#" in
  install:1 | start:2 | urls:1 | status:1 | stop:1) check_settings; "$@" ;;
  help:* | -h:* | --help:*) usage ;;
  *) usage >&2; fail "wrong arguments: $*" 2 ;;
esac
