# shellcheck shell=bash
# How offline.sh makes the pieces. To be sourced; wants VLLM, PYTHON, PIECE, ARCH, here and root, and functions say and fail.

# Packages that are imported only for other models, kinds of weights, caches and tools.
SLIM='tokenspeed|tilelang|z3|flashinfer|nvidia|pynvvideocodec|torchcodec|pycountry|cuda|quack|humming|fastsafetensors|torch-c-dlpack|nvtx|mistral'

# needs REQUIREMENT…: name==version of these and of all that they need; PLATFORM is pip's words for the GPU machine.
needs() {
  local report
  report=$(mktemp)
  python3 -m pip install --quiet --disable-pip-version-check --dry-run --ignore-installed --target "$report.none" --report "$report" \
    "${PLATFORM[@]}" "$@" || fail "pip found no set of wheels for $* and Python $PYTHON"
  python3 -c 'import json, sys
for item in json.load(open(sys.argv[1]))["install"]: print("{name}=={version}".format(**item["metadata"]))' "$report"
  rm "$report"
}

# without HAVE PATTERN: of the lines of standard input, those whose package is not in the file HAVE and does not begin with PATTERN.
without() {
  python3 -c 'import re, sys
normal = lambda line: re.sub(r"[-_.]+", "-", line.split("==")[0].strip()).lower()
have = {normal(line) for line in open(sys.argv[1])}
for line in sys.stdin:
    if normal(line) not in have and not (sys.argv[2] and re.match(sys.argv[2], normal(line))): print(line, end="")' "$@"
}

# fetch NAMES FOLDER: unpacks the wheels of the packages in the file NAMES.
fetch() {
  local wheels
  wheels=$(mktemp -d)
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$wheels" "${PLATFORM[@]}" -r "$1"
  python3 -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-compile --target "$2" "${PLATFORM[@]}" "$wheels"/*.whl
  rm -rf "${2:?}/bin" "$wheels"
}

# pinned NAME: the version that routers.sh has.
pinned() { sed -n "s/^$1=//p" "$here/../compare/routers.sh"; }

# strip_modules FOLDER: no symbols in modules for any Python, where this one still imports them.
strip_modules() {
  local file name
  while read -r file; do
    strip --strip-unneeded -o "$file.stripped" "$file" 2>/dev/null || continue
    mv "$file" "$file.whole"
    mv "$file.stripped" "$file"
    name=${file##*/} name=${name%.abi3.so}
    if PYTHONPATH='' python3 -c 'import importlib.machinery as m, importlib.util as u, sys
u.module_from_spec(u.spec_from_file_location(sys.argv[1], sys.argv[2], loader=m.ExtensionFileLoader(*sys.argv[1:])))' "$name" "$file" 2>/dev/null; then
      rm "$file.whole"
    else
      mv "$file.whole" "$file"
    fi
  done < <(find "$1" -name '*.abi3.so')
}

pack() {
  local out=$1 have=${2:-/dev/null} work
  [ "$(uname -m)" = x86_64 ] || fail "the pieces are for x86_64; this is $(uname -m)"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  mkdir -p "$out" "$work/project/build"
  local n slim=
  PLATFORM=()
  for ((n = 39; n >= 5; n--)); do PLATFORM+=(--platform "manylinux_2_${n}_x86_64"); done
  PLATFORM+=(--platform manylinux2014_x86_64 --platform manylinux1_x86_64 --python-version "$PYTHON" --implementation cp --only-binary=:all:)
  [ -z "$ARCH" ] || slim=$SLIM
  say "resolving vllm $VLLM for Python $PYTHON"
  needs "vllm==$VLLM" >"$work/all"
  without "$have" "$slim" <"$work/all" >"$work/names"
  say "fetching $(wc -l <"$work/names") wheels"
  fetch "$work/names" "$work/site"
  if [ -n "$ARCH" ]; then
    (cd "$work/site/vllm" && rm -rf vllm-rs _qutlass* _flashmla* third_party/fmha_sm100 third_party/deep_gemm)
    [ "$ARCH" != 90 ] || rm -f "$work"/site/vllm/vllm_flash_attn/_vllm_fa2_C* # FlashAttention 3 is taken there
    find "$work/site/vllm" -name '*.so' -exec python3 "$here/one-arch.py" "$ARCH" {} +
  fi
  say "fetching the routers"
  # vLLM's wheels stay on the path, so what they bring is not packed twice.
  needs "vllm-router==$(pinned VLLM_ROUTER)" "sglang-router==$(pinned SGLANG_ROUTER)" |
    without <(cat "$have"; echo; cat "$work/names") '' >"$work/routers.names"
  fetch "$work/routers.names" "$work/routers"
  strip_modules "$work/routers"
  (cd "$root" && ./build.sh build >&2)
  cp "$("$root/build.sh" envoy)" "$work/project/build/envoy"
  cp "$root/build/hostsim" "$root/build/warmroute.wasm" "$work/project/build/"
  strip "$work/project/build/hostsim" 2>/dev/null || true
  rm -f "$out"/*.tar.xz-* "$out/SHA256SUMS"
  say "compressing"
  tar -C "$root" --exclude=results -cf - --transform 's,^,project/,' examples | xz -T0 | split -b "${PIECE}m" -d -a 3 - "$out/project.tar.xz-"
  tar -C "$work" -cf - site | xz -T0 | split -b "${PIECE}m" -d -a 3 - "$out/vllm.tar.xz-"
  tar -C "$work" -cf - routers | xz -T0 | split -b "${PIECE}m" -d -a 3 - "$out/routers.tar.xz-"
  tar -C "$work" -cf - project | xz -T0 | split -b "${PIECE}m" -d -a 3 - "$out/tools.tar.xz-"
  (cd "$out" && sha256sum ./*.tar.xz-* | sed 's,\./,,' >SHA256SUMS)
  say "$(wc -l <"$out/SHA256SUMS") pieces in $out, $(du -sh "$out" | cut -f1); SHA256SUMS goes with each of them"
}
