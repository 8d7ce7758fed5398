"""Quantizes the keyword spotter of the examples with lpot and with NNCF's default: accuracy and speed.

    .venv-peers/bin/python benchmarks/keyword_spotting.py --lpot build/bin/lpot

espeak-ng speaks the sounds of examples/onnx/keyword_spotting. lpot tunes with the configuration of that example; NNCF
calibrates with as many sounds of the same classes. `lpot evaluate` measures the accuracy of all models, and `lpot bench`
times them in interleaved runs, in the precision that the runtime uses on this CPU.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import nncf
import numpy as np
import openvino as ov

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples/onnx/keyword_spotting"
CALIBRATION = 60
sys.path.insert(0, str(EXAMPLE))


def calibration_samples(sounds: pathlib.Path) -> list[np.ndarray]:
    """Spectrograms of the first sounds of each class, with the features that the example was trained with."""
    import make_sounds
    import train

    filters = train.mel_filters()
    samples = []
    for word in make_sounds.WORDS:
        files = sorted((sounds / word).iterdir())[: CALIBRATION // len(make_sounds.WORDS)]  # fmt: skip
        for file in files:
            sound = train.read_sound(file)[: train.RATE]
            padded = np.pad(sound, (0, train.RATE - len(sound)))
            samples.append(train.log_mel(padded, filters)[None, None])
    return samples


def quantize_with_nncf(sounds: pathlib.Path, output: pathlib.Path) -> None:
    samples = calibration_samples(sounds)
    graph = ov.Core().read_model(EXAMPLE / "keywords.onnx")
    quantized = nncf.quantize(graph, nncf.Dataset(samples), subset_size=len(samples))
    ov.save_model(quantized, output, compress_to_fp16=False)


def run(folder: pathlib.Path, *words: str | pathlib.Path) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        check=True,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lpot", type=pathlib.Path, default="build/bin/lpot")
    parser.add_argument("--work", type=pathlib.Path, default="build/keyword_spotting")
    options = parser.parse_args()
    work, lpot = options.work.resolve(), options.lpot.resolve()
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "sounds").exists():
        run(work, sys.executable, EXAMPLE / "make_sounds.py", "sounds")
    config, source = EXAMPLE / "conf.yaml", EXAMPLE / "keywords.onnx"
    print(run(work, lpot, "tune", config, "--model", source, "--output", "int8"))
    quantize_with_nncf(work / "sounds", work / "nncf.xml")
    models = {"fp32": source, "NNCF": "nncf.xml", "lpot": "int8/model.xml"}
    for name, model in models.items():
        out = run(work, lpot, "evaluate", config, "--model", model, "--json")
        print(f"{name}: accuracy {json.loads(out)['accuracy']:.4f}")
    precision = ov.Core().get_property("CPU", "INFERENCE_PRECISION_HINT").to_string()
    for batch in ("1", "16"):
        print(run(work, lpot, "bench", *models.values(), "--precision", precision, "--batch-size", batch))  # fmt: skip


if __name__ == "__main__":
    main()
