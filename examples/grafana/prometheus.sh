#!/usr/bin/env bash
# prometheus.sh DIR NAME: prints the path of a program of Prometheus, prometheus or promtool: the one on PATH; else Debian's (the
# package prometheus), unpacked into DIR without installing it.
set -euo pipefail
dir=$1 name=$2
if type -P "$name"; then exit; fi
if [ ! -x "$dir/$name" ]; then
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
    echo "prometheus.sh: $name is needed on PATH: it is part of Prometheus' release" >&2
    exit 1
  }
  echo "==> fetching $name (Debian's package prometheus) into $dir" >&2
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  chmod 755 "$tmp" # apt's own user writes there
  (
    cd "$tmp"
    apt-get download -qq prometheus >&2 || { [ "$(id -u)" = 0 ] && apt-get update -qq && apt-get download -qq prometheus >&2; } || {
      echo "prometheus.sh: no package prometheus; run: sudo apt-get update" >&2
      exit 1
    }
  )
  dpkg-deb -x "$tmp"/prometheus_*.deb "$tmp/x"
  mkdir -p "$dir"
  for program in prometheus promtool; do mv "$tmp/x/usr/bin/$program" "$dir/$program.new" && mv "$dir/$program.new" "$dir/$program"; done
fi
echo "$dir/$name"
