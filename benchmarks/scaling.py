#!/usr/bin/env python3
"""Measures how evaluation scales with processes: mpirun -n N lpot evaluate, one thread per process.

    benchmarks/scaling.py --build build                      the quick start model
    LPOT_TEST_DATA=DIR benchmarks/scaling.py --build build   also ResNet-20 on CIFAR-10

Runs with different numbers of processes are interleaved. The speedup is the ratio of the median times. The table also
has the serial time of rank 0 (receiving and merging results), which limits the speedup.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import run as single

SERIAL = re.compile(
    r"shared (\d+) jobs between (\d+) processes in ([\d.]+) s; rank 0 collected for ([\d.]+) s"
)


def evaluate(lpot: str, processes: int, config: str, model: str) -> dict:
    """Runs an evaluation. Returns its JSON result, with the serial time of rank 0 in seconds as "serial"."""
    command = [lpot, "evaluate", config, "--model", model, "--json", "--verbose"]
    command += ["--set", "evaluation.accuracy.configs.cores_per_instance=1"]
    if processes > 1:
        command = [
            *["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
            *["-n", str(processes), *command],
        ]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    result = json.loads(done.stdout)
    found = SERIAL.search(done.stderr)
    if processes > 1 and not found:
        sys.exit(f"the serial time of rank 0 was not found in the log:\n{done.stderr}")
    result["serial"] = float(found[4]) if found else 0.0
    return result


def compare(lpot: str, name: str, config: str, model: str, options) -> None:
    runs: dict[int, list[dict]] = {count: [] for count in options.processes}
    for _ in range(options.rounds):
        for count in options.processes:
            runs[count].append(evaluate(lpot, count, config, model))
    print(f"\n{name}, {options.rounds} rounds, one thread per process")
    first = options.processes[0]
    base = statistics.median(result["seconds"] for result in runs[first])
    for count, results in runs.items():
        accuracies = {result["accuracy"] for result in results}
        seconds = statistics.median(result["seconds"] for result in results)
        serial = statistics.median(result["serial"] for result in results)
        samples = results[0]["samples"]
        print(
            f"  {count:3} processes  {seconds:7.3f} s  {samples / seconds:9.0f} samples/s  {base / seconds:5.2f} x"
            f"  rank 0 alone {serial:.3f} s ({serial / samples * 1e6:.2f} us per sample)  accuracy {sorted(accuracies)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    lpot = str(pathlib.Path(options.build).resolve() / "bin/lpot")
    compare(lpot, "quick start", str(single.CONFIG), str(single.NETWORK), options)
    data = os.environ.get("LPOT_TEST_DATA")
    if not data:
        return
    data = str(pathlib.Path(data).resolve())
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "resnet20.yaml"
        config.write_text(single.RESNET_CONFIG.format(data=data))
        model = f"{data}/resnet-cifar10-onnx/resnet20-cifar10.onnx"
        compare(lpot, "ResNet-20", str(config), model, options)


if __name__ == "__main__":
    main()
