"""Inputs of the models: calibration samples and held-out samples.

Every function returns `Samples` and gets a `Context` with the folders. Pictures, text and speech are real where the data
exist: ImageNet pictures and GLUE sentences from LPOT_TEST_DATA, text that Pillow renders, speech that espeak-ng speaks,
synthetic tones, files of this project. Random values are used only where a model's note states it.
"""

import csv
import dataclasses
import functools
import io
import pathlib
import subprocess
import tarfile
from collections.abc import Callable

import numpy as np

Sample = dict[str, np.ndarray]
COUNT = (64, 48)  # calibration, held out
ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Samples:
    """`rows` of an input: one sample per row, without the batch dimension."""

    calibration: Sample
    evaluation: Sample
    labels: np.ndarray | None = None


@dataclasses.dataclass
class Context:
    data: pathlib.Path | None  # LPOT_TEST_DATA
    cache: pathlib.Path
    model: pathlib.Path

    def require(self, path: str) -> pathlib.Path:
        if self.data is None or not (self.data / path).exists():
            raise FileNotFoundError(f"{path} is not below LPOT_TEST_DATA")
        return self.data / path


Source = Callable[[Context], Samples]


def split(
    rows: Sample, count: tuple[int, int], labels: np.ndarray | None = None
) -> Samples:
    first, last = count[0], sum(count)
    if len(next(iter(rows.values()))) < last:
        raise ValueError(f"{last} samples are needed")
    return Samples(
        {k: v[:first] for k, v in rows.items()},
        {k: v[first:last] for k, v in rows.items()},
        None if labels is None else labels[first:last],
    )


# Pictures


def normalize(
    pixels: np.ndarray,
    mean: tuple[float, ...] = (0.0,),
    std: tuple[float, ...] = (1.0,),
    scale: float = 1,
    channels_last: bool = False,
) -> np.ndarray:
    """From u8 [N, H, W, C] to the values of a model. `scale` is the largest value before the mean is subtracted."""
    values = pixels.astype(np.float32) * np.float32(scale / 255)
    values = (values - np.float32(mean)) / np.float32(std)
    values = values if channels_last else values.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(values, np.float32)


def pictures(
    context: Context,
    name: str,
    size: int | tuple[int, int],
    labelled: bool = False,
    integer: bool = False,
    bgr: bool = False,
    count: tuple[int, int] | None = None,
    **normalization,
) -> Samples:
    """ImageNet pictures. Sizes up to 256 are the centre of the picture, others are resized."""
    from PIL import Image

    count = count or ((64, 500) if labelled else COUNT)
    height, width = (size, size) if isinstance(size, int) else size
    lines = context.require("imagenet-2000/val.txt").read_text().splitlines()
    order = np.random.default_rng(1).permutation(len(lines))[: sum(count)]
    chosen = [lines[i].split() for i in order]
    pixels = np.empty((len(chosen), height, width, 3), np.uint8)
    with tarfile.open(context.require("imagenet-2000/images-256.tar")) as archive:
        for row, (file, _) in enumerate(chosen):
            content = archive.extractfile(f"images/{file}").read()
            picture = Image.open(io.BytesIO(content)).convert("RGB")
            if 192 <= height == width <= 256:
                edge = (256 - height) // 2
                picture = picture.crop((edge, edge, edge + height, edge + height))
            else:
                picture = picture.resize((width, height), Image.Resampling.BILINEAR)
            pixels[row] = np.asarray(picture)
    if bgr:
        pixels = pixels[..., ::-1]
    if integer:
        values = pixels
    else:
        values = normalize(pixels, **normalization)
    labels = np.array([int(label) for _, label in chosen])
    return split({name: values}, count, labels if labelled else None)


# Rendered text


@functools.cache
def words(path: pathlib.Path) -> list[str]:
    with open(path, encoding="utf-8") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        text = " ".join(row[0] for row in list(rows)[1:3000])
    return [word for word in text.split() if word.isascii()]


def draw(
    picture, box: tuple[int, int, int, int], text: str, random: np.random.Generator
) -> None:
    """Text that fills the box, as dark as the generator says."""
    from PIL import ImageDraw, ImageFont

    left, top, right, bottom = box
    size = max(8, int((bottom - top) * random.uniform(0.6, 0.85)))
    font = ImageFont.load_default(size)
    while size > 8 and font.getlength(text) > right - left:
        size -= 1
        font = ImageFont.load_default(size)
    shade = int(random.integers(0, 90))
    ImageDraw.Draw(picture).text(
        (left, top), text, fill=(shade, shade, shade), font=font
    )


def paper(size: tuple[int, int], random: np.random.Generator):
    from PIL import Image

    shade = int(random.integers(200, 256))
    return Image.new("RGB", size, (shade, shade, shade))


def noisy(picture, random: np.random.Generator) -> np.ndarray:
    pixels = np.asarray(picture).astype(np.float32)
    pixels += random.normal(0, random.uniform(0, 8), pixels.shape)
    return np.clip(pixels, 0, 255).astype(np.uint8)


def grey_pixels(pixels: np.ndarray) -> np.ndarray:
    return pixels.mean(-1, keepdims=True).round().astype(np.uint8)


def text_lines(
    context: Context,
    name: str,
    height: int,
    width: int,
    words: int = 0,
    grey: bool = False,
    turned: bool = False,
    count: tuple[int, int] = COUNT,
    **normalization,
) -> Samples:
    """Lines of text. With `turned`, every second line is upside down."""
    vocabulary = vocabulary_of(context)
    random = np.random.default_rng(2)
    rows = []
    for i in range(sum(count)):
        picture = paper((width, height), random)
        number = words or int(random.integers(2, 1 + max(2, width // height)))
        text = " ".join(random.choice(vocabulary, number))
        draw(picture, (4, 2, width - 4, height - 2), text, random)
        if turned and i % 2:
            picture = picture.rotate(180)
        rows.append(noisy(picture, random))
    pixels = np.stack(rows)
    return split(
        {name: normalize(grey_pixels(pixels) if grey else pixels, **normalization)},
        count,
    )


def pages(
    context: Context,
    name: str,
    height: int,
    width: int,
    turned: bool = False,
    count: tuple[int, int] = COUNT,
    **normalization,
) -> Samples:
    """Pages with a title and paragraphs in one or two columns. With `turned`, by 0, 90, 180 or 270 degrees."""
    vocabulary = vocabulary_of(context)
    random = np.random.default_rng(3)
    rows = []
    for i in range(sum(count)):
        picture = paper((width, height), random)
        line = int(random.integers(max(10, height // 32), max(14, height // 14)))
        draw(
            picture,
            (20, 8, width - 20, 8 + 2 * line),
            " ".join(random.choice(vocabulary, 3)),
            random,
        )
        columns = int(random.integers(1, 3))
        for column in range(columns):
            left = 20 + column * (width - 20) // columns
            right = (column + 1) * (width - 20) // columns
            top = 16 + 2 * line
            while top + line < height:
                if random.uniform() < 0.85:
                    number = max(1, int((right - left) / (line * 3.2)))
                    text = " ".join(random.choice(vocabulary, number))
                    draw(picture, (left, top, right, top + line), text, random)
                top += line
        if turned:
            picture = picture.rotate(90 * (i % 4))
        rows.append(noisy(picture, random))
    return split({name: normalize(np.stack(rows), **normalization)}, count)


def vocabulary_of(context: Context) -> list[str]:
    return words(context.require("glue-sst-2/train.tsv"))


# Sound


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


# Text and files


def tokenizer_of(context: Context, length: int):
    import tokenizers

    tokenizer = tokenizers.BertWordPieceTokenizer(
        str(context.require("bert-vocab/vocab.txt")), lowercase=True
    )
    tokenizer.enable_truncation(length)
    tokenizer.enable_padding(length=length)
    return tokenizer


def token_rows(encoded: list) -> Sample:
    return {
        "input_ids": np.array([e.ids for e in encoded], np.int64),
        "attention_mask": np.array([e.attention_mask for e in encoded], np.int64),
        "token_type_ids": np.array([e.type_ids for e in encoded], np.int64),
    }


def rows_of(path: pathlib.Path) -> list[dict]:
    with open(path, encoding="utf-8-sig") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def sentence_pairs(context: Context) -> Samples:
    """MRPC: calibration from the training part, labelled held-out pairs from the development part."""
    tokenizer = tokenizer_of(context, 128)
    parts = []
    for part, count in (("train", 64), ("dev", 200)):
        rows = rows_of(context.require(f"glue-mrpc/{part}.tsv"))[:count]
        encoded = tokenizer.encode_batch(
            [(r["#1 String"], r["#2 String"]) for r in rows]
        )
        parts.append((token_rows(encoded), np.array([int(r["Quality"]) for r in rows])))
    return Samples(parts[0][0], parts[1][0], parts[1][1])


def sentences(context: Context) -> Samples:
    """STS-B: both sentences of a pair follow each other; the label is the similarity of the pair."""
    tokenizer = tokenizer_of(context, 64)
    parts = []
    for part, count in (("train", 32), ("dev", 150)):
        rows = [
            r
            for r in rows_of(context.require(f"glue-sts-b/{part}.tsv"))
            if r.get("score")
        ]
        rows = rows[:: max(1, len(rows) // count)][:count]
        texts = [r[key] for r in rows for key in ("sentence1", "sentence2")]
        parts.append(
            (
                token_rows(tokenizer.encode_batch(texts)),
                np.array([float(r["score"]) for r in rows]),
            )
        )
    return Samples(parts[0][0], parts[1][0], parts[1][1])


def sparse_sentences(context: Context) -> Samples:
    """Universal Sentence Encoder Lite: 30 tokens of some sentences as a sparse matrix."""
    tokens = 30

    def read(part: str, count: int) -> Sample:
        lines = (
            context.require(f"use-lite-frozen-pb/sts-b-{part}-tokens.tsv")
            .read_text()
            .splitlines()[1:]
        )
        texts = [
            [int(t) for t in text.split()]
            for line in lines
            for text in line.split("\t")[2:4]
        ]
        stream = [(i, token) for i, text in enumerate(texts) for token in text]
        indices, values = [], []
        for start in range(0, count * tokens, tokens):
            part_of = stream[start : start + tokens]
            places, seen = [], {}
            for sentence, _ in part_of:
                row = seen.setdefault(sentence, [len(seen), 0])
                places.append(tuple(row))
                row[1] += 1
            indices.append(places)
            values.append([token for _, token in part_of])
        return {
            "indices": np.array(indices, np.int64),
            "values": np.array(values, np.int64),
        }

    return Samples(read("train-500", 64), read("dev", 100))


def thai_windows(context: Context) -> Samples:
    """Windows of character numbers and character classes, random in the range of the vocabulary."""
    random = np.random.default_rng(8)
    rows = {
        "input_1": random.integers(1, 177, (264, 21)).astype(np.float32),
        "input_2": random.integers(1, 11, (264, 21)).astype(np.float32),
    }
    return split(rows, (64, 200))


def files(context: Context, name: str) -> Samples:
    """The first and the last 1,024 bytes of files of this project and of Python packages."""
    found = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / line for line in found.stdout.splitlines()]
    packages = pathlib.Path(np.__file__).parents[1]
    paths += sorted(p for p in packages.glob("*/*") if p.is_file())
    by_suffix: dict[str, list] = {}
    for path in paths:
        if path.is_file() and path.stat().st_size > 64:
            by_suffix.setdefault(path.suffix, []).append(path)
    chosen: list[pathlib.Path] = []
    while len(chosen) < 264 and any(by_suffix.values()):
        chosen += [of_suffix.pop(0) for of_suffix in by_suffix.values() if of_suffix]
    rows = np.full((264, 2048), 256, np.int32)
    for row, path in zip(rows, chosen[:264], strict=True):
        content = np.frombuffer(path.read_bytes(), np.uint8)
        first, last = content[:1024], content[-1024:]
        row[: len(first)] = first
        row[2048 - len(last) :] = last
    order = np.random.default_rng(9).permutation(len(rows))
    return split({name: rows[order]}, (64, 200))
