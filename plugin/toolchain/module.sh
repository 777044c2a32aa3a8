#!/usr/bin/env bash
# Compiles a package for the proxy: the module, and the guests of benchmarks, which are to be compiled as the module is.
#   module.sh FILE PACKAGE [TAGS]     TINYGO names the compiler; by default the one on PATH
set -euo pipefail

file=$1 package=$2 tags=${3:-}
tinygo=${TINYGO:-tinygo}
command -v "$tinygo" >/dev/null || {
  echo "TinyGo is needed: run ./build.sh setup, or set TINYGO to the command" >&2
  exit 1
}

# -panic=trap: what a defect of ours would print before it traps is 5 % of the module.
# legacy build mode and no scheduler: _start returns, and the proxy calls in (docs/notes.md, "Build flags").
# 8 MiB of heap at once: from one page the collector would run at every 4 KB body. Below it are 32.4 MiB of stack, of which calls
# need a few KB: the rest is where indexes are (proxy/memory_tinygo.go). The proxy reserves memory, and takes none before it is used.
# Less is copied into its callers than -opt=2 alone would, and no loop is unrolled: 11 % of the module, at no cost (docs/notes.md,
# "Build flags"). --lto-CGO3 changes nothing but the name under which the linker keeps its work, in which it leaves -mllvm out.
limits='-mllvm -inline-threshold=125 -mllvm -unroll-threshold=0 -mllvm -unroll-runtime=false -mllvm -unroll-allow-partial=false --lto-CGO3'
gc=precise
if [ -e "$package/proxy/memory_tinygo.go" ]; then # the module, which says when memory is freed
  gc=leaking TINYGOROOT=$("$(dirname "$0")/runtime.sh" "$tinygo")
  export TINYGOROOT
fi
"$tinygo" build -tags "$tags" -target=wasi -scheduler=none -buildmode=wasi-legacy -opt=2 -panic=trap -gc=$gc -no-debug \
  "-ldflags=-extldflags '--initial-memory=42336256 -z stack-size=33947648 $limits'" -o "$file.new" "$package"
# Envoy allocates by an exported malloc where there is one, and TinyGo keeps what its malloc gave until a free that
# never comes: every body would leak. It gets another name, and the module's own function (proxy/memory_tinygo.go) that one; a guest
# without such a function has proxy_on_memory_allocate.
LC_ALL=C sed -i 's/\x06malloc\x00/\x06mallo_\x00/; s/\x06wrlend\x00/\x06malloc\x00/' "$file.new"
# Likewise the module's own calls for requests (callbacks_tinygo.go), in place of the SDK's.
if grep -qa wroxy_on_log "$file.new"; then
  LC_ALL=C sed -i 's/proxy_on_\(context_create\|log\|done\|delete\|re[a-z]*_[a-z]*\)\x00/proxx_on_\1\x00/g; s/wroxy_on_/proxy_on_/g' "$file.new"
fi
mv "$file.new" "$file"
