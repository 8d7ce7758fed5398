#!/usr/bin/env python3
"""Measures whether memory grows with the data set: peak memory of `lpot evaluate` and `lpot tune` by number of samples.

    benchmarks/streaming.py --build build [--most 100000]

A small network reads 3 x 32 x 32 images from a .npy file (12 kB each) and from TensorFlow records with PNG images (3
kB each). The exponent is the slope of log(memory) over log(samples): 1 means proportional growth, 0 means constant
memory. A study caches decoded images, up to 256 MB in memory and 8 GB in a file, so the memory of tuning on records
grows up to that limit.
"""

import argparse
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/faults"))
from subject import field  # noqa: E402

SIDE, CHANNELS, CLASSES = 32, 3, 10

CONFIG = """
model: {{name: net}}
quantization: {{calibration: {{sampling_size: 50}}, recipes: {{kernel_variants: plain}}}}
evaluation:
  accuracy:
    metric: {{topk: 1}}
    dataloader: {{batch_size: 32, dataset: {{{data}}}, transform: {{{transform}}}}}
tuning: {{accuracy_criterion: {{absolute: 1.0}}, exit_policy: {{max_trials: 1}}}}
"""


def network() -> bytes:
    """Builds an ONNX model: convolution, ReLU and global average pooling, which gives the class scores."""
    draw = random.Random(3)
    weights = struct.pack(
        f"<{CLASSES * CHANNELS * 9}f",
        *(draw.gauss(0, 0.3) for _ in range(CLASSES * CHANNELS * 9)),
    )
    dims = b"".join(field(1, size) for size in (CLASSES, CHANNELS, 3, 3))
    graph = field(2, "net") + field(
        5, dims + field(2, 1) + field(8, "w") + field(9, weights)
    )
    steps = (
        ("Conv", ["x", "w"], "conv"),
        ("Relu", ["conv"], "relu"),
        ("GlobalAveragePool", ["relu"], "pool"),
        ("Flatten", ["pool"], "y"),
    )
    for kind, inputs, output in steps:
        graph += field(
            1,
            b"".join(field(1, name) for name in inputs)
            + field(2, output)
            + field(3, kind)
            + field(4, kind),
        )
    for number, name, sizes in (
        (11, "x", (CHANNELS, SIDE, SIDE)),
        (12, "y", (CLASSES,)),
    ):
        shape = field(1, field(2, "batch")) + b"".join(
            field(1, field(1, size)) for size in sizes
        )
        graph += field(
            number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))
        )
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def write_npy(
    path: pathlib.Path, kind: str, shape: tuple[int, ...], rows: list[bytes]
) -> None:
    """Writes an .npy file that repeats `rows`."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with path.open("wb") as file:
        file.write(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
        )
        for i in range(shape[0]):
            file.write(rows[i % len(rows)])


def png(draw: random.Random) -> bytes:
    def chunk(name: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content))
            + name
            + content
            + struct.pack(">I", zlib.crc32(name + content))
        )

    lines = b"".join(b"\0" + draw.randbytes(SIDE * CHANNELS) for _ in range(SIDE))
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def crc32c(content: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def record(content: bytes) -> bytes:
    def masked(part: bytes) -> bytes:
        crc = crc32c(part)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    length = struct.pack("<Q", len(content))
    return length + masked(length) + content + masked(content)


def example(picture: bytes, label: int) -> bytes:
    encoded = field(
        1, field(1, "image/encoded") + field(2, field(1, field(1, picture)))
    )
    named = field(
        1, field(1, "image/class/label") + field(2, field(3, field(1, bytes([label]))))
    )
    return field(1, encoded + named)


def prepare(folder: pathlib.Path, samples: int) -> dict[str, tuple[str, str]]:
    """Writes the data. Returns (data set, transforms) of the configuration for each format."""
    draw = random.Random(4)
    values = CHANNELS * SIDE * SIDE
    pictures = [
        struct.pack(f"<{values}f", *(draw.gauss(0, 1) for _ in range(values)))
        for _ in range(10)
    ]
    write_npy(folder / "x.npy", "<f4", (samples, CHANNELS, SIDE, SIDE), pictures)
    write_npy(
        folder / "y.npy", "<i8", (samples,), [struct.pack("<q", i) for i in range(10)]
    )
    records = [record(example(png(draw), label)) for label in range(10)]
    with (folder / "data.tfrecord").open("wb") as file:
        for i in range(samples):
            file.write(records[i % 10])
    return {
        "npy": ("npy: {inputs: {x: x.npy}, labels: y.npy}", ""),
        "records": ("TFRecordDataset: {root: data.tfrecord}", "ToTensor: {}"),
    }


def peak_mb(words: list[str], folder: pathlib.Path) -> float:
    process = subprocess.Popen(
        words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        sys.exit(f"{' '.join(words)} failed: {errors}")
    return usage.ru_maxrss / 1024


def exponent(points: list[tuple[int, float]]) -> float:
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum(
        (a - x) ** 2 for a in xs
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--most", type=int, default=100000)
    options = parser.parse_args()
    lpot = str(pathlib.Path(options.build).resolve() / "bin/lpot")
    sizes = [options.most // 100, options.most // 10, options.most]
    found: dict[str, list[tuple[int, float]]] = {}
    data_mb = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "net.onnx").write_bytes(network())
            for kind, (data, transform) in prepare(folder, size).items():
                (folder / "conf.yaml").write_text(
                    CONFIG.format(data=data, transform=transform)
                )
                for verb in ("evaluate", "tune"):
                    peak = peak_mb(
                        [lpot, verb, "conf.yaml", "--model", "net.onnx", "--json"],
                        folder,
                    )
                    found.setdefault(f"`lpot {verb}`, {kind}", []).append((size, peak))
                data_mb[kind, size] = (
                    folder / ("x.npy" if kind == "npy" else "data.tfrecord")
                ).stat().st_size / 1e6
    print(
        "| peak memory in MB | "
        + " | ".join(f"{size} samples" for size in sizes)
        + " | exponent |"
    )
    print("|---|" + "---|" * (len(sizes) + 1))
    for kind in ("npy", "records"):
        print(
            f"| size of the data, {kind} | "
            + " | ".join(f"{data_mb[kind, size]:.0f}" for size in sizes)
            + " | 1 |"
        )
    for name, points in found.items():
        print(
            f"| {name} | "
            + " | ".join(f"{peak:.0f}" for _, peak in points)
            + f" | {exponent(points):.2f} |"
        )
    print(
        json.dumps(
            {
                "exponents": {
                    name: round(exponent(points), 3) for name, points in found.items()
                }
            }
        ),
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
