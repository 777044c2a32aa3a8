#!/usr/bin/env bash
# check.sh DIR: lets promtool read the alert rules and the dashboard's queries. The promtool on PATH; else Debian's (the
# package prometheus), unpacked into DIR without installing it.
set -euo pipefail
dir=$1
cd "$(dirname "$0")/../.."
if ! promtool=$(type -P promtool) && promtool=$dir/promtool && [ ! -x "$promtool" ]; then
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
    echo "check.sh: promtool is needed on PATH: it is part of Prometheus' release" >&2
    exit 1
  }
  echo "==> fetching promtool (Debian's package prometheus) into $dir" >&2
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  chmod 755 "$tmp" # apt's own user writes there
  (
    cd "$tmp"
    apt-get download -qq prometheus >&2 || { [ "$(id -u)" = 0 ] && apt-get update -qq && apt-get download -qq prometheus >&2; } || {
      echo "check.sh: no package prometheus; run: sudo apt-get update" >&2
      exit 1
    }
  )
  dpkg-deb -x "$tmp"/prometheus_*.deb "$tmp/x"
  mkdir -p "$dir"
  mv "$tmp/x/usr/bin/promtool" "$promtool.new"
  mv "$promtool.new" "$promtool"
fi
PROMTOOL=$promtool go test -count=1 -tags promtool -run '^TestPromtool$' ./plugin
