"""Draws pictures of circles, squares and triangles, for the detector shapes_yolo.onnx. Needs only Python.

python3 make_pictures.py FOLDER [COUNT] [SEED]
"""

from __future__ import annotations

import random
import struct
import sys
import zlib
from pathlib import Path

HEIGHT, WIDTH = 90, 120
CLASSES = ["circle", "square", "triangle"]

Box = tuple[float, float, float, float]  # top, left, bottom, right


def contains(shape: int, u: float, v: float) -> bool:
    """Whether a shape contains the point; its box is 0..1 in both directions."""
    if not (0 <= u <= 1 and 0 <= v <= 1):
        return False
    if CLASSES[shape] == "circle":
        return (u - 0.5) ** 2 + (v - 0.5) ** 2 <= 0.25
    return CLASSES[shape] == "square" or abs(u - 0.5) <= v / 2


def pixels_of(shape: int, box: Box) -> list[tuple[int, int]]:
    top, left, bottom, right = box
    return [
        (y, x)
        for y in range(int(top), min(HEIGHT, int(bottom) + 1))
        for x in range(int(left), min(WIDTH, int(right) + 1))
        if contains(
            shape, (x + 0.5 - left) / (right - left), (y + 0.5 - top) / (bottom - top)
        )
    ]


def background(source: random.Random, noise: list[float]) -> list[float]:
    """A gradient between two dark colors with noise."""
    first, last = ([source.uniform(0, 110) for _ in range(3)] for _ in range(2))
    row = [
        first[k] + (last[k] - first[k]) * x / (WIDTH - 1)
        for x in range(WIDTH)
        for k in range(3)
    ]
    values: list[float] = []
    for _ in range(HEIGHT):
        start = source.randrange(len(noise) - len(row))
        values += [
            value + each
            for value, each in zip(row, noise[start : start + len(row)], strict=True)
        ]
    return values


def draw(source: random.Random) -> tuple[bytes, list[tuple[int, Box]]]:
    """The RGB pixels of a picture, and the class and box of each of its shapes."""
    noise = [source.gauss(0, 12) for _ in range(2000)]
    values = background(source, noise)
    taken: set[tuple[int, int]] = set()
    objects = []
    for _ in range(source.randrange(5)):
        height = source.uniform(14, 50)
        width = height * source.uniform(0.8, 1.25)
        top, left = source.uniform(0, HEIGHT - height), source.uniform(0, WIDTH - width)
        shape = source.randrange(len(CLASSES))
        box = (top, left, top + height, left + width)
        pixels = pixels_of(shape, box)
        if taken.intersection(pixels):
            continue
        taken.update(pixels)
        color = [source.uniform(130, 255) for _ in range(3)]
        for y, x in pixels:
            for k in range(3):
                values[(y * WIDTH + x) * 3 + k] = color[k] + 0.7 * source.choice(noise)
        objects.append((shape, box))
    return bytes(max(0, min(255, int(value))) for value in values), objects


def png(pixels: bytes) -> bytes:
    """The picture as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data))
            + kind
            + data
            + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = b"".join(
        b"\0" + pixels[y * WIDTH * 3 : (y + 1) * WIDTH * 3] for y in range(HEIGHT)
    )
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def main() -> None:
    folder = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    source = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        (folder / f"{i:04}.png").write_bytes(png(draw(source)[0]))
    print(f"{count} pictures in {folder}")


if __name__ == "__main__":
    main()
