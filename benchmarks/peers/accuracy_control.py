"""Tunes one network with NNCF's accuracy control, in a separate process:

    accuracy_control.py FOLDER OUTPUT DROP [SETTING=VALUE ...]

DROP is the relative loss that is allowed. Settings: `batch=1` validates sample by sample, which takes longer but
ranks ops by 300 samples instead of 300 batches. Other settings are NNCF's advanced quantization parameters. Prints the
seconds, the number of evaluations of the whole data set, and the accuracy as JSON.
"""

import json
import pathlib
import sys
import time

import numpy as np
from networks import Network, load_batches
from quantize import by_name, calibration_samples, read_openvino


def main() -> None:
    import nncf
    import openvino as ov

    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    drop = float(sys.argv[3])
    advanced = dict(setting.split("=") for setting in sys.argv[4:])
    network = Network(**json.loads((folder / "network.json").read_text()))
    samples = calibration_samples(network, folder)
    labels = np.load(folder / "labels.npy")
    by_sample = advanced.pop("batch", "") == "1"
    rows, first = [], 0
    for batch in load_batches(folder / "evaluation.npz"):
        count = len(next(iter(batch.values())))
        size = 1 if by_sample else count
        for i in range(0, count, size):
            part = {name: values[i : i + size] for name, values in batch.items()}
            rows.append((part, labels[first + i : first + i + size]))
        first += count
    evaluated = 0

    start = time.monotonic()
    model = read_openvino(network)

    def validate(compiled, data):
        nonlocal evaluated
        right, total = [], 0
        for batch, expected in data:
            answers = compiled(by_name(model, batch))[0].argmax(axis=-1)
            right += [float(hit) for hit in answers == expected]
            total += len(expected)
        evaluated += total
        return float(np.mean(right)), None

    options = {
        "subset_size": len(samples),
        "max_drop": drop,
        "drop_type": nncf.DropType.RELATIVE,
    }
    if "overflow_fix" in advanced:
        advanced["overflow_fix"] = nncf.OverflowFix(advanced["overflow_fix"])
    if advanced:
        options["advanced_quantization_parameters"] = (
            nncf.AdvancedQuantizationParameters(**advanced)
        )
    if network.transformer:
        options["model_type"] = nncf.ModelType.TRANSFORMER
    quantized = nncf.quantize_with_accuracy_control(
        model,
        calibration_dataset=nncf.Dataset([by_name(model, s) for s in samples]),
        validation_dataset=nncf.Dataset(rows),
        validation_fn=validate,
        **options,
    )
    ov.save_model(quantized, output / "model.xml", compress_to_fp16=False)
    seconds = time.monotonic() - start
    evaluations = evaluated / len(labels)
    # On CPUs with bf16 units that are limited to AVX2, some models only run if f32 is set explicitly.
    as_fp32 = {"INFERENCE_PRECISION_HINT": "f32"}
    accuracy, _ = validate(ov.Core().compile_model(quantized, "CPU", as_fp32), rows)
    print(
        json.dumps(
            {"seconds": seconds, "evaluations": evaluations, "accuracy": accuracy}
        )
    )


if __name__ == "__main__":
    main()
