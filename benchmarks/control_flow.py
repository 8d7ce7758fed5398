#!/usr/bin/env python3
"""Quantizes generated models with control flow: error and speed against f32.

    .venv-peers/bin/python benchmarks/control_flow.py --build build [--seconds 4]

`if` has 4 convolutions with 64 channels in one branch and 2 in the other; the mean of the image selects the branch.
`loop` computes h = tanh(h K + x) 50 times, with 512 x 512 weights. The weights are random. Speed is measured on one
thread, for `if` in the first branch. Errors are relative L2 distances from f32 on 20 samples.
"""

import argparse
import json
import pathlib
import subprocess

import numpy as np
import onnx
import openvino as ov
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(0)


def weights(name: str, shape: tuple, scale: float) -> TensorProto:
    values = RANDOM.normal(0, scale, shape).astype(np.float32)
    return numpy_helper.from_array(values, name)


def value(name: str, shape, kind: int = TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def branch(name: str, count: int):
    nodes, constants, tensor = [], [], "stem"
    for i in range(count):
        inputs = [tensor, f"{name}_w{i}", f"{name}_b{i}"]
        constants += [
            weights(inputs[1], (64, 64, 3, 3), 0.06),
            weights(inputs[2], (64,), 0.1),
        ]
        output, tensor = f"{name}_c{i}", f"{name}_r{i}"
        pads = [1, 1, 1, 1]
        nodes.append(helper.make_node("Conv", inputs, [output], name=f"{name}_Conv_{i}", pads=pads))  # fmt: skip
        nodes.append(helper.make_node("Relu", [output], [tensor]))
    return helper.make_graph(nodes, name, [], [value(tensor, None)], constants)


def if_graph():
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["stem"], name="Stem", pads=[1, 1, 1, 1]),
        helper.make_node("ReduceMean", ["x"], ["mean"], keepdims=0),
        helper.make_node("Greater", ["mean", "zero"], ["flag"]),
        helper.make_node("If", ["flag"], ["b"], name="If_0", then_branch=branch("then", 4), else_branch=branch("else", 2)),  # fmt: skip
        helper.make_node("Relu", ["b"], ["y"], name="Last"),
    ]
    constants = [
        weights("w", (64, 3, 3, 3), 0.2),
        numpy_helper.from_array(np.float32(0), "zero"),
    ]
    inputs, outputs = [value("x", ["n", 3, 28, 28])], [value("y", ["n", 64, 28, 28])]
    return helper.make_graph(nodes, "if", inputs, outputs, constants)


def loop_graph():
    body = helper.make_graph(
        [
            helper.make_node("MatMul", ["h", "k"], ["product"], name="MatMul_0"),
            helper.make_node("Add", ["product", "x"], ["sum"], name="Add_0"),
            helper.make_node("Tanh", ["sum"], ["next"], name="Tanh_0"),
            helper.make_node("Identity", ["go"], ["again"]),
        ],
        "body",
        [value("step", [], TensorProto.INT64), value("go", [], TensorProto.BOOL), value("h", ["n", 512])],  # fmt: skip
        [value("again", [], TensorProto.BOOL), value("next", ["n", 512])],
        [weights("k", (512, 512), 0.03)],
    )
    nodes = [
        helper.make_node("Loop", ["steps", "true", "x"], ["last"], name="Loop_0", body=body),  # fmt: skip
        helper.make_node("Relu", ["last"], ["y"], name="Last"),
    ]
    constants = [
        numpy_helper.from_array(np.int64(50), "steps"),
        numpy_helper.from_array(np.array(True), "true"),
    ]
    return helper.make_graph(nodes, "loop", [value("x", ["n", 512])], [value("y", ["n", 512])], constants)  # fmt: skip


def samples(shape: tuple, mean: float) -> np.ndarray:
    return RANDOM.normal(mean, 1 if len(shape) == 3 else 0.5, (20, *shape)).astype(
        np.float32
    )


def outputs(path: pathlib.Path, data: np.ndarray) -> np.ndarray:
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    model = ov.Core().compile_model(path, "CPU", settings)
    return np.concatenate([model([sample[None]])[0].copy() for sample in data])


def run_lpot(options: argparse.Namespace, work: pathlib.Path, *arguments) -> dict:
    command = [(options.build / "bin" / "lpot").resolve(), *map(str, arguments), "--json", "--quiet"]  # fmt: skip
    result = subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE)
    return json.loads(result.stdout)


def measure(name: str, graph, shape: tuple, options: argparse.Namespace) -> None:
    """Prints the rows of one model, a row for each branch."""
    work = options.work.resolve()
    model, int8 = work / f"{name}.onnx", work / f"{name}-int8" / "model.xml"
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), model)
    means = (0.2, -0.2) if name == "if" else (0.0,)
    np.save(work / "all.npy", np.concatenate([samples(shape, mean) for mean in means]))
    np.save(work / "timed.npy", samples(shape, means[0]))

    def loader(file: str) -> str:
        return f"{{dataloader: {{dataset: {{npy: {{inputs: {{x: {file}.npy}}}}}}}}}}"

    yaml = work / f"{name}.yaml"
    yaml.write_text(
        f"model: {{name: {name}}}\n"
        f"quantization:\n  precision: f32\n  calibration: {loader('all')}\n"
        f"evaluation:\n  performance: {loader('timed')}\n"
    )
    run_lpot(options, work, "quantize", yaml, "--model", model, "--output", int8.parent)
    seconds = ("--config", yaml, "--threads", 1, "--seconds", options.seconds)
    row = run_lpot(options, work, "bench", model, int8, *seconds)["models"][1]
    speed = (
        f"{row['speedup']:.2f} x ({row['speedup_low']:.2f}-{row['speedup_high']:.2f})"
    )
    for i, mean in enumerate(means):
        data = samples(shape, mean)
        exact = outputs(model, data)
        error = np.linalg.norm(outputs(int8, data) - exact) / np.linalg.norm(exact)
        title = f"{name}, branch {('then', 'else')[i]}" if name == "if" else name
        print(f"| {title} | {speed if i == 0 else ''} | {100 * error:.2f}% |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/control_flow"))  # fmt: skip
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    print("| model | int8 against f32 | error |\n|---|---|---|")
    measure("if", if_graph(), (3, 28, 28), options)
    measure("loop", loop_graph(), (512,), options)


if __name__ == "__main__":
    main()
