"""Speech that espeak-ng speaks, tones and chords, and the features that models read."""

import io
import subprocess

import numpy as np

from .base import COUNT, Context, Samples, split


def spoken(context: Context, rate: int, seconds: float) -> np.ndarray:
    """Speech of several voices, which espeak-ng reads from GLUE sentences, at a sampling rate."""
    import scipy.io.wavfile
    import scipy.signal

    file = context.cache / f"speech-{rate}-{seconds:g}.npy"
    if file.exists():
        return np.load(file)
    path = context.require("glue-sst-2/train.tsv")
    sentences = [line.split("\t")[0] for line in path.read_text().splitlines()[1:4000]]
    sentences = [s for s in sentences if len(s) > 60]
    voices = ("en-us", "en-gb", "en-us+f3", "en-gb+m3", "en-us+f1")
    parts, total = [], 0
    for i, sentence in enumerate(sentences):
        command = [
            "espeak-ng",
            "-v",
            voices[i % len(voices)],
            "-s",
            str(140 + i % 5 * 12),
            "--stdout",
            sentence,
        ]
        sound = subprocess.run(command, capture_output=True, check=True, timeout=60)
        found, values = scipy.io.wavfile.read(io.BytesIO(sound.stdout))
        values = scipy.signal.resample_poly(values / 32768, rate, found)
        parts += [values, np.zeros(int(0.3 * rate))]
        total += len(values) + int(0.3 * rate)
        if total >= seconds * rate:
            break
    result = np.concatenate(parts).astype(np.float32)
    np.save(file, result)
    return result


def with_noise(speech: np.ndarray, level: float = 0.02) -> np.ndarray:
    noise = np.random.default_rng(4).normal(0, level, len(speech))
    return (speech + noise).astype(np.float32)


def speech(
    context: Context, name: str, length: int, count: tuple[int, int] = (24, 16)
) -> Samples:
    sound = with_noise(spoken(context, 16000, 400), 0.01)
    rows = np.stack(
        [sound[i : i + length] for i in range(0, len(sound) - length, length)]
    )
    return split({name: repeat(rows, sum(count))}, count)


def repeat(rows: np.ndarray, needed: int) -> np.ndarray:
    """More rows, at other volumes, where the speech is too short."""
    factors = np.linspace(1, 0.4, -(-needed // len(rows)))
    return np.concatenate([rows * np.float32(f) for f in factors])[:needed]


def voice_activity(context: Context, states: tuple[str, ...]) -> Samples:
    """Frames of speech and the recurrent state that the model itself has reached before each frame."""
    import openvino as ov

    sound = with_noise(spoken(context, 16000, 120), 0.005)
    compiled = ov.Core().compile_model(
        context.model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    state = [np.zeros(compiled.input(name).shape, np.float32) for name in states]
    rows: dict[str, list] = {name: [] for name in ("input", *states)}
    for start in range(64, len(sound) - 512, 512):
        inputs = {
            "input": sound[None, start - 64 : start + 512],
            **dict(zip(states, state, strict=True)),
        }
        for key, value in inputs.items():
            rows[key].append(value.copy())
        outputs = compiled(inputs)
        state = [outputs[1 + i].copy() for i in range(len(states))]
    order = np.random.default_rng(5).permutation(len(rows["input"]))
    return split({k: np.stack(v)[order] for k, v in rows.items()}, (256, 400))


def frames_of(sound: np.ndarray, size: int, hop: int) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(sound, size)[::hop]


def noisy_spectra(context: Context, name: str, rate: int, size: int) -> Samples:
    """Logarithmic power spectra of noisy speech, 100 frames of 20 ms per sample."""
    window = int(0.02 * rate)
    sound = with_noise(spoken(context, rate, 200))
    frames = frames_of(sound, window, window // 2) * np.sqrt(np.hanning(window))
    power = np.abs(np.fft.rfft(frames, size)) ** 2
    features = np.log10(np.maximum(power, 1e-12)).astype(np.float32)
    rows = features[: len(features) // 100 * 100].reshape(-1, 100, features.shape[-1])
    return split({name: rows}, COUNT)


def mel_frames(context: Context, name: str) -> Samples:
    """Mel spectra of 1.6 s: 160 frames of 40 channels, as resemblyzer computes them."""
    sound = with_noise(spoken(context, 16000, 200), 0.003)
    power = np.abs(np.fft.rfft(frames_of(sound, 400, 160) * np.hanning(400))) ** 2
    mels = (power @ mel_filters(16000, 400, 40).T).astype(np.float32)
    rows = mels[: len(mels) // 160 * 160].reshape(-1, 160, 40)
    return split({name: rows}, COUNT)


def mel_filters(rate: int, size: int, channels: int) -> np.ndarray:
    def to_mel(hertz: np.ndarray | float) -> np.ndarray | float:
        return 2595 * np.log10(1 + hertz / 700)

    edges = 700 * (10 ** (np.linspace(0, to_mel(rate / 2), channels + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(size, 1 / rate)
    up = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def tone(
    frequency: float, rate: int, length: int, random: np.random.Generator
) -> np.ndarray:
    """A tone with overtones that become weaker, and a little noise."""
    time = np.arange(length) / rate
    sound = sum(
        np.sin(2 * np.pi * k * frequency * time + random.uniform(0, 6)) / k**1.5
        for k in range(1, 8)
        if k * frequency < rate / 2
    )
    return sound + random.normal(0, random.uniform(0.001, 0.1), length)


def pitch_frames(context: Context, name: str) -> Samples:
    """Frames of 64 ms: tones from 50 to 1000 Hz and speech, with mean 0 and deviation 1."""
    random = np.random.default_rng(6)
    sound = spoken(context, 16000, 120)
    rows = []
    for i in range(sum(COUNT)):
        if i % 2:
            start = int(random.integers(0, len(sound) - 1024))
            frame = sound[start : start + 1024] + random.normal(0, 0.001, 1024)
        else:
            frame = tone(
                float(np.exp(random.uniform(np.log(50), np.log(1000)))),
                16000,
                1024,
                random,
            )
        rows.append((frame - frame.mean()) / frame.std())
    return split({name: np.stack(rows).astype(np.float32)}, COUNT)


def chords(context: Context, name: str) -> Samples:
    """Two seconds of chords that change, at 22050 Hz."""
    random = np.random.default_rng(7)
    count = (32, 24)
    rows = []
    for _ in range(sum(count)):
        parts = []
        for _ in range(4):
            notes = random.integers(40, 84, int(random.integers(1, 4)))
            length = 43844 // 4
            chord = sum(
                tone(440 * 2 ** ((n - 69) / 12), 22050, length, random) for n in notes
            )
            parts.append(chord * np.exp(-np.arange(length) / 9000))
        sound = np.concatenate(parts)
        rows.append(sound / np.abs(sound).max() * random.uniform(0.2, 0.9))
    return split({name: np.stack(rows)[..., None].astype(np.float32)}, count)
