#!/usr/bin/env python3
"""Compares precisions: f32, bf16, int8 with the other ops in f32, and int8 with the other ops in bf16.

    LPOT_TEST_DATA=... python3 benchmarks/precision.py --build build [--networks resnet20 minilm] [--seconds 10]

Quantizes every network once, with `quantization.precision: f32` and `bf16`. Evaluates the four models with
`lpot evaluate` and times them with `lpot bench`, in one process and alternately, at batch 1 and 32. Prints Markdown: the
accuracy, and the speed against f32 with its 95% confidence interval.

It needs a CPU with bf16 units. Without LPOT_TEST_DATA it measures the quick start only.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CROP = (
    "transform: {CenterCrop: {size: 224}, ToTensor: {}, "
    "Normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}"
)
IMAGENET_CALIBRATION = 300  # images; the others are the evaluation data
MODELS = (
    ("f32", "f32"),
    ("bf16", "bf16"),
    ("int8, f32", "f32"),
    ("int8, bf16", "bf16"),
)


@dataclasses.dataclass
class Network:
    model: pathlib.Path
    calibration: str  # YAML of a dataloader
    evaluation: str
    metric: str
    shapes: dict[int, list[str]] = dataclasses.field(
        default_factory=dict
    )  # `--shape` by batch size


def imagenet_list(
    data: pathlib.Path, work: pathlib.Path
) -> tuple[pathlib.Path, pathlib.Path]:
    """Unpacks the images. Returns lists of calibration and of evaluation images, with all classes spread over both."""
    images = work / "imagenet"
    if not images.exists():
        with tarfile.open(data / "imagenet-2000/images-256.tar") as archive:
            archive.extractall(images, filter="data")
    lines = (data / "imagenet-2000/val.txt").read_text().splitlines()
    step = len(lines) / IMAGENET_CALIBRATION
    chosen = {int(i * step) for i in range(IMAGENET_CALIBRATION)}
    lists = work / "calibration.txt", work / "evaluation.txt"
    for path, wanted in zip(lists, (True, False), strict=True):
        path.write_text(
            "".join(
                line + "\n" for i, line in enumerate(lines) if (i in chosen) == wanted
            )
        )
    return lists


def imagenet_network(data: pathlib.Path, work: pathlib.Path, model: str) -> Network:
    calibration, evaluation = (
        f"{{batch_size: 20, dataset: {{ImagenetRaw: {{data_path: {work}/imagenet/images, image_list: {path}}}}}, {CROP}}}"
        for path in imagenet_list(data, work)
    )
    return Network(
        data / f"imagenet-onnx/{model}.onnx", calibration, evaluation, "{topk: 1}"
    )


def networks(data: pathlib.Path | None, work: pathlib.Path) -> dict[str, Network]:
    fashion = (
        "{batch_size: 32, dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}, "
        "transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}}"
    )
    found = {
        "quickstart": Network(
            ROOT / "examples/quickstart/fashion_cnn.onnx", fashion, fashion, "{topk: 1}"
        )
    }
    if not data:
        return found
    cifar = (
        "{{batch_size: 32, dataset: {{CIFAR10: {{root: {data}/cifar10, train: {train}}}}}, transform: {{ToTensor: {{}}, "
        "Normalize: {{mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}}}}}"
    )
    pairs = (
        "{{batch_size: 8, dataset: {{GLUE: {{data_dir: {data}/glue-mrpc, task: mrpc, evaluate: {evaluate}, "
        "model_name_or_path: {data}/bert-vocab/vocab.txt, dynamic_length: false}}}}}}"
    )
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    found["resnet20"] = Network(
        data / "resnet-cifar10-onnx/resnet20-cifar10.onnx",
        cifar.format(data=data, train="true"),
        cifar.format(data=data, train="false"),
        "{topk: 1}",
    )
    found["minilm"] = Network(
        data / "minilm-mrpc-onnx/minilm_mrpc.onnx",
        pairs.format(data=data, evaluate="false"),
        pairs.format(data=data, evaluate="true"),
        "{GLUE: {task: mrpc, measure: acc}}",
        {size: [f"{name}={size},128" for name in inputs] for size in (1, 32)},
    )
    for model in ("mobilenet_v2", "efficientnet_lite0"):
        found[model] = imagenet_network(data, work, model)
    return found


class Program:
    def __init__(self, build: pathlib.Path, work: pathlib.Path) -> None:
        self.path = (build / "bin/lpot").resolve()
        self.work = work

    def run(self, *words: str) -> dict:
        env = os.environ | {"LPOT_FORM_MEMORY": "off"}
        found = subprocess.run(
            [self.path, *words, "--json"],
            cwd=self.work,
            env=env,
            capture_output=True,
            text=True,
        )
        if found.returncode != 0:
            sys.exit(f"lpot {' '.join(words)}\n{found.stderr}")
        return json.loads(found.stdout)


def measure(
    program: Program, name: str, network: Network, seconds: float
) -> list[list[str]]:
    config = program.work / f"{name}.yaml"
    config.write_text(
        f"model: {{name: {name}}}\n"
        f"quantization: {{calibration: {{sampling_size: 300, dataloader: {network.calibration}}}}}\n"
        f"evaluation: {{accuracy: {{metric: {network.metric}, dataloader: {network.evaluation}}}}}\n"
    )
    files = [str(network.model)] * 2
    for precision in ("f32", "bf16"):
        folder = program.work / f"{name}-{precision}"
        program.run(
            "quantize", str(config), "-m", str(network.model), "-o", str(folder),
            "--set", f"quantization.precision={precision}",
        )  # fmt: skip
        files.append(str(folder / "model.xml"))
    rows = [[name, title] for title, _ in MODELS]
    for row, file, (_, precision) in zip(rows, files, MODELS, strict=True):
        score = program.run(
            "evaluate", str(config), "-m", file, "--precision", precision
        )
        row.append(f"{100 * score['accuracy']:.2f}")
    for batch in (1, 32):
        shapes = [
            word
            for shape in network.shapes.get(batch, [])
            for word in ("--shape", shape)
        ]
        timed = program.run(
            "bench", *files, "-b", str(batch), "--seconds", str(seconds),
            "--precision", ",".join(precision for _, precision in MODELS), *shapes,
        )  # fmt: skip
        for row, model in zip(rows, timed["models"], strict=True):
            row.append(f"{model['latency_ms']['median']:.3f} ms")
            row.append(
                f"{model['speedup']:.2f} x ({model['speedup_low']:.2f}-{model['speedup_high']:.2f})"
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--networks", nargs="*", help="default: all")
    parser.add_argument("--seconds", type=float, default=10, help="of each comparison")
    options = parser.parse_args()
    data = os.environ.get("LPOT_TEST_DATA")
    work = options.build.resolve() / "precision"
    work.mkdir(parents=True, exist_ok=True)
    found = networks(pathlib.Path(data).resolve() if data else None, work)
    program = Program(options.build, work)
    print(
        "| network | precision | accuracy | batch 1 | against f32 | batch 32 | against f32 |"
    )
    print("|---|---|---|---|---|---|---|", flush=True)
    for name in options.networks or found:
        for row in measure(program, name, found[name], options.seconds):
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
