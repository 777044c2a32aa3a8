#!/usr/bin/env bash
# check.sh TOOLS: holds the manifests of this folder, and those of ../envoy-gateway-peers, against Envoy Gateway's custom resource
# definitions, which are in its Go module.
set -euo pipefail
cd "$(dirname "$0")/../.."
istio/tools.sh "$1" kustomize
tools=$(cd "$1" && pwd)
module=$(cd /tmp && GOFLAGS=-mod=mod go mod download -json github.com/envoyproxy/gateway@v1.9.1 | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
for example in envoy-gateway envoy-gateway-peers; do
  "$tools/bin/kustomize" build "examples/$example" >"$rendered/$example.yaml"
done
CRDS=$module/charts/gateway-helm/charts/crds/crds RENDERED=$rendered go test -count=1 -tags crds -run '^TestCRDs$' ./hostsim/internal/gateway
