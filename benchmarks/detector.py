"""Quantizes a detector of the YOLO type with lpot and with NNCF's default, on pictures without labels.

    .venv-peers/bin/python benchmarks/detector.py --model 320n.onnx --pictures FOLDER --lpot build/bin/lpot

Both get the same calibration pictures in the same size. `lpot evaluate` compares the boxes of both with those of the
fp32 model (BoxAgreement), and `lpot bench` times them in interleaved runs, in the precision that the runtime uses on
this CPU. `320n.onnx` is in the PyPI package nudenet.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

import nncf
import numpy as np
import openvino as ov
from PIL import Image

SIDE, CALIBRATION = 320, 0.2

CONFIG = """
model: {{name: detector, framework: onnx}}
quantization:
  calibration:
    sampling_size: {samples}
    dataloader: &data
      batch_size: 1
      subset: [0, {share}]
      dataset: {{ImageFolder: {{root: {pictures}}}}}
      transform: {{LetterBox: {{size: [{side}, {side}], color: 0, position: top_left}}, ToTensor: {{}}}}
evaluation:
  accuracy:
    metric: {{BoxAgreement: {{iou_thrs: "{thresholds}"}}}}
    postprocess: {{transform: {{Boxes: {{score_threshold: 0.05}}}}}}
    dataloader: {{<<: *data, subset: [{share}, 1]}}
tuning:
  accuracy_criterion: {{absolute: {loss}}}
  exit_policy: {{timeout: 0, max_trials: {trials}}}
"""


def letter_boxed(file: Path) -> np.ndarray:
    """The picture as the network reads it."""
    picture = Image.open(file).convert("RGB")
    scale = SIDE / max(picture.size)
    picture = picture.resize(
        (round(picture.width * scale), round(picture.height * scale)), Image.BILINEAR
    )
    pixels = np.zeros((SIDE, SIDE, 3), np.float32)
    pixels[: picture.height, : picture.width] = np.asarray(picture, np.float32) / 255
    return pixels.transpose(2, 0, 1)[None]


def quantize_with_nncf(model: Path, files: list[Path], output: Path) -> None:
    graph = ov.Core().read_model(model)
    graph.reshape([1, 3, SIDE, SIDE])
    data = nncf.Dataset([letter_boxed(file) for file in files])
    ov.save_model(
        nncf.quantize(graph, data, subset_size=len(files)),
        output,
        compress_to_fp16=False,
    )


def run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--lpot", default="build/bin/lpot")
    parser.add_argument("--work", type=Path, default=Path("build/detector"))
    parser.add_argument("--loss", type=float, default=0.03)
    parser.add_argument("--trials", type=int, default=10)
    options = parser.parse_args()
    for name in ("model", "pictures", "work"):
        setattr(options, name, getattr(options, name).resolve())
    options.lpot = str(Path(options.lpot).resolve())
    options.work.mkdir(parents=True, exist_ok=True)
    files = sorted(file for file in options.pictures.iterdir() if file.is_file())
    samples = int(len(files) * CALIBRATION)
    configs = {}
    for name, thresholds in (("tune", "0.5"), ("strict", "0.5:0.05:0.95")):
        configs[name] = options.work / f"{name}.yaml"
        configs[name].write_text(
            CONFIG.format(
                samples=samples,
                share=CALIBRATION,
                pictures=options.pictures,
                side=SIDE,
                thresholds=thresholds,
                loss=options.loss,
                trials=options.trials,
            )
        )
    nncf_model, lpot_model = (
        options.work / "nncf.xml",
        options.work / "lpot" / "model.xml",
    )
    quantize_with_nncf(options.model, files[:samples], nncf_model)
    subprocess.run(
        [
            options.lpot,
            "tune",
            configs["tune"],
            "--model",
            options.model,
            "--output",
            lpot_model.parent,
        ],
        cwd=options.work,
        check=False,
    )
    print(f"{len(files) - samples} pictures")
    for name, model in (("lpot", lpot_model), ("NNCF", nncf_model)):
        for config, file in configs.items():
            command = [
                options.lpot,
                "evaluate",
                file,
                "--model",
                model,
                "--reference",
                options.model,
                "--json",
            ]
            print(
                f"{name:6}{config:8}{json.loads(run([str(part) for part in command]))['accuracy']:.4f}"
            )
    precision = ov.Core().get_property("CPU", "INFERENCE_PRECISION_HINT").to_string()
    shape = f"images=1,3,{SIDE},{SIDE}"
    models = [str(options.model), str(nncf_model), str(lpot_model)]
    # All models run in the precision that the runtime uses on this CPU. lpot chose it too.
    print(run([options.lpot, "bench", *models, "--shape", shape, "--precision", precision]))  # fmt: skip


if __name__ == "__main__":
    main()
