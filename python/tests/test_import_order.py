"""TensorFlow loads another protobuf than lpot's. In both orders of the imports, lpot reads ONNX models."""

import subprocess
import sys

import pytest
from test_onnx import MODEL

PROGRAM = """
import {first}
import {second}
model = lpot.quantize({model!r}, data, progress=False)
print(model.framework())
"""
DATA = "import numpy as np; data = np.zeros((8, 1, 28, 28), np.float32)"


@pytest.mark.parametrize(
    ("first", "second"), [("tensorflow", "lpot"), ("lpot", "tensorflow")]
)
def test_reads_onnx_beside_tensorflow(first, second, tmp_path):
    program = DATA + PROGRAM.format(first=first, second=second, model=str(MODEL))
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["onnx"]
