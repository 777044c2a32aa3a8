#!/usr/bin/env bash
# Holds the manifests of this folder against Envoy Gateway's custom resource definitions, which are in its Go module.
set -euo pipefail
cd "$(dirname "$0")/../.."
module=$(cd /tmp && GOFLAGS=-mod=mod go mod download -json github.com/envoyproxy/gateway@v1.9.1 | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
CRDS=$module/charts/gateway-helm/charts/crds/crds go test -count=1 -tags crds -run '^TestCRDs$' ./hostsim/internal/gateway
