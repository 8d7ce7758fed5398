"""Writes tests/data/images/*: small JPEG and PNG files of every kind, and pixels.txt with the pixels that Pillow decodes.

    python -m venv .venv-tables && .venv-tables/bin/pip install pillow==12.0.0 numpy
    .venv-tables/bin/python tests/data/make_image_expectations.py

A line of pixels.txt is: file height width, then the RGB pixels as hexadecimal bytes. For 16-bit grey, only the upper byte is
stored, while Pillow would saturate.
"""

import pathlib
import struct
import zlib

import numpy as np
from PIL import Image

FOLDER = pathlib.Path(__file__).parent / "images"
HEIGHT, WIDTH = 19, 21
ADAM7 = [
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
]


def picture(channels):
    """Waves with some noise: smooth enough for JPEG, different in every pixel."""
    y, x, c = np.mgrid[0:HEIGHT, 0:WIDTH, 0:channels]
    waves = 128 + 90 * np.sin(x / 3.1 + c) * np.cos(y / 4.3 - c)
    noise = np.random.default_rng(1).integers(-20, 20, (HEIGHT, WIDTH, channels))
    return np.clip(waves + noise, 0, 255).astype(np.uint8)


def chunk(kind, data):
    return (
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data))
    )


def write_png(name, depth, color, rows, interlaced=False):
    """A PNG of a kind that Pillow cannot write: rows are bytes, in Adam7 order when interlaced."""
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, color, 0, 0, int(interlaced))
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    png = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", data)
        + chunk(b"IEND", b"")
    )
    (FOLDER / name).write_bytes(png)


def interlaced_rows(pixels):
    for top, left, down, right in ADAM7:
        yield from (row.tobytes() for row in pixels[top::down, left::right])


def wide_rows(pixels):
    """16 bits per value, the upper byte as in `pixels`."""
    return [row.astype(">u2").tobytes() for row in pixels.astype(int) * 256 + 77]


def write_jpegs():
    rgb, cmyk = Image.fromarray(picture(3)), Image.fromarray(picture(4), "CMYK")
    for name, subsampling in (("444", 0), ("422", 1), ("420", 2)):
        rgb.save(FOLDER / f"rgb_{name}.jpg", quality=85, subsampling=subsampling)
    rgb.save(FOLDER / "progressive.jpg", quality=85, progressive=True)
    rgb.convert("L").save(FOLDER / "grey.jpg", quality=85)
    cmyk.save(FOLDER / "cmyk.jpg", quality=85)


def write_pngs():
    rgb, rgba = Image.fromarray(picture(3)), Image.fromarray(picture(4), "RGBA")
    rgb.save(FOLDER / "rgb.png")
    rgba.save(FOLDER / "rgba.png")
    rgb.convert("L").save(FOLDER / "grey.png")
    rgba.convert("LA").save(FOLDER / "grey_alpha.png")
    rgb.convert("1").save(FOLDER / "bilevel.png")
    palette = rgb.quantize(16)
    palette.save(FOLDER / "palette.png")
    palette.save(FOLDER / "palette_transparent.png", transparency=3)
    write_png("rgb_16.png", 16, 2, wide_rows(picture(3)))
    write_png("grey_16.png", 16, 0, wide_rows(picture(1)))
    write_png("interlaced.png", 8, 2, interlaced_rows(picture(3)), interlaced=True)


def pixels_of(path):
    if path.name == "grey_16.png":
        return np.repeat(picture(1), 3, axis=2)
    return np.asarray(Image.open(path).convert("RGB"))


def main():
    FOLDER.mkdir(exist_ok=True)
    write_jpegs()
    write_pngs()
    lines = []
    for path in sorted([*FOLDER.glob("*.jpg"), *FOLDER.glob("*.png")]):
        pixels = pixels_of(path)
        lines.append(
            f"{path.name} {pixels.shape[0]} {pixels.shape[1]} {pixels.tobytes().hex()}"
        )
    (FOLDER / "pixels.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
