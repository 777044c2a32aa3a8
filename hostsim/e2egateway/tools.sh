#!/usr/bin/env bash
# Builds Envoy Gateway and Envoy AI Gateway from the Go module proxy: about 12 minutes on two cores, once.
#   tools.sh PREFIX     afterwards: PREFIX/bin/envoy-gateway, ai-controller and ai-extproc, and their custom resource
#                       definitions in PREFIX/src and PREFIX/ai-definitions
set -euo pipefail

GATEWAY=github.com/envoyproxy/gateway@v1.9.1
GATEWAY_SUM='h1:vAVp6/AlBXJ1aOhp1mxL7fNEzVEfjADUguUhm2wzxQY='
AI=github.com/envoyproxy/ai-gateway@v1.0.0
AI_SUM='h1:cTdSnQmtQQ2Ea5T/LLK50pIthG2SJAOxU9XPXZbtDkU='

mkdir -p "$1/bin"
prefix=$(cd "$1" && pwd)
fail() { echo "tools.sh: $*" >&2; exit 1; }

# fetch MODULE SUM: a copy of its source in PREFIX/src. It builds as the main module alone: it has replace directives.
fetch() {
  local info
  info=$(cd / && go mod download -json "$1")
  field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" <<<"$info"; }
  [ "$(field Sum)" = "$2" ] || fail "$1: its module sum is $(field Sum), not $2"
  echo "==> building $1" >&2
  rm -rf "$prefix/src"
  cp -r "$(field Dir)/." "$prefix/src"
  chmod -R u+w "$prefix/src"
}

compile() { (cd "$prefix/src" && CGO_ENABLED=0 GOWORK=off go build -buildvcs=false -trimpath -ldflags '-s -w' -o "$prefix/bin/$1" "$2"); }

built() { [ "$(cat "$prefix/$1" 2>/dev/null)" = "$2" ]; }

if ! built ai-stamp "$AI $AI_SUM"; then
  rm -f "$prefix/stamp" # whose source goes
  fetch "$AI" "$AI_SUM"
  compile ai-controller ./cmd/controller
  compile ai-extproc ./cmd/extproc
  rm -rf "$prefix/ai-definitions"
  cp -r "$prefix/src/manifests/charts/ai-gateway-crds-helm/templates" "$prefix/ai-definitions"
  echo "$AI $AI_SUM" >"$prefix/ai-stamp"
fi
if ! built stamp "$GATEWAY $GATEWAY_SUM"; then
  fetch "$GATEWAY" "$GATEWAY_SUM"
  compile envoy-gateway ./cmd/envoy-gateway
  echo "$GATEWAY $GATEWAY_SUM" >"$prefix/stamp"
fi
