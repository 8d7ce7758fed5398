"""Runs an ONNX model in ONNX Runtime and saves its first output as 32-bit floats.

    python run_onnx.py MODEL OUTPUT NAME=FILE.npy ...

The files hold the model's inputs, samples along the first dimension; they are run 100 at a time.
"""

import sys

import numpy as np
import onnxruntime


def main() -> None:
    model, output, *pairs = sys.argv[1:]
    inputs = {
        name: np.load(path) for name, path in (pair.split("=", 1) for pair in pairs)
    }
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    count = len(next(iter(inputs.values())))
    parts = [
        session.run(None, {name: array[i : i + 100] for name, array in inputs.items()})[
            0
        ]
        for i in range(0, count, 100)
    ]
    np.concatenate(parts).astype(np.float32).tofile(output)


if __name__ == "__main__":
    main()
