#!/usr/bin/env bash
# Prints the folder of a TinyGo whose collector runs only when it is asked to (plugin/proxy/memory_tinygo.go), and makes it at first: links to
# TinyGo's own files, and a copy of its sources (7 MB) in which the runtime's collector is changed.
#   runtime.sh TINYGO
# Usually a function of TinyGo's lists in memory each pointer that it has, for the collector to see, and does so again wherever it is
# copied into a caller. Under -gc=leaking none does. So the collector gets that name (docs/notes.md, "Build flags").
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
own=$("$1" env TINYGOROOT)
sum=$({ "$1" version; echo "$own"; cat "$here/runtime.sh" "$here/runtime_rest.txt"; } | sha256sum | cut -c1-16)
root=${WARMROUTE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/warmroute}/tinygo-runtime-$sum
if [ ! -d "$root" ]; then
  mkdir -p "$(dirname "$root")"
  new=$(mktemp -d "$root.XXXXXX")
  chmod 755 "$new" # others may share the folder
  trap 'rm -rf "$new"' EXIT
  ln -s "$own"/* "$new"
  rm "$new/src"
  cp -r "$own/src" "$new" # TinyGo follows no links there
  chmod -R u+w "$new/src"
  runtime=$new/src/runtime
  rm "$runtime/gc_leaking.go"
  cp "$here/runtime_rest.txt" "$runtime/gc_rest.go"
  sed -i '1s/.*/\/\/go:build gc.leaking/' "$runtime/gc_blocks.go" "$runtime/gc_precise.go"
  sed -i 's/^\tvar ranGC bool$/\tranGC := true/; s/^func alloc(/func allocBlocks(/' "$runtime/gc_blocks.go"
  if [ "$(grep -c -e 'ranGC := true' -e 'func allocBlocks(' "$runtime/gc_blocks.go")" != 2 ]; then
    echo "the collector of this TinyGo ($("$1" version)) is not the one that runtime.sh knows, of 0.41" >&2
    exit 1
  fi
  mv -T "$new" "$root" 2>/dev/null || [ -d "$root" ] # or another build was faster
fi
echo "$root"
