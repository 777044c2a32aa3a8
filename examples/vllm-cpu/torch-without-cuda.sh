#!/usr/bin/env bash
# Lets PyPI's torch wheel, which is the CUDA build, be imported without the 4 GB of NVIDIA's libraries, to be used on a
# CPU. Every library that torch is linked with gets a stand-in that has the symbols torch asks for, in the versions it
# asks for; functions of the CUDA runtime say that there is no device, all others that they failed.
# usage: torch-without-cuda.sh VENV
set -euo pipefail
for tool in gcc nm readelf; do
  command -v "$tool" >/dev/null || { echo "torch-without-cuda.sh: $tool is needed: apt-get install gcc libc6-dev binutils" >&2; exit 1; }
done
cd "$("${1:?usage: torch-without-cuda.sh VENV}/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/torch/lib"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shopt -s nullglob
libraries=(libtorch*.so libc10_cuda.so libcaffe2_nvrtc.so)

# NAME [VERSION], a line for each undefined symbol that NVIDIA's libraries would define.
for library in "${libraries[@]}"; do nm -D --undefined-only "$library"; done |
  awk '{ name = $2; version = ""
         if ((at = index(name, "@")) > 0) { version = substr(name, at); sub(/^@+/, "", version); name = substr(name, 1, at - 1) }
         if (name ~ /^(__cuda|cu[A-Z]|cublas|cudnn|cufft|cusparse|cusolver|curand|cuda|nccl|nvshmem|nvrtc|nvJitLink|cupti)/) print name, version }' | sort -u >"$work/symbols"

awk '{ version = $2 == "" ? "STAND_IN" : $2 }
     !seen[$1]++ {
       if ($1 ~ /^cudaGetError(String|Name)$/) body = "const char *" $1 "(int e) { return \"there is no CUDA here\"; }"
       else if ($1 ~ /^cuda(GetDeviceCount|DriverGetVersion|RuntimeGetVersion)$/) body = "int " $1 "(int *n) { if (n) *n = 0; return 100; }"
       else if ($1 == "cudaGetLastError") body = "int " $1 "(void) { return 0; }"
       else if ($1 ~ /^cuda/) body = "int " $1 "(void) { return 100; }" # cudaErrorNoDevice
       else body = "int " $1 "(void) { return 1; }"
       print body > source
       names[version] = names[version] $1 "; "
     }
     END { for (v in names) print v " { global: " names[v] "};" > map }' source="$work/stand-in.c" map="$work/versions" "$work/symbols"

gcc -shared -fPIC -w -O1 -fno-builtin "-Wl,--version-script=$work/versions" -o libcudastandin.so "$work/stand-in.c"
for library in "${libraries[@]}"; do readelf -d "$library"; done |
  sed -n 's/.*(NEEDED).*\[\(lib\(cu\|nccl\|nv\)[^]]*\)\]/\1/p' | sort -u |
  while read -r name; do ln -sf libcudastandin.so "$name"; done
