"""Writes tests/data/expected/resize.txt: small images resized by Pillow, as expectations for test_resize.cpp.

    python -m venv .venv-tables && .venv-tables/bin/pip install pillow==12.0.0 numpy
    .venv-tables/bin/python tests/data/make_resize_expectations.py

A line is: height width channels new_height new_width interpolation, then the new pixels as hexadecimal bytes. The source
image is not stored: both sides compute it (see `source`). Pillow 13 resizes the height first if it shrinks much more than
the width, which gives other roundings; lpot matches all earlier versions.
"""

import pathlib

import numpy as np
import PIL
from PIL import Image

FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}
CASES = [
    ((28, 28, 1), [(32, 32), (14, 14), (20, 9), (28, 11), (3, 28), (1, 1)]),
    ((13, 17, 3), [(26, 34), (7, 9), (5, 31), (13, 8), (29, 17)]),
    ((32, 32, 3), [(24, 24), (11, 10), (33, 35)]),
    ((61, 43, 3), [(20, 14), (16, 16)]),
    ((1, 5, 3), [(4, 2), (3, 9)]),
]


def source(height, width, channels):
    """Noise from a linear congruential generator, the upper byte of each state."""
    state = height * 10000 + width * 100 + channels
    values = []
    for _ in range(height * width * channels):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state >> 24)
    return np.array(values, np.uint8).reshape(height, width, channels)


def main():
    lines = [f"# Pillow {PIL.__version__}"]
    for shape, sizes in CASES:
        pixels = source(*shape)
        image = Image.fromarray(pixels[:, :, 0] if shape[2] == 1 else pixels)
        for height, width in sizes:
            for name, resampling in FILTERS.items():
                resized = np.asarray(image.resize((width, height), resampling))
                lines.append(
                    f"{shape[0]} {shape[1]} {shape[2]} {height} {width} {name} {resized.tobytes().hex()}"
                )
    target = pathlib.Path(__file__).parent / "expected" / "resize.txt"
    target.parent.mkdir(exist_ok=True)
    target.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
