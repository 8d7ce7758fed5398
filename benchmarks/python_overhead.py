"""Measures the overhead of Python: tunes the same YAML with the program and with the package, and prints the ratio.

    .venv-python/bin/python benchmarks/python_overhead.py --build build --rounds 3

Uses the model and data of the quick start. Each run is a new process, so the start of the interpreter is included.
Program and package run alternately; the ratio is the median over the pairs of runs.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
YAML = ROOT / "examples" / "quickstart" / "quickstart.yaml"
MODEL = ROOT / "examples" / "quickstart" / "fashion_cnn.onnx"
CODE = f"""
from lpot.experimental import Quantization
quantizer = Quantization({str(YAML)!r})
quantizer.model = {str(MODEL)!r}
quantizer()
"""


def seconds(command) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(
            command,
            cwd=folder,
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": ""},
        )
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    program = [ROOT / args.build / "bin" / "lpot", "tune", YAML, "--model", MODEL, "-q"]
    package = [sys.executable, "-c", CODE]
    times = {"program": [], "package": []}
    for number in range(args.rounds):
        pairs = [("program", program), ("package", package)]
        for name, command in pairs if number % 2 == 0 else reversed(pairs):
            times[name].append(seconds(command))
    ratio = statistics.median(b / a for a, b in zip(times["program"], times["package"]))
    for name, of in times.items():
        print(f"{name}: {statistics.median(of):.2f} s")
    print(f"package / program: {ratio:.3f} (median of {args.rounds} pairs)")


if __name__ == "__main__":
    main()
