#!/usr/bin/env bash
# The requests of the H100's rounds, with what a card measured, as examples/vllm-cpu/fidelity.py reads them.
set -euo pipefail
results=$(cd "$(dirname "$0")" && pwd)/results

[ $# = 2 ] && [ -d "$results/$1" ] || { echo "usage: requests.sh h100|h200 FOLDER" >&2; exit 2; }
mkdir -p "$2"
tar -xJf "$results/h100/requests.tar.xz" -C "$2"
for workload in conversations shared-system hot-prefix; do cp "$results/$1/$workload.json" "$2/$workload/result.json"; done
