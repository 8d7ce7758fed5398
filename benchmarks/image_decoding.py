#!/usr/bin/env python3
"""Compares JPEG preprocessing of lpot and Pillow: read, decode, Resize 256, CenterCrop 224, ToTensor, Normalize.

    python -m venv .venv-tables && .venv-tables/bin/pip install pillow numpy
    .venv-tables/bin/python benchmarks/image_decoding.py --build build

The images are 500 x 375 pixels, with about the detail of photographs (100 KB each). Both libraries run on one thread,
alternately. The result is the best of five rounds.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import PIL
from PIL import Image

STEPS = ["decode", "+ Resize", "+ CenterCrop", "+ ToTensor", "+ Normalize"]
MEAN = np.array([0.485, 0.456, 0.406], np.float32)[:, None, None]
STD = np.array([0.229, 0.224, 0.225], np.float32)[:, None, None]


def write_images(folder: pathlib.Path, count: int) -> list[pathlib.Path]:
    """Writes images with noise at several scales, which compress about as well as photographs."""
    (folder / "class").mkdir()
    random = np.random.default_rng(1)
    paths = []
    for number in range(count):
        picture = np.zeros((375, 500, 3), np.float32)
        for side in (4, 16, 64, 250):
            coarse = Image.fromarray(
                random.integers(0, 256, (side, side, 3), dtype=np.uint8)
            )
            picture += (
                np.asarray(
                    coarse.resize((500, 375), Image.Resampling.BICUBIC), np.float32
                )
                / 4
            )
        paths.append(folder / "class" / f"{number}.jpg")
        Image.fromarray(picture.astype(np.uint8)).save(paths[-1], quality=92)
    return paths


def pillow_prepare(path: pathlib.Path, steps: int) -> object:
    image = Image.open(path).convert("RGB")
    if steps >= 1:
        width, height = image.size
        scale = 256 / min(width, height)
        image = image.resize(
            (int(width * scale), int(height * scale)), Image.Resampling.BILINEAR
        )
    if steps >= 2:
        left, top = (image.width - 224) // 2, (image.height - 224) // 2
        image = image.crop((left, top, left + 224, top + 224))
    if steps >= 3:
        image = np.asarray(image, np.float32).transpose(2, 0, 1) / np.float32(255)
    if steps >= 4:
        image = (image - MEAN) / STD
    return np.ascontiguousarray(image)


def pillow_ms(paths: list[pathlib.Path], steps: int) -> float:
    start = time.process_time()
    for path in paths:
        pillow_prepare(path, steps)
    return (time.process_time() - start) / len(paths) * 1000


def lpot_ms(program: pathlib.Path, folder: pathlib.Path, steps: int) -> float:
    command = [
        str(program),
        f"--benchmark_filter=preparing_images/{steps}$",
        "--benchmark_format=json",
        "--benchmark_min_time=0.5",
    ]
    output = subprocess.run(
        command,
        env={**os.environ, "LPOT_BENCH_IMAGES": str(folder)},
        capture_output=True,
        check=True,
    ).stdout
    return json.loads(output)["benchmarks"][0]["cpu_time"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--images", type=int, default=64)
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.build).resolve() / "bin/bench_images"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = write_images(folder, arguments.images)
        size = sum(path.stat().st_size for path in paths) / len(paths) / 1000
        print(
            f"{len(paths)} images of 500 x 375, {size:.0f} KB; CPU milliseconds per image; Pillow {PIL.__version__}"
        )
        for steps, label in enumerate(STEPS):
            rounds = [
                (pillow_ms(paths, steps), lpot_ms(program, folder, steps))
                for _ in range(5)
            ]
            pillow, lpot = (min(times) for times in zip(*rounds))
            print(
                f"  {label:14} Pillow {pillow:6.2f}  lpot {lpot:6.2f}  {pillow / lpot:5.2f} x"
            )


if __name__ == "__main__":
    main()
