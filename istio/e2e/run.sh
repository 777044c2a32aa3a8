#!/usr/bin/env bash
# Runs the tests of this folder in a network of their own: the control plane and the gateways listen on fixed ports, on
# all addresses. And with their own mounts and processes: nothing outlives them.
#   run.sh TOOLS [TEST FLAG…]     ENVOY names the Envoy; build/warmroute.wasm and build/hostsim exist
#   run.sh                        says what is lacking here, and does no more
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "e2e-istio: $*" >&2; exit 1; }

[ "$(uname -s)" = Linux ] || fail "namespaces are needed: Linux only"
for tool in unshare nsenter ip mount iptables; do
  command -v "$tool" >/dev/null || fail "$tool is needed: apt-get install util-linux mount iproute2 iptables"
done
namespace=(unshare --net --mount --pid --fork --mount-proc)
[ "$(id -u)" = 0 ] || namespace+=(--user --map-root-user)
"${namespace[@]}" true 2>/dev/null || fail "this user may not make namespaces (${namespace[*]} true): run as root, or where user namespaces are allowed"
[ $# -gt 0 ] || exit 0
tools=$1
shift

go test -c -tags e2eistio -o build/e2e-istio.test ./istio/e2e
started=$SECONDS
env ISTIO_TOOLS="$tools" "${namespace[@]}" bash -euc '
  ip link set lo up
  for n in 1 2 3 {11..18} {21..30}; do ip address add "10.9.0.$n/32" dev lo; done # gateways, control plane, pods
  ip link add gateways address 02:00:00:00:00:01 type bridge # of those in a network of their own; else its address is that of a port, and changes with them
  ip address add 10.9.1.254/24 dev gateways
  ip link set gateways up
  mount -t tmpfs tmpfs /run # where ip keeps the names of networks
  mount -t tmpfs tmpfs /var/lib && mkdir -p /var/lib/istio/data # where the agent keeps modules
  cd istio/e2e
  exec ../../build/e2e-istio.test -test.timeout 30m "$@"' bash "$@"
echo "==> e2e-istio: $((SECONDS - started)) s" >&2
