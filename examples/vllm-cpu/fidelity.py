#!/usr/bin/env python3
"""Holds hostsim's model of a replica against a measured comparison: the same requests, replayed in virtual time.

usage: examples/vllm-cpu/fidelity.py FOLDER [PROFILE]      (from the repository's root, after ./build.sh build)

FOLDER is one that `pool.sh compare … --json FOLDER/result.json --trace FOLDER` has filled. Every round's requests are
replayed through the module with every policy that was measured, and the means over the rounds are compared.
"""

import json
import pathlib
import subprocess
import sys
import tempfile


def replay(trace: pathlib.Path, made: dict, profile: str) -> dict:
    """The runs of hostsim replay for one round, by policy."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(
            ["build/hostsim", "replay", "--trace", trace, "--policies", ",".join(made["targets"]),
             "--replicas", str(made["replicas"]), "--workers", "1", "--profile", profile,
             "--closed", "--clients", str(made["concurrency"]), "--json", out.name],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return {run["policy"]: run for run in json.load(open(out.name))["runs"]}


def mean(values) -> float:
    values = list(values)
    return sum(values) / len(values)


def compare(result: dict, folder: pathlib.Path, workload: str, profile: str) -> None:
    made = result["made"]
    rounds = [replay(folder / f"{workload}-{n}.jsonl", made, profile) for n in range(1, made["rounds"] + 1)]
    rows = []
    for policy in made["targets"]:
        runs = [r for r in result["runs"] if r["workload"] == workload and r["target"] == policy]
        rows.append({
            "policy": policy,
            "ttft": (mean(r["ttft_ms"]["mean"] for r in runs), mean(r[policy]["ttft_ms"]["mean"] for r in rounds)),
            "tpot": (mean(r["tpot_ms"]["mean"] for r in runs), mean(r[policy]["tpot_ms"]["mean"] for r in rounds)),
            "hit": (mean(r["servers"]["hit_rate"] for r in runs), mean(r[policy]["token_hit_ratio"] for r in rounds)),
        })
    base = next(r for r in rows if r["policy"] == result["baseline"])["ttft"]
    print(f"{workload}, {made['rounds']} rounds, profile {profile}: measured, model")
    print(f"{'policy':22}{'TTFT mean ms':>18}{'÷ ' + result['baseline']:>20}{'error':>9}{'TPOT mean ms':>17}{'hit rate %':>17}")
    errors = []
    for row in rows:
        ratios = [row["ttft"][i] / base[i] for i in (0, 1)]
        errors.append(ratios[1] / ratios[0] - 1)
        print(f"{row['policy']:22}{row['ttft'][0]:10.1f}{row['ttft'][1]:8.1f}{ratios[0]:12.3f}{ratios[1]:8.3f}{100 * errors[-1]:+8.1f}%"
              f"{row['tpot'][0]:9.1f}{row['tpot'][1]:8.1f}{100 * row['hit'][0]:9.1f}{100 * row['hit'][1]:8.1f}")
    pairs = [(a, b) for i, a in enumerate(rows) for b in rows[i + 1:]]
    alike = sum((a["ttft"][0] < b["ttft"][0]) == (a["ttft"][1] < b["ttft"][1]) for a, b in pairs)
    print(f"mean TTFT over all policies: {mean(r['ttft'][1] for r in rows) / mean(r['ttft'][0] for r in rows) - 1:+.1%}; "
          f"TPOT {mean(r['tpot'][1] for r in rows) / mean(r['tpot'][0] for r in rows) - 1:+.1%}; "
          f"ratio to {result['baseline']}: mean absolute error {mean(abs(e) for e in errors):.1%}; "
          f"{alike} of {len(pairs)} pairs of policies in the same order\n")


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    profile = sys.argv[2] if len(sys.argv) > 2 else "cpu-tiny"
    result = json.loads((folder / "result.json").read_text())
    for workload in result["made"]["workloads"]:
        compare(result, folder, workload, profile)


main()
