#!/usr/bin/env bash
# The requests of the rounds on an H100, with what a card measured, as examples/vllm-cpu/fidelity.py reads them.
set -euo pipefail
results=$(cd "$(dirname "$0")" && pwd)/results

[ $# = 2 ] && [ -d "$results/$1" ] || { echo "usage: requests.sh h100|h200|h100-routers FOLDER" >&2; exit 2; }
[ -z "$(ls -A "$2" 2>/dev/null)" ] || { echo "requests.sh: $2 is not empty; rounds of another card would be mixed with these" >&2; exit 1; }
requests=$results/$1/requests.tar.xz
[ -e "$requests" ] || requests=$results/h100/requests.tar.xz # those of the H200's rounds were not kept
mkdir -p "$2"
tar -xJf "$requests" -C "$2"
for folder in "$2"/*/; do cp "$results/$1/$(basename "$folder").json" "$folder/result.json"; done
