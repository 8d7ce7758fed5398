"""Measures which part of the error of int8 models comes from their weights. It limits what learned rounding can gain.

    .venv-peers/bin/python benchmarks/zoo/weight_rounding.py [--build build] [MODEL...]

Learned rounding (AdaRound, GPTQ) chooses for every weight whether it is rounded up or down. At best, it removes the
error that the rounding of the weights causes. This command uses the models that `make bench-zoo` quantized: it removes
the quantizers of the activations, so that only the weights are in int8, and compares the outputs with those of fp32 on
held-out samples. The share is the power of that error, divided by the power of the error of the complete model.
"""

import argparse
import json
import pathlib
import statistics

import evaluate
import openvino as ov
from models import MODELS

SAMPLES = 32


def run(model: ov.Model, samples: list[evaluate.Sample]) -> evaluate.Outputs:
    names = {name: evaluate.port_of(model, name).any_name for name in samples[0]}
    model.reshape({names[name]: list(x.shape) for name, x in samples[0].items()})
    options = {
        "INFERENCE_PRECISION_HINT": "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,  # else the runtime quantizes activations
    }
    request = ov.Core().compile_model(model, "CPU", options).create_infer_request()
    outputs = []
    for sample in samples:
        request.infer({names[name]: x for name, x in sample.items()})
        count = len(request.model_outputs)
        outputs.append([request.get_output_tensor(i).data.astype("f8") for i in range(count)])  # fmt: skip
    return outputs


def without_activation_quantizers(path: str) -> ov.Model:
    model = ov.Core().read_model(path)
    for op in model.get_ordered_ops():
        if op.get_type_name() == "FakeQuantize":
            op.output(0).replace(op.input_value(0))
    model.validate_nodes_and_infer_types()
    return model


def row(build: pathlib.Path, name: str) -> tuple[float, float] | None:
    """The error of the complete model, and the error that only its weights cause."""
    done = build / f"zoo/models/own/{name}/lpot-f32/row.json"
    if not done.exists() or not (found := json.loads(done.read_text())).get("int8_ops"):
        return None
    network = json.loads((build / f"zoo/samples/{name}/network.json").read_text())
    whole = network["whole_samples"]
    samples = evaluate.load(build / f"zoo/samples/{name}/evaluation", whole)[:SAMPLES]
    path = str(done.with_name(pathlib.Path(found["model"]).name))
    reference = run(ov.Core().read_model(network["model"]), samples)
    complete = run(ov.Core().read_model(path), samples)
    weights = run(without_activation_quantizers(path), samples)
    return (
        evaluate.distance(complete, reference),
        evaluate.distance(weights, reference),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", help="default: all that are quantized")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    options = parser.parse_args()
    print("| model | error | error of the weights alone | share of the power |")
    print("|---|---|---|---|", flush=True)
    shares = []
    for name in options.models or MODELS:
        if not (found := row(options.build.resolve(), name)) or found[0] == 0:
            continue
        complete, weights = found
        shares.append((weights / complete) ** 2)
        print(f"| {name} | {complete:.3g} | {weights:.3g} | {shares[-1]:.0%} |", flush=True)  # fmt: skip
    if shares:
        print(f"\nMedian share of {len(shares)} models: {statistics.median(shares):.0%}.")  # fmt: skip


if __name__ == "__main__":
    main()
