#!/usr/bin/env bash
# Runs the test of this folder in a network, with mounts and processes of its own: nothing outlives it. Envoy Gateway listens
# on fixed ports and reads its certificates from /certs; Envoy AI Gateway has a socket below /etc.
#   run.sh GATEWAY KUBERNETES [TEST FLAG…]     folders of tools.sh and istio/tools.sh; ENVOY names the Envoy
set -euo pipefail
cd "$(dirname "$0")/../.."
gateway=$1 kubernetes=$2
shift 2
fail() { echo "e2e-gateway: $*" >&2; exit 1; }

[ "$(uname -s)" = Linux ] || fail "namespaces are needed: Linux only"
[ "$(id -u)" = 0 ] || fail "root is needed: Envoy Gateway reads /certs"
for tool in unshare nsenter ip mount; do
  command -v "$tool" >/dev/null || fail "$tool is needed: apt-get install util-linux mount iproute2"
done
go test -c -tags e2egateway -o build/e2e-gateway.test ./hostsim/e2egateway
made=()
trap '[ ${#made[@]} = 0 ] || rmdir "${made[@]}"' EXIT
for place in /certs /etc/ai-gateway-extproc-uds; do # to mount at: programs have these paths built in
  [ -d "$place" ] || { mkdir "$place" && made+=("$place"); }
done
started=$SECONDS
env GATEWAY_TOOLS="$gateway" ISTIO_TOOLS="$kubernetes" unshare --net --mount --pid --fork --mount-proc bash -euc '
  ip link set lo up
  for a in 10.9.0.1 10.244.0.{2..6}; do ip address add "$a/32" dev lo; done # the API server, pods
  ip link add gateways type bridge # leads to the second gateway, which has a network of its own
  ip address add 10.9.1.1/24 dev gateways
  ip link set gateways up
  mount -t tmpfs tmpfs /certs
  mount -t tmpfs tmpfs /etc/ai-gateway-extproc-uds
  mount -t tmpfs tmpfs /run # where ip keeps the names of networks
  hosts=$(mktemp)
  { cat /etc/hosts; echo "10.9.1.1 envoy-gateway.envoy-gateway-system.svc.cluster.local envoy-gateway"
    echo "10.9.1.3 ai-gateway-controller.envoy-ai-gateway-system.svc.cluster.local"
    for a in 10.244.0.{2,3,4}; do echo "$a vllm.default.svc.cluster.local"; done # headless Services
    for a in 10.244.0.{5,6}; do echo "$a small.default.svc.cluster.local"; done; } >"$hosts"
  mount --bind "$hosts" /etc/hosts
  rm "$hosts"
  cd hostsim/e2egateway
  exec ../../build/e2e-gateway.test -test.timeout 9m "$@"' bash "$@"
echo "==> e2e-gateway: $((SECONDS - started)) s" >&2
