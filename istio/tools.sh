#!/usr/bin/env bash
# Builds, from the Go module proxy, what checks istio/: kustomize, kubeconform and helm; and a real Istio control plane: etcd,
# kube-apiserver, istiod (pilot-discovery), pilot-agent and istioctl. About 20 minutes of CPU for all of them, once; a
# finished one is not built again, and an interrupted build goes on from Go's build cache.
#   tools.sh PREFIX [NAME…]     afterwards: PREFIX/bin/NAME; of the control plane PREFIX/src, with Istio's CRDs
set -euo pipefail

ISTIO_VERSION=v0.0.0-20260423205519-b01690e6db7d # 1.31 in development: what the proxy serves of istio.io/istio
ISTIO_SUM='h1:A+Us0Ium1V2WFsOJYZAfeNfWmPQULLUVdgwNm7KjLF8='
KUBERNETES_VERSION=v1.36.3
KUBERNETES_SUM='h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o='
ETCD_VERSION=v3.6.8
ETCD_SUM='h1:U2strdSEy1U8qcSzRIdkYpvOPtBy/9i/IfaaCI9flZ4='
KUSTOMIZE=sigs.k8s.io/kustomize/kustomize/v5@v5.8.0
HELM=helm.sh/helm/v4/cmd/helm@v4.2.0
KUBECONFORM=github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0

[ $# -gt 0 ] || { echo "usage: tools.sh PREFIX [NAME…]" >&2; exit 2; }
prefix=$1
shift
[ $# -gt 0 ] || set -- kustomize kubeconform helm etcd kube-apiserver pilot-agent pilot-discovery istioctl
mkdir -p "$prefix/bin" "$prefix/src"
prefix=$(cd "$prefix" && pwd)
export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=0 GOWORK=off
unset GOFLAGS

# fetch NAME MODULE VERSION SUM: the module's files in PREFIX/src/NAME, writable, so that it can be built as the main
# module: with replace directives, or as a dependency, none of the three builds from the proxy.
fetch() {
  local target=$prefix/src/$1 info work
  [ "$(cat "$target/.stamp" 2>/dev/null)" != "$2@$3 $4" ] || return 0
  info=$(cd / && go mod download -json "$2@$3")
  field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" <<<"$info"; }
  [ "$(field Sum)" = "$4" ] || { echo "$2 $3: its module sum is $(field Sum), not $4" >&2; exit 1; }
  work=$(mktemp -d "$target.XXXXXX")
  cp -r "$(field Dir)/." "$work"
  chmod -R u+w "$work"
  # Parts of the same repository are separate modules that the zip lacks. They have versions of their own on the proxy.
  case $1 in
    etcd) (cd "$work" && published 's|^\t\(go.etcd.io/etcd/[^ ]*\) => \.\./.*|\1|p' "$3") ;;
    kubernetes) (cd "$work" && rm -rf vendor go.work go.work.sum && published 's|^\t\(k8s.io/[^ ]*\) => \./staging/.*|\1|p' "v0${3#v1}") ;;
  esac
  echo "$2@$3 $4" >"$work/.stamp"
  rm -rf "$target"
  mv "$work" "$target"
}

# published SED VERSION: takes what go.mod replaces by a folder (SED prints the names) from the proxy instead.
published() {
  local name edits=()
  for name in $(sed -n "$1" go.mod); do edits+=("-replace=$name=$name@$2"); done
  go mod edit "${edits[@]}"
}

# compile NAME SOURCE PACKAGE [FLAG…]
compile() {
  local name=$1 source=$prefix/src/$2 package=$3 started=$SECONDS
  shift 3
  echo "building $name from $(cat "$source/.stamp")" >&2
  (cd "$source" && GOFLAGS=-mod=mod go build -buildvcs=false -trimpath -ldflags '-s -w' "$@" -o "$prefix/bin/$name.new" "$package")
  mv "$prefix/bin/$name.new" "$prefix/bin/$name"
  cp "$source/.stamp" "$prefix/bin/$name.stamp"
  echo "built $name in $((SECONDS - started)) s, $(stat -c %s "$prefix/bin/$name") bytes" >&2
}

# install NAME PACKAGE@VERSION: of those that go builds by itself.
install() {
  [ "$(cat "$prefix/bin/$1.stamp" 2>/dev/null)" = "$2" ] && [ -x "$prefix/bin/$1" ] && return
  echo "building $1 from $2" >&2
  (cd / && GOBIN=$prefix/bin go install "$2")
  echo "$2" >"$prefix/bin/$1.stamp"
}

for name in "$@"; do
  case $name in
    kustomize) install "$name" "$KUSTOMIZE" && continue ;;
    helm) install "$name" "$HELM" && continue ;;
    kubeconform) install "$name" "$KUBECONFORM" && continue ;;
    etcd) source=(etcd go.etcd.io/etcd/server/v3 "$ETCD_VERSION" "$ETCD_SUM") how=(.) ;;
    kube-apiserver) source=(kubernetes k8s.io/kubernetes "$KUBERNETES_VERSION" "$KUBERNETES_SUM") how=(./cmd/kube-apiserver) ;;
    pilot-agent | pilot-discovery) source=(istio istio.io/istio "$ISTIO_VERSION" "$ISTIO_SUM")
      how=("./pilot/cmd/$name" -tags=vtprotobuf,disable_pgv) ;;
    istioctl) source=(istio istio.io/istio "$ISTIO_VERSION" "$ISTIO_SUM") how=(./istioctl/cmd/istioctl -tags=vtprotobuf,disable_pgv) ;;
    *) echo "tools.sh: there is no tool \"$name\"" >&2; exit 2 ;;
  esac
  fetch "${source[@]}"
  [ -x "$prefix/bin/$name" ] && [ "$(cat "$prefix/bin/$name.stamp" 2>/dev/null)" = "$(cat "$prefix/src/${source[0]}/.stamp")" ] ||
    compile "$name" "${source[0]}" "${how[@]}"
done
