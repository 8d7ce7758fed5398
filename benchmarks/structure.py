"""Compares the executed graphs of lpot's and NNCF's int8 models: `make bench-structure`.

The networks are the light graphs of the `onnx` wheel (real architectures without trained weights). Their weights here
are random, and their batch norms have the mean and variance of their inputs, as in a trained network. Without that, the
ranges of DenseNet grow by a factor of 10,000 from its first to its last concatenation.

Both tools quantize the same model with the same samples. The table counts the parts of an int8 model that cost time:

- kernels that run in int8, and kernels that run in fp32
- quantizers that are not part of a kernel (FakeQuantize, or a generated kernel that quantizes)
- reorders of memory
- pooling and concatenation in fp32

The error is the relative L2 distance of the outputs from those of fp32, on samples that were not used for calibration.

    structure.py resnet50 squeezenet     some networks
    structure.py --kernels resnet50      lists the kernels that are not int8
"""

import argparse
import collections
import json
import logging
import pathlib
import subprocess

import nncf
import numpy as np
import onnx
import openvino as ov
from openvino.passes import ConstantFolding, Manager

ROOT = pathlib.Path(__file__).resolve().parents[1]
NETWORKS = ("resnet50", "densenet121", "inception_v1", "inception_v2", "shufflenet", "squeezenet")  # fmt: skip
SAMPLES = 8
INTEGERS = ("u8", "i8")
KERNELS = ("Convolution", "FullyConnected", "Deconvolution", "MatMul")
HEAD = (
    "network", "tool", "int8 kernels", "fp32 kernels", "quantizers", "reorders", "fp32 pooling",
    "fp32 concatenation", "error", "speed-up",
)  # fmt: skip


def with_random_weights(path: pathlib.Path) -> ov.Model:
    """The light graphs have weights that are computed from one number, which would give useless ranges."""
    model = ov.Core().read_model(path)
    passes = Manager()
    passes.register_pass(ConstantFolding())
    passes.run_passes(model)
    draws = np.random.default_rng(0)
    for op in list(model.get_ops()):
        if op.get_type_name() != "Constant" or op.get_element_type() != ov.Type.f32:
            continue
        old = op.data
        if old.size <= 64 or not (old == old.flat[0]).all():
            continue
        if old.ndim >= 2 and old.shape[0] > 1:
            fan_in = max(1, int(np.prod(old.shape[1:])))
            new = draws.standard_normal(old.shape) * np.sqrt(2 / fan_in)
        else:
            new = 1 + 0.1 * np.abs(draws.standard_normal(old.shape))
        constant = ov.op.Constant(new.astype(np.float32))
        for reader in op.output(0).get_target_inputs():
            reader.replace_source_output(constant.output(0))
    model.validate_nodes_and_infer_types()
    return model


def normalize(model: ov.Model, samples: np.ndarray) -> None:
    """Gives every batch norm the mean and variance of its input, from the first one to the last one."""
    core = ov.Core()
    for op in model.get_ordered_ops():
        if op.get_type_name() != "BatchNormInference":
            continue
        until_here = core.compile_model(
            ov.Model([op.input_value(0)], model.get_parameters()), "CPU"
        )
        values = np.concatenate([until_here(sample[None])[0] for sample in samples])
        axes = (0, *range(2, values.ndim))
        for index, statistic in ((3, values.mean(axes)), (4, values.var(axes))):
            op.input(index).replace_source_output(ov.op.Constant(statistic).output(0))
    model.validate_nodes_and_infer_types()


def executed_ops(path: pathlib.Path) -> list[dict]:
    core = ov.Core()
    compiled = core.compile_model(core.read_model(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})  # fmt: skip
    ops = []
    for op in compiled.get_runtime_model().get_ordered_ops():
        info = op.get_rt_info()
        values = {
            key: info[key].astype(str) if key in info else ""
            for key in ("layerType", "runtimePrecision", "originalLayersNames")
        }
        ops.append({"name": op.get_friendly_name(), **values})
    return ops


def count(path: pathlib.Path) -> collections.Counter:
    counts: collections.Counter = collections.Counter()
    for op in executed_ops(path):
        kind, is_integer = op["layerType"], op["runtimePrecision"] in INTEGERS
        if kind in KERNELS:
            counts["int8 kernels" if is_integer else "fp32 kernels"] += 1
        elif kind == "Reorder":
            counts["reorders"] += 1
        elif kind == "Pooling" and not is_integer:
            counts["fp32 pooling"] += 1
        elif kind == "Concatenation" and not is_integer:
            counts["fp32 concatenation"] += 1
        elif kind == "FakeQuantize" or (
            kind == "Subgraph" and is_quantizer(op["originalLayersNames"])
        ):
            counts["quantizers"] += 1
    return counts


def outputs(path: pathlib.Path, samples: np.ndarray) -> np.ndarray:
    compiled = ov.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return np.stack([compiled(sample[None])[0] for sample in samples])


def error(path: pathlib.Path, original: pathlib.Path, samples: np.ndarray) -> float:
    expected = outputs(original, samples)
    return float(np.linalg.norm(outputs(path, samples) - expected) / np.linalg.norm(expected))  # fmt: skip


def is_quantizer(names: str) -> bool:
    return any(part in names for part in ("/quantize", "fq_output", "fq_input"))


def print_kernels(title: str, path: pathlib.Path) -> None:
    print(title)
    for op in executed_ops(path):
        if op["runtimePrecision"] not in INTEGERS or op["layerType"] in ("Reorder", "Subgraph"):  # fmt: skip
            print(f"  {op['layerType']:16} {op['runtimePrecision']:4} {op['name']}  {op['originalLayersNames'][:80]}")  # fmt: skip


class Comparison:
    def __init__(self, build: pathlib.Path) -> None:
        self.lpot = build / "bin/lpot"
        self.work = build / "structure"

    def quantize(self, network: str) -> dict[str, pathlib.Path]:
        folder = self.work / network
        folder.mkdir(parents=True, exist_ok=True)
        source = pathlib.Path(onnx.__file__).parent / f"backend/test/data/light/light_{network}.onnx"  # fmt: skip
        model = with_random_weights(source)
        name, shape = model.inputs[0].get_any_name(), list(model.inputs[0].shape)
        draws = np.random.default_rng(1)
        samples, unseen = draws.standard_normal((2, SAMPLES, *shape[1:])).astype(np.float32)  # fmt: skip
        np.save(folder / "samples.npy", samples)
        np.save(folder / "unseen.npy", unseen)
        normalize(model, samples)
        original = folder / "fp32.xml"
        ov.save_model(model, original, compress_to_fp16=False)
        self.run_nncf(original, samples, name, folder / "nncf.xml")
        config = folder / "conf.yaml"
        config.write_text(
            "model: {name: light}\nquantization:\n  precision: f32\n  calibration:\n"
            f"    sampling_size: {SAMPLES}\n"
            f"    dataloader: {{dataset: {{npy: {{inputs: {{{name}: {folder}/samples.npy}}}}}}}}\n"
        )
        command = [self.lpot, "quantize", config, "--model", original, "--output", folder / "lpot", "--quiet"]  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return {"fp32": original, "NNCF": folder / "nncf.xml", "lpot": folder / "lpot/model.xml"}  # fmt: skip

    def run_nncf(self, model: pathlib.Path, samples: np.ndarray, name: str, output: pathlib.Path) -> None:  # fmt: skip
        data = nncf.Dataset(list(samples[:, None]), lambda sample: {name: sample})
        int8 = nncf.quantize(ov.Core().read_model(model), data, subset_size=len(samples))  # fmt: skip
        ov.save_model(int8, output, compress_to_fp16=False)

    def speedups(self, models: dict[str, pathlib.Path]) -> dict[str, str]:
        command = [self.lpot, "bench", *models.values(), "--json", "--quiet", "--seconds", "9", "--precision", "f32"]  # fmt: skip
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        timed = json.loads(done.stdout)["models"]
        return {
            tool: f"{m['speedup']:.2f} x ({m['speedup_low']:.2f}-{m['speedup_high']:.2f})"
            for tool, m in zip(models, timed, strict=True)
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="*", default=list(NETWORKS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--kernels", action="store_true")
    options = parser.parse_args()
    nncf.set_log_level(logging.ERROR)
    comparison = Comparison(options.build.resolve())
    rows = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for network in options.networks:
        models = comparison.quantize(network)
        speeds = comparison.speedups(models)
        unseen = np.load(models["fp32"].parent / "unseen.npy")
        for tool in ("NNCF", "lpot"):
            if options.kernels:
                print_kernels(f"{network}, {tool}", models[tool])
            counts = count(models[tool])
            cells = [str(counts[key]) for key in HEAD[2:-2]]
            cells.append(f"{error(models[tool], models['fp32'], unseen):.3f}")
            rows.append("| " + " | ".join([network, tool, *cells, speeds[tool]]) + " |")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
