#!/usr/bin/env python3
"""Holds hostsim's model of replicas against measured comparisons: the same requests, replayed in virtual time.

usage: examples/vllm-cpu/fidelity.py [--profile NAME|FILE] [--cores N] [NAME=]FOLDER…   (from the repository's root, after ./build.sh build)

Each FOLDER is one that `pool.sh compare … --json FOLDER/result.json --trace FOLDER` has filled. Folders of one NAME are rounds
of one table; without NAME, the workload's is taken. Every round's requests are replayed through the module with every policy
that was measured, but for vLLM's router and prefix_key: the replayed prompts are the server's token ids, which do not
say where the system prompt ends. Instead of a FOLDER, a result's file shows what was measured, without the model.

Ratios are geometric means over the rounds; the measured ones with their 95 % confidence interval. Hit rates are cached tokens ÷
prompt tokens, by the responses' usage.

A pair of policies is outside the noise if the 95 % confidence interval of the mean difference of their logarithms over the
measured rounds does not hold 0. The rank correlation is Kendall's tau over those pairs: those in the same order less those in
the other, by their number.
"""

import argparse
import collections
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

# 97.5th percentile of Student's t by degrees of freedom; beyond: of the normal distribution.
STUDENT = [math.inf, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145]

# By name: prefix_key, and what examples/compare/routers.sh starts. SGLang's router is replayed as its policy is documented.
NOT_REPLAYED = ["prefix_key", "vllm_router", "vllm_router_hash"]
REPLAYED_AS = {"sglang_router": "peer:sglang"}

Round = collections.namedtuple("Round", "measured model")  # by policy: (TTFT mean ms, TPOT mean ms, hit rate)


def replay(trace: pathlib.Path, made: dict, args: argparse.Namespace) -> dict:
    """What the model makes of one round, by policy."""
    policies = {REPLAYED_AS.get(t, t): t for t in made["targets"] if t not in NOT_REPLAYED}
    if not trace.exists():
        return {}
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(
            ["build/hostsim", "replay", "--trace", trace, "--answers", "no", "--policies", ",".join(policies), "--replicas", str(made["replicas"]),
             "--workers", "1", "--profile", args.profile, "--cores", str(args.cores), "--frontend", args.frontend, "--frontend-token", args.frontend_token, "--kv-tokens", str(args.kv_tokens),
             "--closed", "--clients", str(made["concurrency"]), "--json", out.name],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return {policies[run["policy"]]: (run["ttft_ms"]["mean"], run["tpot_ms"]["mean"], run["token_hit_ratio"]) for run in json.load(open(out.name))["runs"]}


def read(argument: str, args: argparse.Namespace) -> list:
    """The rounds of a folder, each with its table's name and its baseline."""
    name, _, path = argument.rpartition("=")
    folder = pathlib.Path(path)
    result = json.loads((folder if folder.is_file() else folder / "result.json").read_text())
    rounds = []
    for workload in result["made"]["workloads"]:
        for n in range(1, result["made"]["rounds"] + 1):
            runs = {r["target"]: r for r in result["runs"] if r["workload"] == workload and r["round"] == n}
            # By the responses' usage: the servers count a prompt that waits for memory each time that they look it up.
            measured = {p: (r["ttft_ms"]["mean"], r["tpot_ms"]["mean"], r["cached_tokens"] / max(r["prompt_tokens"], 1)) for p, r in runs.items()}
            rounds.append((name or workload, args.baseline or result["baseline"], Round(measured, replay(folder / f"{workload}-{n}.jsonl", result["made"], args))))
    return rounds


def interval(a: str, b: str, rounds: list) -> tuple:
    """Mean of log(a ÷ b) over the measured rounds, and half the width of its 95 % confidence interval."""
    differences = [math.log(r.measured[a][0] / r.measured[b][0]) for r in rounds]
    n = len(differences)
    if n < 2:
        return statistics.mean(differences), math.inf
    t = STUDENT[n - 1] if n <= len(STUDENT) else 1.96
    return statistics.mean(differences), t * statistics.stdev(differences) / math.sqrt(n)


def outside_noise(a: str, b: str, rounds: list) -> bool:
    mean, half = interval(a, b, rounds)
    return abs(mean) > half


def table(name: str, base: str, rounds: list) -> tuple:
    """Prints a workload's table; returns its pairs (same order, other order, within the noise) and errors of ratios."""
    policies = list(rounds[0].measured)

    def ratio(policy: str, which: str) -> float:
        return math.exp(statistics.mean(math.log(getattr(r, which)[policy][0] / getattr(r, which)[base][0]) for r in rounds))

    print(f"{name}, {len(rounds)} rounds: measured, model")
    print(f"{'policy':22}{'TTFT mean ms':>18}{'÷ ' + base:>20}{'95 %':>14}{'error':>9}{'TPOT mean ms':>17}{'hit rate %':>17}")
    errors = []
    for p in policies:
        replayed = all(p in r.model and base in r.model for r in rounds)
        means = [[statistics.mean(getattr(r, which)[p][i] for r in rounds) if which == "measured" or replayed else math.nan
                  for which in ("measured", "model")] for i in range(3)]
        ratios = [ratio(p, "measured"), ratio(p, "model") if replayed else math.nan]
        middle, half = interval(p, base, rounds)
        span, error = "", ""
        if p != base:
            if len(rounds) > 1:
                span = f"{math.exp(middle - half):.2f}–{math.exp(middle + half):.2f}"
            if replayed:
                errors.append(ratios[1] / ratios[0] - 1)
                error = f"{100 * errors[-1]:+.1f}%"
        line = (f"{p:22}{means[0][0]:10.1f}{means[0][1]:8.1f}{ratios[0]:12.3f}{ratios[1]:8.3f}{span:>14}{error:>9}{means[1][0]:9.1f}{means[1][1]:8.1f}"
                f"{100 * means[2][0]:9.1f}{100 * means[2][1]:8.1f}")
        print(line.replace("nan", "  –"))
    policies = [p for p in policies if all(p in r.model for r in rounds)]
    if not policies:
        return 0, 0, 0, []
    same, other, noise = 0, [], 0
    for i, a in enumerate(policies):
        for b in policies[i + 1:]:
            if not outside_noise(a, b, rounds):
                noise += 1
            elif (ratio(a, "measured") < ratio(b, "measured")) == (ratio(a, "model") < ratio(b, "model")):
                same += 1
            else:
                other.append(f"{a}, {b}")
    print(f"ratio to {base}: mean absolute error {100 * statistics.mean(map(abs, errors)):.1f} %; {same} pairs outside the noise in the "
          f"same order, {len(other)} in the other{''.join(' (' + o + ')' for o in other)}, {noise} within the noise\n")
    return same, len(other), noise, errors


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", default="cpu-tiny")
    parser.add_argument("--cores", type=float, default=2, help="that the servers share")
    parser.add_argument("--frontend", default="0s", help="CPU time of a request before the engine, such as 10ms")
    parser.add_argument("--frontend-token", default="0s", help="the same for each token of its answer")
    parser.add_argument("--kv-tokens", type=int, default=0, help="of a server, if not the profile's: 32 x (BLOCKS - 1)")
    parser.add_argument("--baseline", help="policy that the others are divided by, if not the result's")
    parser.add_argument("folders", nargs="+", metavar="[NAME=]FOLDER")
    args = parser.parse_args()
    tables = collections.OrderedDict()
    for argument in args.folders:
        for name, base, one in read(argument, args):
            tables.setdefault(name, (base, []))[1].append(one)
    results = [table(name, base, rounds) for name, (base, rounds) in tables.items()]
    if not any(r[3] for r in results):
        return
    same, other, errors = sum(r[0] for r in results), sum(r[1] for r in results), [e for r in results for e in r[3]]
    print(f"all: rank correlation {(same - other) / max(1, same + other):.2f} over {same + other} pairs outside the noise, "
          f"{sum(r[2] for r in results)} within it; ratios: mean absolute error {100 * statistics.mean(map(abs, errors)):.1f} %")


main()
