#!/usr/bin/env python3
"""Runs the benchmarks of the README: speedup from interleaved runs, peak memory, tuning time.

    benchmarks/run.py --build build                        the quick start model
    LPOT_TEST_DATA=DIR benchmarks/run.py --build build     also ResNet-20 on CIFAR-10

Times depend on the machine. Compare ratios, not milliseconds, between machines.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETWORK = ROOT / "examples/quickstart/fashion_cnn.onnx"
CONFIG = ROOT / "examples/quickstart/quickstart.yaml"

RESNET_CONFIG = """
model: {{name: resnet20, framework: onnx}}
quantization:
  calibration:
    sampling_size: 300
    dataloader:
      batch_size: 10
      dataset: {{CIFAR10: {{root: {data}/cifar10, train: true}}}}
      transform: &images
        ToTensor: {{}}
        Normalize: {{mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}
evaluation:
  accuracy:
    metric: {{topk: 1}}
    dataloader:
      batch_size: 32
      dataset: {{CIFAR10: {{root: {data}/cifar10}}}}
      transform: *images
tuning:
  accuracy_criterion: {{relative: 0.002}}
"""


def run(command: list[str], folder: str) -> tuple[str, float, float]:
    """Runs a command. Returns its output, the seconds and the peak memory in MB."""
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"{' '.join(command)} failed:\n{errors}")
    return output, time.monotonic() - start, usage.ru_maxrss / 1024


def calibration_memory(lpot: str, folder: str) -> None:
    print(
        "\nPeak memory of calibration (lpot quantize) with the same model and data set"
    )
    peaks = {}
    for samples in (100, 10000):
        command = [
            lpot,
            "quantize",
            str(CONFIG),
            "--model",
            str(NETWORK),
            "--output",
            f"q{samples}",
        ]
        _, seconds, peaks[samples] = run(
            [*command, "--set", f"quantization.calibration.sampling_size={samples}"],
            folder,
        )
        print(f"  {samples:6} samples  {peaks[samples]:7.1f} MB  {seconds:5.1f} s")
    print(f"  difference      {abs(peaks[10000] / peaks[100] - 1) * 100:7.1f} %")


def tune_and_bench(lpot: str, name: str, config: str, model: str, folder: str) -> None:
    output, seconds, peak = run(
        [lpot, "tune", config, "--model", model, "--output", name, "--json"], folder
    )
    result = json.loads(output)
    base, best = result["baseline"], result["best"]
    print(
        f"\n{name}: tuned in {seconds:.1f} s, {result['trials']} trial(s), peak memory {peak:.0f} MB, goal {'met' if result['goal_met'] else 'not met'}"
    )
    print(f"  accuracy  fp32 {base['accuracy']:.4f}  int8 {best['accuracy']:.4f}")
    print(
        f"  size      fp32 {base['size_bytes'] / 1e6:.2f} MB  int8 {best['size_bytes'] / 1e6:.2f} MB"
    )
    for batch in (1, 32):
        output, _, _ = run(
            [
                lpot,
                "bench",
                model,
                f"{name}/model.xml",
                "--batch-size",
                str(batch),
                "--seconds",
                "10",
                "--json",
            ],
            folder,
        )
        fp32, int8 = json.loads(output)["models"]
        print(
            f"  batch {batch:3} fp32 {fp32['latency_ms']['median']:8.3f} ms  int8 {int8['latency_ms']['median']:8.3f} ms"
            f"  {int8['speedup']:.2f} x"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    build = pathlib.Path(parser.parse_args().build).resolve()
    lpot = str(build / "bin/lpot")
    data = os.environ.get("LPOT_TEST_DATA")
    with tempfile.TemporaryDirectory() as folder:
        calibration_memory(lpot, folder)
        tune_and_bench(lpot, "quickstart", str(CONFIG), str(NETWORK), folder)
        if data:
            data = str(pathlib.Path(data).resolve())
            config = pathlib.Path(folder) / "resnet20.yaml"
            config.write_text(RESNET_CONFIG.format(data=data))
            tune_and_bench(
                lpot,
                "resnet20",
                str(config),
                f"{data}/resnet-cifar10-onnx/resnet20-cifar10.onnx",
                folder,
            )
    parts = build / "bin/bench_parts"
    if parts.exists():
        print()
        subprocess.run([str(parts), "--benchmark_min_time=0.2"], check=True)
        print(flush=True)
        subprocess.run([str(build / "bin/bench_data_loading")], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
