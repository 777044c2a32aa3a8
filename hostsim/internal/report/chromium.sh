#!/usr/bin/env bash
# Prints the path of a Chromium that needs no screen: one that is there, else Debian's chromium-headless-shell, which it
# installs where it may (107 packages and 164 MB on a bare Debian 12; about a minute). For the test that opens our pages.
set -euo pipefail

PACKAGE=chromium-headless-shell
for program in "${CHROMIUM:-}" "$PACKAGE" chromium chromium-browser google-chrome chrome; do
  if [ -n "$program" ] && type -P "$program"; then
    exit
  fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "a Chromium is missing: sudo apt-get install $PACKAGE, or name one in CHROMIUM" >&2
  exit 1
fi
echo "==> installing $PACKAGE" >&2
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$PACKAGE"; } >&2 ||
  { echo "apt-get install $PACKAGE failed; install a Chromium and name it in CHROMIUM" >&2; exit 1; }
type -P "$PACKAGE"
