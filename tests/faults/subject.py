"""What the faults are done to: a small network, its data and a study whose trials and best model are the same every time.

The study is `random` with a few trials, and the error of the outputs against fp32's decides alone which one is best: the goal allows
none, so no int8 model meets it, and what misses the goal is compared by its accuracy and never by its speed, which differs from run
to run. Kernel forms are not measured, for the same reason.
"""

import hashlib
import json
import pathlib
import random
import struct
import subprocess

TRIALS = 3
WIDTH = 16
LAYERS = 4
SAMPLES = 24
WORKSPACE = "lpot_workspace/net-onnx"

CONFIG = f"""
model: {{name: net}}
quantization:
  calibration: {{sampling_size: 8, dataloader: {{dataset: {{npy: {{inputs: {{x: inputs.npy}}}}}}}}}}
  recipes: {{forms: plain}}
evaluation:
  accuracy:
    metric: {{MSE: {{compare_label: false}}}}
    dataloader: {{batch_size: 8, dataset: {{npy: {{inputs: {{x: inputs.npy}}}}}}}}
tuning:
  strategy: {{name: random}}
  accuracy_criterion: {{absolute: 0}}
  exit_policy: {{max_trials: {TRIALS}}}
"""


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number: int, value: int | str | bytes) -> bytes:
    """One field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def onnx_network() -> bytes:
    """Products one behind the other, a ReLU between them."""
    draw = random.Random(5)
    graph = field(2, "net")
    last = "x"
    for layer in range(LAYERS):
        weights = struct.pack(
            f"<{WIDTH * WIDTH}f", *(draw.gauss(0, 0.4) for _ in range(WIDTH * WIDTH))
        )
        graph += field(
            5,
            field(1, WIDTH) * 2
            + field(2, 1)
            + field(8, f"w{layer}")
            + field(9, weights),
        )
        product = "y" if layer == LAYERS - 1 else f"product{layer}"
        graph += field(
            1,
            field(1, last)
            + field(1, f"w{layer}")
            + field(2, product)
            + field(3, f"MatMul{layer}")
            + field(4, "MatMul"),
        )
        last = f"relu{layer}"
        if product != "y":
            graph += field(
                1,
                field(1, product)
                + field(2, last)
                + field(3, f"Relu{layer}")
                + field(4, "Relu"),
            )
    shape = field(1, field(2, "batch")) + field(1, field(1, WIDTH))
    for number, name in ((11, "x"), (12, "y")):
        graph += field(
            number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))
        )
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def npy(values: list[float], shape: tuple[int, ...]) -> bytes:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return (
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(values)}f", *values)
    )


def prepare(folder: pathlib.Path) -> None:
    draw = random.Random(6)
    (folder / "net.onnx").write_bytes(onnx_network())
    (folder / "inputs.npy").write_bytes(
        npy([draw.gauss(0, 1) for _ in range(SAMPLES * WIDTH)], (SAMPLES, WIDTH))
    )
    (folder / "conf.yaml").write_text(CONFIG)


def tune_words(lpot: str, resume: bool, trials: int = TRIALS) -> list[str]:
    words = [lpot, "tune", "conf.yaml", "--model", "net.onnx", "--json"]
    words += ["--set", f"tuning.exit_policy.max_trials={trials}"]
    return words + (["--resume"] if resume else [])


def fingerprint(*paths: pathlib.Path) -> str:
    sums = hashlib.sha256()
    for path in paths:
        sums.update(path.read_bytes() if path.exists() else b"missing")
    return sums.hexdigest()


def best_model(folder: pathlib.Path) -> tuple[str, str]:
    """Sums of the pair that OpenVINO reads and of the ONNX file."""
    best = folder / WORKSPACE / "best"
    return fingerprint(best / "model.xml", best / "model.bin"), fingerprint(
        best / "model.onnx"
    )


def trials(lpot: str, folder: pathlib.Path) -> list[tuple]:
    """Of the last study: what must not depend on what happened to it."""
    shown = subprocess.run(
        [lpot, "show", WORKSPACE, "--json"], cwd=folder, capture_output=True, text=True
    )
    if shown.returncode != 0:
        raise AssertionError(f"lpot show fails: {shown.stderr.strip()}")
    study = json.loads(shown.stdout)[-1]
    return [
        (
            trial["number"],
            json.dumps(trial["plan"], sort_keys=True),
            trial["error"],
            trial["result"] and trial["result"]["accuracy"],
        )
        for trial in study["trials"]
    ]
