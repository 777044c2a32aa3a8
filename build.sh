#!/usr/bin/env bash
# Builds, tests and runs everything. Each command installs the tools it needs, says so, and is quick the second time.
set -euo pipefail
cd "$(dirname "$0")"

GO_MIN=1.26
TINYGO_MINOR=0.41 # whose runtime plugin/toolchain/runtime.sh knows; older ones refuse Go 1.26
TINYGO_VERSION=v0.41.1
TINYGO_SUM='h1:Hp1Frc4zQALL88t49XraSZEwkIYEjMOmmurlmsTigzE='
ENVOY_MIN=1.37 # request_body_buffer_limit, which the examples have
ENVOY_VERSION=1.40.0
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.7.0
GOTESTSUM=gotest.tools/gotestsum@v1.13.0
CYCLONEDX=1.10.0
TAGS=e2e,e2eclients,e2egateway,e2evllm,e2eistio,promtool,crds,chart,trap # of tests that need more than Go
WASM=build/warmroute.wasm
TOOLS=${WARMROUTE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warmroute}

usage() {
  cat <<'TEXT'
usage: ./build.sh COMMAND…
  setup      find TinyGo and Envoy on PATH, or build and install them under ~/.cache/warmroute
  build      build build/warmroute.wasm and build/hostsim
  demo       compare policies through a real Envoy in front of simulated replicas: tables and an HTML report
  test       run every test: unit, the module on wazero, and end to end on a real Envoy
  release [VERSION]  write to build/release: module, image, chart, hostsim for four platforms, SBOM and checksums
  sbom       write what the module is made of to build/warmroute.cdx.json (CycloneDX)
  check      gofmt, go vet, staticcheck, import rules, promtool and CRD checks of the examples, go.mod, reproducible module
  fuzz [INPUTS]  fuzz every target with so many inputs (20000) that chance draws; their seeds are part of test
  bench [FLAGS]  measure what the module adds to a plain Envoy: table, build/cost.json and .html; with flags (hostsim cost) a part of it
  bench-parts  the benchmarks of a decision's parts
  e2e        run only the tests that need a real Envoy
  e2e-clients  test with the official Python packages of OpenAI and Anthropic, through a real Envoy (installs 40 MB)
  e2e-gateway  test examples/envoy-gateway and envoy-ai-gateway on real gateways and a real API server (built once: 20 minutes on two cores)
  e2e-istio  test istio/ on a real istiod, API server and gateway (built once: 12 minutes on two cores)
  e2e-vllm   test against real vLLM servers on this machine's CPU, through a real Envoy (installs 2.5 GB)
  image [--push REF]  build the OCI image for Istio and Envoy Gateway in build/image; with --push, upload it
  envoy      print the path of the Envoy that the commands above use
TEXT
}

say() { echo "==> $*" >&2; }
fail() { echo "build.sh: $*" >&2; exit 1; }

# at_least WANT HAVE: whether version HAVE is WANT or newer.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

setup_go() {
  command -v go >/dev/null || fail "Go $GO_MIN or newer is needed on PATH (on Debian 12: from the Go project, or golang-$GO_MIN where a repository has it)"
  local have
  have=$(go env GOVERSION) have=${have#go}
  at_least "$GO_MIN" "$have" || fail "Go $GO_MIN or newer is needed; this one is $have"
}

setup_tinygo() {
  local have
  if have=$(tinygo version 2>/dev/null) && [[ $(awk '{print $3}' <<<"$have") == "$TINYGO_MINOR".* ]]; then
    TINYGO=$(type -P tinygo)
    return
  fi
  TINYGO=$TOOLS/tinygo-${TINYGO_VERSION#v}/bin/tinygo
  plugin/toolchain/tinygo.sh "$TINYGO_VERSION" "$TINYGO_SUM" "${TINYGO%/bin/tinygo}"
}

setup_envoy() { ENVOY=$(hostsim/internal/gateway/envoy.sh "$ENVOY_MIN" "$ENVOY_VERSION" "$TOOLS"); export ENVOY; }

# A browser for the test that opens our pages.
setup_chromium() { CHROMIUM=$(hostsim/internal/report/chromium.sh); export CHROMIUM; }

setup_prometheus() { PROMETHEUS=$(examples/grafana/prometheus.sh "$TOOLS/promtool" prometheus); export PROMETHEUS; }

setup() { setup_go; setup_tinygo; setup_envoy; }

# wasm FILE TAG: the module, where something is newer than it. One that was downloaded needs no TinyGo.
wasm() {
  [ ! -e "$1" ] || [ -n "$(find plugin go.mod -newer "$1" -type f ! -name '*_test.go' -print -quit)" ] || return 0
  setup_tinygo
  say "building $1"
  TINYGO=$TINYGO plugin/toolchain/module.sh "$1" ./plugin "$2"
}

build() {
  setup_go
  mkdir -p build
  wasm "$WASM" release
  go build -o build/hostsim ./hostsim
  echo "$WASM $(stat -c %s "$WASM") bytes sha256 $(sha256sum "$WASM" | cut -d' ' -f1)"
}

# One more module, which fails when a test asks it to.
build_tests() { build; wasm "${WASM%.wasm}-trap.wasm" trap; }

# Every test. One that fails runs once more, for a busy machine may upset servers and browsers; the summary names it.
test_all() {
  setup_envoy; setup_chromium; setup_prometheus; build_tests
  go run "$GOTESTSUM" --format pkgname --rerun-fails=1 --rerun-fails-max-failures=3 --rerun-fails-run-root-test --packages ./... -- -tags e2e -timeout 30m
}
envoy() { setup_envoy; echo "$ENVOY"; }
e2e() { setup_envoy; setup_prometheus; build_tests; go test -tags e2e -count=1 -timeout 30m ./hostsim/e2e; }
e2e_clients() {
  setup_envoy; build
  CLIENTS_PYTHON=$(hostsim/e2eclients/python.sh "$TOOLS") go test -tags e2eclients -count=1 -timeout 10m ./hostsim/e2eclients
}
e2e_gateway() {
  setup_envoy; build
  istio/tools.sh "$TOOLS/istio" kustomize etcd kube-apiserver
  hostsim/e2egateway/tools.sh "$TOOLS/envoy-gateway"
  hostsim/e2egateway/run.sh "$TOOLS/envoy-gateway" "$TOOLS/istio" -test.v
}
e2e_istio() { istio/e2e/run.sh; setup_envoy; build; istio/tools.sh "$TOOLS/istio"; istio/e2e/run.sh "$TOOLS/istio" -test.v; }
e2e_vllm() {
  setup_envoy; build
  trap 'examples/vllm-cpu/pool.sh stop' EXIT
  examples/vllm-cpu/pool.sh start
  go test -tags e2evllm -count=1 -timeout 15m ./hostsim/e2evllm
}
demo() { setup_envoy; build; build/hostsim demo --envoy "$ENVOY" --wasm "$WASM" --html build/demo.html; }
image() {
  build
  build/hostsim image --wasm "$WASM" --source "$(git config remote.origin.url | grep '^https://' || true)" \
    --version "$(git describe --tags --always --dirty 2>/dev/null || true)" "$@"
}

# What users pay. Without flags, all of it (hostsim cost --help has the flags).
bench() {
  setup_envoy; setup_tinygo; build; export TINYGO
  local guest; local -a guests=(--ext-proc build/extproc)
  go build -o build/extproc ./hostsim/internal/cost/extproc
  for guest in noop floor; do
    plugin/toolchain/module.sh "build/$guest.wasm" "./hostsim/internal/cost/testdata/$guest"
    guests+=(--with "build/$guest.wasm")
  done
  [ $# -gt 0 ] || set -- --bytes 4096,2048,32768,400000,1000000 --connections 1,8,32 --endpoints 8,64,256,1024 --workers 1,2,4,8 \
    --pools 1,2,8,32 --blocks 64,128,512,1020 --memory 200000 --idle 30s --span 500ms --json build/cost.json --html build/cost.html
  build/hostsim cost --envoy "$ENVOY" --wasm "$WASM" "${guests[@]}" "$@"
}

# The parts of a decision, alone.
bench_parts() {
  setup_envoy; setup_tinygo; export TINYGO
  go test -run '^$' -bench 'Scan|Fastjson|Wasm' -benchtime 200ms ./plugin/prompt
  go test -tags e2e -run '^$' -bench SharedIndex -benchtime 1x -timeout 30m ./hostsim/e2e
  go test -run '^$' -bench . -benchtime 200ms ./plugin/prefix ./plugin/ring ./plugin/route ./plugin/share
}

# fuzz runs every fuzz target for so many inputs: by count, because go takes running out of time within an input for a
# finding (golang/go#75804). A small minimising time: without, go stalls on the larger inputs.
fuzz() {
  setup_go
  local package target found inputs=${1:-20000}
  while IFS=: read -r package target; do
    found=$(go test -run '^$' -fuzz "^$target\$" -fuzztime "${inputs}x" -fuzzminimizetime 1x -parallel 2 "./$package" 2>&1) ||
      fail "fuzzing $target in $package: $found"
    say "$package: $target, $inputs inputs, nothing found"
  done < <(grep -ro --include='*_test.go' '^func Fuzz[A-Za-z]*' plugin hostsim | sed 's|/[^/]*:func |:|' | sort -u)
}

# reproducible builds the module again in another folder: it is the same, byte for byte.
reproducible() {
  local there
  setup_tinygo
  there=$(mktemp -d)
  mkdir "$there/elsewhere"
  cp -r plugin go.mod go.sum "$there/elsewhere"
  (cd "$there/elsewhere" && TINYGO=$TINYGO plugin/toolchain/module.sh "$there/again.wasm" ./plugin release)
  cmp "$WASM" "$there/again.wasm" || fail "the module differs when it is built in another folder"
  rm -r "$there"
}

sbom() {
  setup_go
  mkdir -p build "$TOOLS"
  local tool=$TOOLS/cyclonedx-gomod-$CYCLONEDX source
  if [ ! -x "$tool" ]; then # its proxy entry has no list of versions, which go run wants
    say "building cyclonedx-gomod $CYCLONEDX"
    source=$(mktemp -d)
    cp -r "$(go mod download -json "github.com/CycloneDX/cyclonedx-gomod@v$CYCLONEDX" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/." "$source"
    (cd "$source" && chmod -R u+w . && go build -o "$tool" ./cmd/cyclonedx-gomod)
    rm -rf "$source"
  fi
  source=$(mktemp -d) # a clone: the tool reads the version from git, and knows no worktrees
  git clone --quiet --no-local . "$source/warmroute"
  GOOS=wasip1 GOARCH=wasm GOFLAGS=-tags=tinygo "$tool" app -json -std -licenses=false -noserial -notimestamp -main plugin \
    -output "$PWD/build/warmroute.cdx.json" "$source/warmroute"
  rm -rf "$source"
}

release() { build; sbom; .ci/release "$@"; }

check() {
  setup_go
  local unformatted
  unformatted=$(gofmt -l plugin hostsim istio)
  [ -z "$unformatted" ] || fail "not formatted: $unformatted"
  go vet -tags "$TAGS" ./...
  go run "$STATICCHECK" -tags "$TAGS" ./...
  go test -run '^TestRooms$' ./hostsim
  examples/grafana/check.sh "$TOOLS/promtool"
  examples/envoy-gateway/check.sh "$TOOLS/istio"
  examples/autoscaling/check.sh "$TOOLS/istio"
  istio/check.sh "$TOOLS/istio"
  go mod tidy -diff
  build
  reproducible
  say "check: clean"
}

[ $# -gt 0 ] || { usage; exit 2; }
while [ $# -gt 0 ]; do
  command=$1 && shift
  case $command in
    setup | build | envoy | check | sbom | demo | bench-parts | e2e | e2e-clients | e2e-gateway | e2e-istio | e2e-vllm) "${command/-/_}" ;;
    test) test_all ;;
    image | bench | fuzz | release) "$command" "$@"; exit ;; # what follows is for it
    help | -h | --help) usage ;;
    *) usage >&2; fail "there is no command \"$command\"" ;;
  esac
done
