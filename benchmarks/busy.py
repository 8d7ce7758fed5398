"""Checks that a busy machine changes neither the measured speed nor the plan of the quick start.

    python3 benchmarks/busy.py --build build --rounds 10

Tunes the quick start `--rounds` times without additional load, and as often while `--busy` processes use a core each.
Every run has a new workspace and no cache of kernel variants. The two kinds of runs alternate. For each run, prints
the speed-up with its spread and the number of ops in int8. At the end, states whether every speed-up is within 15% of
the median of the runs without busy processes, and whether the same ops are in int8 in all runs.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
YAML = ROOT / "examples" / "quickstart" / "quickstart.yaml"
MODEL = ROOT / "examples" / "quickstart" / "fashion_cnn.onnx"
TOLERANCE = 0.15


def tune(program: pathlib.Path, busy: int) -> dict:
    """Tunes the quick start while processes are busy, and returns the best trial."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [program, "tune", YAML, "--model", MODEL, "-q", "--json"],
                cwd=folder,
                check=True,
                capture_output=True,
                env={**os.environ, "LPOT_FORM_MEMORY": "off"},
            )
    finally:
        for other in others:
            other.kill()
            other.wait()
    result = json.loads(run.stdout)
    return {**result["best"], "seconds": result["seconds"]}


def describe(name: str, best: dict) -> str:
    fallback = ", ".join(best["fallback"]) or "none"
    return (
        f"{name:>5}  {best['speedup']:.2f} x ({best['speedup_low']:.2f}-{best['speedup_high']:.2f})"
        f"  {best['latency_ms']:.4f} ms  {best['seconds']:4.1f} s  ops in fp32: {fallback}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--busy", type=int, default=2, help="number of busy processes")
    args = parser.parse_args()
    program = ROOT / args.build / "bin" / "lpot"
    runs: dict[str, list[dict]] = {"quiet": [], "busy": []}
    for _ in range(args.rounds):
        for name, busy in (("quiet", 0), ("busy", args.busy)):
            runs[name].append(tune(program, busy))
            print(describe(name, runs[name][-1]), flush=True)
    expected = statistics.median(best["speedup"] for best in runs["quiet"])
    every = runs["quiet"] + runs["busy"]
    off = max(abs(best["speedup"] / expected - 1) for best in every)
    plans = {tuple(best["fallback"]) for best in every}
    for name, bests in runs.items():
        speedups = [best["speedup"] for best in bests]
        print(f"{name}: median {statistics.median(speedups):.2f} x, {min(speedups):.2f}-{max(speedups):.2f}")
    print(f"farthest from the quiet median: {off:.1%} (at most {TOLERANCE:.0%} expected)")
    print(f"different sets of ops in fp32: {len(plans)} (1 expected)")
    sys.exit(0 if off <= TOLERANCE and len(plans) == 1 else 1)


if __name__ == "__main__":
    main()
