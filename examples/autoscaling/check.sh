#!/usr/bin/env bash
# check.sh TOOLS: holds the manifests of this folder against the schemas of Kubernetes and KEDA.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p "$1/bin"
tools=$(cd "$1" && pwd)
KUBERNETES=k8s.io/kubernetes@v1.36.3
KEDA=github.com/kedacore/keda/v2@v2.18.1
folder() { (cd / && go mod download -json "$1") | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p'; }

schemas=$tools/schemas-autoscaling stamp=$(cat ../../istio/schemas/main.go check.sh | sha256sum)
if [ "$(cat "$schemas/.stamp" 2>/dev/null)" != "$stamp" ]; then
  echo "==> making schemas of $KUBERNETES and $KEDA" >&2
  rm -rf "$schemas"
  mkdir -p "$schemas"
  (cd ../.. && go run ./istio/schemas "$schemas" "$(folder "$KUBERNETES")/api/openapi-spec/swagger.json" "$(folder "$KEDA")/config/crd/bases/keda.sh_scaledobjects.yaml")
  echo "$stamp" >"$schemas/.stamp"
fi
../../istio/tools.sh "$tools" kubeconform
"$tools/bin/kubeconform" -strict -summary -schema-location "$schemas/{{ .Group }}-{{ .ResourceAPIVersion }}-{{ .ResourceKind }}.json" ./*.yaml
