#!/usr/bin/env bash
# check.sh DIR: lets promtool read the alert rules and the dashboard's queries. prometheus.sh says which promtool.
set -euo pipefail
cd "$(dirname "$0")/../.."
PROMTOOL=$(realpath "$(examples/grafana/prometheus.sh "$1" promtool)") # the tests run elsewhere
export PROMTOOL
"$PROMTOOL" check config --syntax-only examples/grafana/prometheus.yaml >/dev/null
go test -count=1 -tags promtool -run '^TestPromtool$' ./plugin/metrics
