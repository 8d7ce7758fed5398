"""Tunes one ONNX network with LPOT 1.6 in a separate process: `original.py FOLDER OUTPUT DROP TRIALS`.

Needs Python 3.8 and the wheels of scripts/requirements-original.txt (`scripts/setup.sh --peers` installs them
in .venv-original if Python 3.8 is installed). DROP is the allowed relative loss.
Prints seconds, trials and the accuracy as JSON.
"""

import json
import pathlib
import sys
import time

import numpy as np

CONFIG = """
model: {{name: network, framework: onnxrt_qlinearops}}
quantization:
  calibration: {{sampling_size: 300}}
tuning:
  accuracy_criterion: {{relative: {drop}}}
  exit_policy: {{timeout: 0, max_trials: {trials}}}
  workspace: {{path: {folder}}}
"""


class Loader:
    """The loader that LPOT 1.6 requires: batches of (input, label) and a batch size."""

    def __init__(self, batches, labels):
        self.batches, self.labels = batches, labels
        self.batch_size = len(batches[0])

    def __iter__(self):
        first = 0
        for batch in self.batches:
            yield batch, self.labels[first : first + len(batch)]
            first += len(batch)


def load(path):
    """The batches of one input that networks.py wrote, in order."""
    with np.load(path) as arrays:
        return [arrays[key] for key in arrays.files]


def main():
    import onnxruntime
    from lpot.experimental import Quantization, common

    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    drop, trials = float(sys.argv[3]), int(sys.argv[4])
    network = json.loads((folder / "network.json").read_text())
    labels = np.load(folder / "labels.npy")
    samples = np.load(next((folder / "calibration").glob("*.npy")))
    calibration = np.array_split(samples, len(samples) // 10)
    evaluation = Loader(load(folder / "evaluation.npz"), labels)
    evaluations = 0

    def evaluate(model):
        nonlocal evaluations
        evaluations += 1
        proto = getattr(model, "model", model)
        session = onnxruntime.InferenceSession(proto.SerializeToString())
        name = session.get_inputs()[0].name
        right = 0
        for batch, expected in evaluation:
            answers = session.run(None, {name: batch})[0].argmax(axis=-1)
            right += int((answers == expected).sum())
        return right / len(labels)

    config = output / "original.yaml"
    config.write_text(
        CONFIG.format(drop=drop, trials=trials, folder=output / "workspace")
    )
    start = time.monotonic()
    quantizer = Quantization(str(config))
    quantizer.model = common.Model(network["model"])
    quantizer.calib_dataloader = Loader(calibration, np.zeros(len(samples)))
    quantizer.eval_func = evaluate
    quantized = quantizer()
    found = {
        "seconds": time.monotonic() - start,
        "evaluations": evaluations,
        "accuracy": None,
    }
    if quantized is not None:
        found["accuracy"] = evaluate(quantized)
        quantized.save(str(output / "model.onnx"))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
