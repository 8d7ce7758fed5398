#!/usr/bin/env python3
"""Compares the plan that `lpot quantize` chooses without labels with the first plan of a tuning.

    LPOT_TEST_DATA=... python3 benchmarks/label_free.py --build build [--networks resnet20 minilm]

Quantizes every network twice with the same calibration data: with the default recipes, and with
`recipes.fast_bias_correction: false`, for which there is only one candidate. Evaluates both models with
`lpot evaluate`. Prints Markdown: accuracy of fp32 and of both models, and the times to quantize.
"""

import argparse
import os
import pathlib
import time

from precision import Network, Program, networks


def quantize(
    program: Program, name: str, network: Network, settings: list[str]
) -> tuple[float, float]:
    """Returns the accuracy and the seconds to quantize."""
    config = program.work / f"{name}.yaml"
    config.write_text(
        f"model: {{name: {name}}}\n"
        f"quantization: {{calibration: {{sampling_size: 300, dataloader: {network.calibration}}}}}\n"
        f"evaluation: {{accuracy: {{metric: {network.metric}, dataloader: {network.evaluation}}}}}\n"
    )
    output = program.work / name
    words = [word for setting in settings for word in ("--set", setting)]
    start = time.monotonic()
    program.run(
        "quantize", str(config), "-m", str(network.model), "-o", str(output), *words
    )
    seconds = time.monotonic() - start
    score = program.run("evaluate", str(config), "-m", str(output / "model.xml"))
    return 100 * score["accuracy"], seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--networks", nargs="*", help="default: all")
    options = parser.parse_args()
    data = os.environ.get("LPOT_TEST_DATA")
    work = options.build.resolve() / "label_free"
    work.mkdir(parents=True, exist_ok=True)
    found = networks(pathlib.Path(data).resolve() if data else None, work)
    program = Program(options.build, work)
    print("| network | fp32 | first plan | chosen plan | quantized in |")
    print("|---|---|---|---|---|", flush=True)
    for name in options.networks or found:
        network = found[name]
        first, plain_seconds = quantize(
            program, name, network, ["quantization.recipes.fast_bias_correction=false"]
        )
        chosen, seconds = quantize(program, name, network, [])
        fp32 = program.run(
            "evaluate", str(program.work / f"{name}.yaml"), "-m", str(network.model)
        )
        print(
            f"| {name} | {100 * fp32['accuracy']:.2f} | {first:.2f} | {chosen:.2f} "
            f"| {plain_seconds:.1f} s, {seconds:.1f} s |",
            flush=True,
        )


if __name__ == "__main__":
    main()
