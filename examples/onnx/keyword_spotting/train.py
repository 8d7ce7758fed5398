"""Train the keyword spotter of this example and export it as keywords.onnx.

The network is a small CNN: a 3x3 convolution, four blocks of a depthwise and a pointwise convolution, a 3x3
convolution, global average pooling and a linear layer. Each convolution is followed by a batch norm, which is exported
as a BatchNormalization node.

Input "log_mel": float32 [batch, 1, 40, 51], the log-mel spectrogram in dB of one second at 16 kHz: 40 bands, n_fft
512, hop 320, at most 80 dB below the maximum, scaled to mean 0 and deviation 1. Output "scores": float32 [batch, 6].

Needs: Python 3.11, the Debian package espeak-ng, and
    pip install torch==2.13.0 numpy==2.4.6 scipy==1.17.1 onnx==1.23.2

Run:
    python train.py

The words are spoken by other voices than those of the evaluation (make_sounds.py), with random noise, loudness and
position. The seed fixes weights and noise; the last digits can differ between CPUs.
"""

import argparse
import pathlib
import tempfile
import wave

import make_sounds
import numpy as np
import onnx
import scipy.signal
import torch
from torch import nn

FOLDER = pathlib.Path(__file__).resolve().parent
VOICES = ["m1", "m3", "m4", "m6", "m7", "f1", "f3", "f5", "klatt", "croak", "Annie"]
RATE, N_FFT, HOP, BANDS = 16000, 512, 320, 40


class Block(nn.Sequential):
    def __init__(self, cin, cout, kernel, stride=1, groups=1):
        super().__init__(
            nn.Conv2d(
                cin, cout, kernel, stride, kernel // 2, groups=groups, bias=False
            ),
            nn.BatchNorm2d(cout),
            nn.ReLU(),
        )


class Spotter(nn.Module):
    """Converts [batch, 1, 40, 51] to [batch, 6]."""

    def __init__(self):
        super().__init__()
        layers = [Block(1, 32, 3, 2)]
        for cin, cout, stride in [(32, 48, 1), (48, 64, 2), (64, 64, 1), (64, 64, 1)]:
            layers += [Block(cin, cin, 3, stride, cin), Block(cin, cout, 1)]
        layers += [Block(64, 64, 3)]
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(64, len(make_sounds.WORDS))

    def forward(self, log_mel):
        return self.head(self.body(log_mel).mean((2, 3)))


def mel_filters():
    """Triangular filters on Slaney's scale with equal area, as in librosa."""
    step = np.log(6.4) / 27

    def to_hertz(mel):
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp(step * (mel - 15)))

    top = 15 + np.log(RATE / 2 / 1000) / step
    edges = to_hertz(np.linspace(0, top, BANDS + 2))
    hertz = np.fft.rfftfreq(N_FFT, 1 / RATE)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rise, fall = (hertz - low) / (middle - low), (high - hertz) / (high - middle)
    return np.maximum(0, np.minimum(rise, fall)) * 2 / (high - low)


def log_mel(sound, filters):
    padded = np.pad(sound, N_FFT // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, N_FFT)[::HOP]
    power = np.abs(np.fft.rfft(frames * scipy.signal.get_window("hann", N_FFT))) ** 2
    values = 10 * np.log10(np.maximum(1e-10, filters @ power.T))
    values = np.maximum(values, values.max() - 80)
    return ((values - values.mean()) / (values.std() + 1e-5)).astype(np.float32)


def read_sound(path):
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768
        return scipy.signal.resample_poly(samples, RATE, file.getframerate())


def vary(sound, random):
    start = random.integers(0, 3000)
    result = np.zeros(RATE)
    part = sound[: RATE - start]
    result[start : start + len(part)] = part * random.uniform(0.2, 1)
    return result + random.normal(0, 10 ** random.uniform(-5, -2.3), RATE)


def make_samples(random, copies=6):
    filters = mel_filters()
    images, labels = [], []
    with tempfile.TemporaryDirectory() as folder:
        make_sounds.write_sounds(
            pathlib.Path(folder), VOICES, [115, 150, 190], [40, 60]
        )
        for label, word in enumerate(make_sounds.WORDS):
            for path in sorted((pathlib.Path(folder) / word).iterdir()):
                sound = read_sound(path)
                for _ in range(copies):
                    images.append(log_mel(vary(sound, random), filters))
                    labels.append(label)
    return torch.from_numpy(np.stack(images)[:, None]), torch.tensor(labels)


def train(model, samples, epochs):
    images, labels = samples
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    steps = epochs * (len(labels) // 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    for epoch in range(epochs):
        order, right = torch.randperm(len(labels)), 0
        for i in range(len(labels) // 64):
            batch = order[64 * i : 64 * i + 64]
            scores = model(images[batch])
            loss = nn.functional.cross_entropy(
                scores, labels[batch], label_smoothing=0.1
            )
            right += int((scores.argmax(1) == labels[batch]).sum())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch} accuracy {right / len(labels):.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--output", default=FOLDER / "keywords.onnx")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    model = Spotter()
    train(model, make_samples(np.random.default_rng(1)), arguments.epochs)
    model.eval()
    torch.onnx.export(
        model,
        torch.zeros(1, 1, BANDS, 51),
        str(arguments.output),
        input_names=["log_mel"],
        output_names=["scores"],
        dynamic_axes={"log_mel": {0: "batch"}, "scores": {0: "batch"}},
        opset_version=17,
        do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE,
        dynamo=False,
    )
    onnx.checker.check_model(str(arguments.output))


if __name__ == "__main__":
    main()
