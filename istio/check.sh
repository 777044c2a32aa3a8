#!/usr/bin/env bash
# Holds everything istio/ ships against the schemas of Kubernetes, Istio, the Gateway API and its inference extension,
# without building Istio; and, where istioctl has been built (./build.sh e2e-istio), against `istioctl validate` and
# `analyze`, which know the Envoy configuration in an EnvoyFilter too.
#   check.sh TOOLS
set -euo pipefail
cd "$(dirname "$0")"
tools=$1
mkdir -p "$tools/bin"
tools=$(cd "$tools" && pwd)

KUBERNETES=k8s.io/kubernetes@v1.36.3
CRDS=( # module and files
  'istio.io/api@v1.31.1 kubernetes/customresourcedefinitions.gen.yaml'
  'sigs.k8s.io/gateway-api@v1.5.1 config/crd/standard/gateway.networking.k8s.io_gateways.yaml'
  'sigs.k8s.io/gateway-api@v1.5.1 config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'
  'sigs.k8s.io/gateway-api-inference-extension@v1.4.0 config/crd/bases/inference.networking.k8s.io_inferencepools.yaml'
)

# folder MODULE: where its files are.
folder() { (cd / && go mod download -json "$1") | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p'; }

# The schemas are made once for what they are made from.
schemas=$tools/schemas stamp=$(cat schemas/main.go check.sh | sha256sum)
make_schemas() {
  [ "$(cat "$schemas/.stamp" 2>/dev/null)" != "$stamp" ] || return 0
  echo "==> making schemas of $KUBERNETES and ${#CRDS[@]} files of definitions" >&2
  local files=() crd module
  for crd in "${CRDS[@]}"; do
    module=$(folder "${crd%% *}")
    files+=("$module/${crd#* }")
  done
  rm -rf "$schemas"
  mkdir -p "$schemas"
  go run ./schemas "$schemas" "$(folder "$KUBERNETES")/api/openapi-spec/swagger.json" "${files[@]}"
  echo "$stamp" >"$schemas/.stamp"
}

./tools.sh "$tools" kustomize kubeconform helm
make_schemas
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
for folder in $(find . -name kustomization.yaml -printf '%h\n' | sort); do
  name=$(tr -d . <<<"$folder" | tr / -)
  "$tools/bin/kustomize" build "$folder" >"$rendered/$name.yaml" || { echo "istio/$folder: kustomize refuses it" >&2; exit 1; }
done
# The chart, with the values that make it each of these folders, and with other names.
"$tools/bin/helm" lint --quiet --strict chart
chart() { # NAME [VALUE…]
  local name=$1 values=()
  for value in "${@:2}"; do values+=(--set "$value"); done
  "$tools/bin/helm" template warmroute chart "${values[@]}" >"$rendered/chart-$name.yaml" || { echo "istio/chart: helm refuses $*" >&2; exit 1; }
}
own=(service.name=qwen service.namespace=models service.port=9000 route=llm gateway.namespace=edge gateway.selector.istio=edge config.policy=expected_ttft config.steer.candidates=4)
try=(vllm.create=true gateway.create=true) alone=gateways.share=false
chart wasmplugin $alone
chart envoyfilter $alone variant=envoyfilter
chart gateway-api $alone gateway.name=llm gateway.namespace=default
chart vllm-classic "${try[@]}"
chart vllm-gateway-api "${try[@]}" gateway.name=llm gateway.namespace=default
chart subsets $alone variant=subsets
chart consistent-hash variant=consistent-hash
chart inferencepool $alone variant=inferencepool gateway.name=llm gateway.namespace=default
chart pools $alone variant=envoyfilter 'config.paths[0].path=/batch/**' 'pools[0].name=sql' 'pools[0].service=vllm-sql' 'pools[0].models={sql,sql-*}' 'pools[1].name=vllm-*' 'pools[2].name=vllm'
chart gateways-wasmplugin
chart gateways-envoyfilter variant=envoyfilter
chart gateways-gateway-api gateway.name=llm gateway.namespace=default
chart gateways-pools variant=envoyfilter 'config.paths[0].path=/batch/**' 'pools[0].name=sql' 'pools[0].service=vllm-sql' 'pools[0].models={sql,sql-*}' 'pools[1].name=vllm-*' 'pools[2].name=vllm'
chart names-wasmplugin "${own[@]}" "${try[@]}"
chart names-envoyfilter "${own[@]}" variant=envoyfilter
chart names-subsets "${own[@]}" "${try[@]}" variant=subsets subsets.pods=3
chart names-consistent-hash "${own[@]}" "${try[@]}" variant=consistent-hash config.policy=prefix_hash # one that has a key
chart names-inferencepool "${own[@]}" "${try[@]}" variant=inferencepool gateway.name=edge inferencePool.targetPort=9001
shared=(gateways.port=9911 gateways.log=false)
chart names-gateways-wasmplugin "${own[@]}" "${try[@]}" "${shared[@]}"
chart names-gateways-envoyfilter "${own[@]}" "${shared[@]}" variant=envoyfilter
chart names-gateways-subsets "${own[@]}" "${shared[@]}" variant=subsets
chart names-gateways-inferencepool "${own[@]}" "${try[@]}" "${shared[@]}" variant=inferencepool gateway.name=edge imagePullSecret=pull
chart names-gateway-api "${own[@]}" "${try[@]}" gateway.name=edge
chart names-pools "${own[@]}" "${try[@]}" variant=envoyfilter 'pools[0].name=sql' 'pools[0].models={sql}' 'pools[1].name=qwen' 'pools[1].config.policy=random'
for bad in variant=other variant=subsets,gateway.name=llm service.port=0 servce.name=vllm image=warmroute config.polcy=random config.policy=fastest variant=inferencepool 'pools[0].name=sql' subsets.pods=0 gateways.port=0 variant=envoyfilter,imagePullSecret=pull gateways.secret.name=other config.peers.trust=secret 'variant=envoyfilter,pools[0].name=sql,pools[0].config.polcy=random'; do
  ! "$tools/bin/helm" template warmroute chart --set "$bad" >"$rendered/bad" 2>&1 || { echo "istio/chart: helm takes $bad" >&2; exit 1; }
done
rm "$rendered/bad"
RENDERED=$rendered go test -count=1 -tags chart -run '^TestChart' ./e2e
"$tools/bin/kubeconform" -strict -summary -schema-location "$schemas/{{ .Group }}-{{ .ResourceAPIVersion }}-{{ .ResourceKind }}.json" "$rendered"
modules=$(grep -lE 'pluginConfig:|configuration:' "$rendered"/*.yaml)
# shellcheck disable=SC2086 # names without spaces
(cd .. && go run ./hostsim check $modules) >"$rendered/findings" || { cat "$rendered/findings" >&2; exit 1; }

# has COUNT TEXT NAME…: the components have put it in.
has() {
  local count=$1 text=$2 name
  shift 2
  for name in "$@"; do
    [ "$(grep -c -- "$text" "$rendered/-gateways-$name.yaml")" = "$count" ] || { echo "istio/gateways/$name: want $count times $text" >&2; exit 1; }
  done
}
has 2 '^    peers:$' wasmplugin gateway-api # of the filter that asks, and of the one that answers
has 2 '"peers": {"cluster":' envoyfilter pools # once where it comes from

# complain FILE…: fails with what istioctl wrote. Of an EnvoyFilter it always warns that it is an EnvoyFilter; a field that
# Envoy lacks is a warning too.
complain() {
  grep -v 'exposes internal implementation details\|has warnings:\|is valid\|^[[:space:]]*$\|No validation issues\|^  - ' "$rendered/log" >"$rendered/complaints" || return 0
  echo "istioctl of $*:" >&2
  cat "$rendered/complaints" >&2
  exit 1
}
if [ -x "$tools/bin/istioctl" ]; then
  cd "$rendered"
  for pair in vllm-classic:{,gateways-}{wasmplugin,envoyfilter,pools} vllm-classic:{subsets,consistent-hash} \
    vllm-gateway-api:{{,gateways-}gateway-api,inferencepool}; do
    base=-${pair%:*}.yaml variant=-${pair#*:}.yaml
    "$tools/bin/istioctl" validate -f "./$variant" -f "./$base" >log 2>&1 || true
    complain "$pair"
    "$tools/bin/istioctl" analyze --use-kube=false --all-namespaces "./$base" "./$variant" >log 2>&1 || true
    complain "$pair"
  done
fi
