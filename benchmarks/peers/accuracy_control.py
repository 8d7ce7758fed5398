"""Tunes one network with NNCF's accuracy control, in a process of its own: `accuracy_control.py FOLDER OUTPUT DROP`.

DROP is the relative loss that is allowed. Prints seconds, evaluations in units of the data set, and the accuracy as JSON.
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

    folder, output, drop = (
        pathlib.Path(sys.argv[1]),
        pathlib.Path(sys.argv[2]),
        float(sys.argv[3]),
    )
    network = Network(**json.loads((folder / "network.json").read_text()))
    samples = calibration_samples(network, folder)
    labels = np.load(folder / "labels.npy")
    batches = load_batches(folder / "evaluation.npz")
    rows, first = [], 0
    for batch in batches:
        count = len(next(iter(batch.values())))
        rows.append((batch, labels[first : first + count]))
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
    accuracy, _ = validate(ov.Core().compile_model(quantized, "CPU"), rows)
    print(
        json.dumps(
            {"seconds": seconds, "evaluations": evaluations, "accuracy": accuracy}
        )
    )


if __name__ == "__main__":
    main()
