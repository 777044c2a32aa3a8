#!/usr/bin/env bash
# Prints the path of a Python that has the packages of requirements.txt, in a virtual environment that it makes.
#   python.sh FOLDER
set -euo pipefail
wanted=$(dirname "$0")/requirements.txt venv=$1/clients
if ! cmp -s "$wanted" "$venv/installed"; then
  echo "==> installing $(paste -sd ' ' "$wanted") from PyPI into $venv" >&2
  command -v python3 >/dev/null || { echo "build.sh: python3 is needed: apt-get install python3 python3-venv" >&2; exit 1; }
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted" >&2
  cp "$wanted" "$venv/installed"
fi
echo "$venv/bin/python"
