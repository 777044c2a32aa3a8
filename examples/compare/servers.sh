# shellcheck shell=bash
# What the pools of examples/vllm-cpu and examples/vllm-gpu have in common: servers on loopback, known by number, whose
# process ids are in a folder of this working tree. To be sourced; wants STATE, MODEL, PORT and N, and a function
# launch NUMBER that starts a server in the background and returns its process id in $!. routers.sh has names in place of
# numbers, and functions of its own in place of port, command_line and answers.

say() { echo "==> $*" >&2; }
# fail MESSAGE [STATUS]
fail() { echo "${0##*/}: $1" >&2; exit "${2:-1}"; }

PATIENCE=600 # seconds until a server must answer
WHY=         # it does not answer, as far as answers says

# port I: of the server.
port() { echo $((PORT + $1)); }

# command_line I: a pattern of the server's command line, each argument with a space after it.
command_line() { echo "serve $MODEL .*--port $(port "$1") "; }

# running I: whether the server's process is there, and is ours.
running() {
  local pid
  pid=$(cat "$STATE/$1.pid" 2>/dev/null) &&
    tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q -- "$(command_line "$1")"
}

# answers I: whether GET /health is answered with 200.
answers() {
  local line
  (exec 3<>"/dev/tcp/127.0.0.1/$(port "$1")" && printf 'GET /health HTTP/1.0\r\n\r\n' >&3 &&
    read -r -t 2 line <&3 && [[ $line == *' 200 '* ]]) 2>/dev/null
}

# alone waits until no other start of this working tree is under way: both would start the same servers. Before begin.
alone() {
  mkdir -p "$STATE"
  exec 9>"$STATE/lock"
  flock -n 9 || { say "another start is under way; waiting until it has ended"; flock 9; }
}

# begin I: starts a server that is not running.
begin() {
  ! answers "$1" || fail "something else answers on port $(port "$1"); choose another PORT"
  mkdir -p "$STATE"
  launch "$1" 9>&- # the lock of alone is not the server's
  echo $! >"$STATE/$1.pid"
}

# await I: until the server answers; PATIENCE seconds at most.
await() {
  local until=$((SECONDS + PATIENCE))
  until answers "$1"; do
    # Not by running: just forked, the process does not bear its own name yet.
    kill -0 "$(cat "$STATE/$1.pid")" 2>/dev/null || fail "server $1 stopped at its start; the end of $STATE/$1.log: $(tail -n 20 "$STATE/$1.log")"
    ((SECONDS < until)) || fail "server $1 does not answer after $PATIENCE s${WHY:+: $WHY}; see $STATE/$1.log"
    sleep 0.2
  done
}

status() {
  local i
  for ((i = 0; i < N; i++)); do
    if running "$i"; then echo "vllm-$i 127.0.0.1:$((PORT + i)) pid $(cat "$STATE/$i.pid")"; else echo "vllm-$i stopped"; fi
  done
}

addresses() {
  local i list=
  for ((i = 0; i < N; i++)); do list+=,127.0.0.1:$((PORT + i)); done
  echo "${list#,}"
}

stop_one() {
  local pid tries=0
  if running "$1"; then
    pid=$(cat "$STATE/$1.pid")
    kill "$pid" 2>/dev/null || true # it may end by itself meanwhile
    while running "$1"; do
      ((++tries < 100)) || kill -KILL "$pid" 2>/dev/null || true # ten seconds: a request under way may hold it up
      sleep 0.1
    done
  fi
  rm -f "$STATE/$1.pid"
}

# stop [I]
stop() {
  local i
  if [ $# -gt 0 ]; then
    stop_one "$1"
  else
    for ((i = 0; i < N; i++)); do stop_one "$i"; done
  fi
}

# compare_pool ARGUMENT…: hostsim compare in front of the servers.
compare_pool() {
  local i root
  for ((i = 0; i < N; i++)); do running "$i" || fail "server $i is not running: $0 start"; done
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  cd "$root"
  [ -n "${PREBUILT:-}" ] || ./build.sh build >&2
  build/hostsim compare --envoy "${ENVOY:-$(./build.sh envoy)}" --replicas "$(addresses)" \
    --commit "$(git describe --always --abbrev=12 --dirty=+ 2>/dev/null || echo unknown)" "$@"
}
