#!/usr/bin/env bash
# check.sh TOOLS: holds the manifests of this folder, of ../envoy-gateway-peers, ../envoy-ai-gateway and its -peers against the custom resource
# definitions of Envoy Gateway and Envoy AI Gateway, which are in their Go modules.
set -euo pipefail
cd "$(dirname "$0")/../.."
istio/tools.sh "$1" kustomize
tools=$(cd "$1" && pwd)
# module NAME@VERSION: where its source is.
module() { (cd /tmp && GOFLAGS=-mod=mod go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'); }
gateway=$(module github.com/envoyproxy/gateway@v1.9.1)
ai=$(module github.com/envoyproxy/ai-gateway@v1.0.0)
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
for example in envoy-gateway envoy-gateway-peers envoy-ai-gateway envoy-ai-gateway-peers; do
  "$tools/bin/kustomize" build "examples/$example" >"$rendered/$example.yaml"
done
CRDS=$gateway/charts/gateway-helm/charts/crds/crds:$ai/manifests/charts/ai-gateway-crds-helm/templates RENDERED=$rendered \
  go test -count=1 -tags crds -run '^TestCRDs$' ./hostsim/internal/gateway
