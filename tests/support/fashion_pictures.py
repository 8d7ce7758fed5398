#!/usr/bin/env python3
"""Writes images of Fashion-MNIST as PNG files into class folders: fashion_pictures.py FOLDER COUNT [--flat].

--flat writes all files into the folder itself. Uses the standard library only.
"""

import gzip
import pathlib
import struct
import sys
import zlib

SOURCE = pathlib.Path("/usr/share/datasets/fashion-mnist")
NAMES = "tshirt trouser pullover dress coat sandal shirt sneaker bag boot".split()
SIDE = 28


def read(name: str, header: int) -> bytes:
    path = SOURCE / name
    opened = gzip.open(f"{path}.gz") if not path.exists() else path.open("rb")
    with opened as file:
        return file.read()[header:]


def png(pixels: bytes) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        crc = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", crc)

    rows = b"".join(b"\0" + pixels[i : i + SIDE] for i in range(0, len(pixels), SIDE))
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def main() -> None:
    folder, count, flat = pathlib.Path(sys.argv[1]), int(sys.argv[2]), "--flat" in sys.argv
    images, labels = read("t10k-images-idx3-ubyte", 16), read("t10k-labels-idx1-ubyte", 8)
    for i in range(count):
        # The digit keeps the classes in the order of the labels.
        target = folder if flat else folder / f"{labels[i]}_{NAMES[labels[i]]}"
        target.mkdir(parents=True, exist_ok=True)
        pixels = images[i * SIDE * SIDE : (i + 1) * SIDE * SIDE]
        (target / f"{i:05}.png").write_bytes(png(pixels))


if __name__ == "__main__":
    main()
