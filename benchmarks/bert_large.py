#!/usr/bin/env python3
"""Benchmarks BERT-large: load time, time and peak memory of quantization and tuning, calibration time, int8 latency.

    benchmarks/bert_large.py --build build                     24 layers, 1024 wide, 384 tokens, random weights (1.3 GB)
    benchmarks/bert_large.py --build build --samples 32 --keep DIR

bert_graph.py writes the frozen graph, which contains its input pipeline. The inputs are random tokens. The benchmark
takes some minutes and 3 GB of disk space. Peak memory is the larger one of the process and the child process that
converts the graph. It includes the pages of memory-mapped weights.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent

CONFIG = """
model:
  name: bert
  framework: tensorflow
  inputs: input_file, batch_size
  outputs: unstack:0, unstack:1
quantization:
  calibration:
    sampling_size: {samples}
    dataloader:
      batch_size: 1
      dataset:
        dummy: {{shape: ['{samples}x384', '{samples}x384', '{samples}x384'], low: [0, 1, 0], high: [30000, 2, 2], dtype: int64}}
  model_wise: {{weight: {{granularity: per_channel}}}}
  op_wise: {{'MatMul': {{activation: {{dtype: [fp32]}}, weight: {{dtype: [fp32]}}}}}}
evaluation:
  accuracy:
    metric: {{MSE: {{compare_label: false}}}}
    dataloader:
      batch_size: 1
      dataset:
        dummy: {{shape: ['{samples}x384', '{samples}x384', '{samples}x384'], low: [0, 1, 0], high: [30000, 2, 2], dtype: int64}}
tuning:
  accuracy_criterion: {{absolute: 1000}}
  exit_policy: {{max_trials: 1}}
"""


def run(command: list[str], folder: str) -> tuple[str, float, float]:
    """Runs a command. Returns its output, the seconds and the peak memory in MB, child processes included."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)} failed")
    return output, time.monotonic() - start, usage.ru_maxrss * 1024 / 1e6


def measure(lpot: str, folder: str, samples: int) -> None:
    subprocess.run(
        [sys.executable, str(ROOT / "bert_graph.py"), "bert_large.pb"],
        cwd=folder,
        check=True,
    )
    size = os.path.getsize(f"{folder}/bert_large.pb") / 1e6

    def report(step: str, seconds: float, peak: float) -> None:
        print(f"  {step:42} {seconds:6.1f} s  {peak:6.0f} MB  {peak / size:.2f} x")

    print(f"\n{size:.0f} MB; time, peak memory, peak memory / model size")
    report(
        "load (lpot inspect)",
        *run([lpot, "inspect", "bert_large.pb", "-q"], folder)[1:],
    )
    seconds = {}
    for count in (1, samples):
        pathlib.Path(folder, "bert.yaml").write_text(CONFIG.format(samples=count))
        command = [lpot, "quantize", "bert.yaml", "-m", "bert_large.pb", "-q"]
        output, seconds[count], peak = run(
            [
                *command,
                "-o",
                "int8",
                "--set",
                "quantization.recipes.kernel_variants=plain",
            ],
            folder,
        )
        report(f"quantize, {count} sample(s), plain variants", seconds[count], peak)
    report(
        f"quantize, {samples} samples, measured variants",
        *run([*command, "-o", "int8"], folder)[1:],
    )
    report(
        f"tune, {samples} samples, measured variants, 1 trial",
        *run([lpot, "tune", *command[2:], "-o", "tuned"], folder)[1:],
    )
    if samples > 1:
        each = (seconds[samples] - seconds[1]) / (samples - 1)
        print(f"  calibration {each:.2f} s per sample")
    output, _, _ = run(
        [lpot, "bench", "bert_large.pb", "int8/model.xml", "--seconds", "60", "--json"],
        folder,
    )
    fp32, int8 = json.loads(output)["models"]
    print(
        f"  batch 1: fp32 {fp32['latency_ms']['median']:.0f} ms, int8 {int8['latency_ms']['median']:.0f} ms,"
        f" {int8['speedup']:.2f} x"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument(
        "--keep", help="folder for the models (default: a temporary folder)"
    )
    options = parser.parse_args()
    lpot = str(pathlib.Path(options.build).resolve() / "bin/lpot")
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        measure(lpot, options.keep, options.samples)
    else:
        with tempfile.TemporaryDirectory() as folder:
            measure(lpot, folder, options.samples)


if __name__ == "__main__":
    main()
