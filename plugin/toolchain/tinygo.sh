#!/usr/bin/env bash
# Builds TinyGo from the Go module proxy and Debian 12's LLVM, because no binary of it is to be had there.
#   tinygo.sh VERSION MODULE_SUM PREFIX     afterwards: PREFIX/bin/tinygo build -target=wasi …
# Needs amd64, Go 1.23–1.26 on PATH, and root for apt where a package is missing. Quiet when there is nothing to do.
set -euo pipefail

version=$1 sum=$2 prefix=$3
llvm=19 llvm_deb='1:19.1.7-3~deb12u1' wasi_deb='0.0~git20220510.9886d3d-2' binaryen_deb='108-1'
stamp="tinygo $version llvm $llvm_deb wasi-libc $wasi_deb binaryen $binaryen_deb"

if [ "$(cat "$prefix/.stamp" 2>/dev/null)" = "$stamp" ] && "$prefix/bin/tinygo" version >/dev/null 2>&1; then
  exit 0
fi

# Compiler, linker and builtins are needed to run TinyGo, the -dev packages and g++ only to build it.
packages=("wasi-libc=$wasi_deb" "binaryen=$binaryen_deb" g++ ca-certificates)
for name in clang-$llvm lld-$llvm libclang-rt-$llvm-dev-wasm32 llvm-$llvm-dev libclang-$llvm-dev; do
  packages+=("$name=$llvm_deb")
done
missing=()
for p in "${packages[@]}"; do
  have=$(dpkg-query -W -f='${Status}=${Version}' "${p%%=*}" 2>/dev/null || true)
  case $p in
    *=*) [ "$have" = "install ok installed=${p#*=}" ] || missing+=("$p") ;;
    *) [[ $have == "install ok installed="* ]] || missing+=("$p") ;;
  esac
done
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ]; then
    echo "TinyGo needs packages that only root can install:" >&2
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  echo "installing ${#missing[@]} Debian packages for TinyGo (about 1 GB)" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

echo "building TinyGo $version (2 to 6 minutes, once)" >&2
export GOTOOLCHAIN=${GOTOOLCHAIN:-local} CGO_ENABLED=1
info=$(cd / && GOFLAGS=-mod=mod go mod download -json "github.com/tinygo-org/tinygo@$version")
field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" <<<"$info"; }
if [ "$(field Sum)" != "$sum" ]; then
  echo "TinyGo $version: its module sum is $(field Sum), not $sum" >&2
  exit 1
fi
mkdir -p "$(dirname "$prefix")"
work=$(mktemp -d "$prefix.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$(field Dir)/." "$work"
chmod -R u+w "$work"
cd "$work"

# The module lacks its git submodules. src/net only has to exist for Go's own net to be taken; the C library and
# the compiler's builtins are Debian's archives, linked in place of those the target would build.
mkdir -p src/net/http
cat > targets/wasip1.json <<JSON
{
  "llvm-target": "wasm32-unknown-wasi",
  "cpu": "generic",
  "features": "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,-multivalue,-reference-types",
  "build-tags": ["tinygo.wasm"],
  "goos": "wasip1",
  "goarch": "wasm",
  "linker": "wasm-ld",
  "gc": "precise",
  "scheduler": "asyncify",
  "default-stack-size": 65536,
  "cflags": ["-mbulk-memory", "-mnontrapping-fptoint", "-mno-multivalue", "-mno-reference-types", "-msign-ext"],
  "ldflags": [
    "--stack-first", "--no-demangle",
    "/usr/lib/wasm32-wasi/libc.a",
    "/usr/lib/llvm-$llvm/lib/clang/$llvm/lib/wasi/libclang_rt.builtins-wasm32.a"
  ],
  "extra-files": ["src/runtime/asm_tinygowasm.S"]
}
JSON
GOFLAGS=-mod=readonly go build -buildvcs=false -trimpath -tags "llvm$llvm" -ldflags '-s -w' -o bin/tinygo .

rm -rf "$prefix"
mv "$work" "$prefix"
chmod 755 "$prefix"
echo "$stamp" > "$prefix/.stamp"
"$prefix/bin/tinygo" version >&2
