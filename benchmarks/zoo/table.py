"""Writes the page docs/zoo.md from the stored results: checks, speeds, errors, tools, and the list of models."""

import collections
import functools
import json
import os
import pathlib
import re
import statistics
import textwrap
from collections.abc import Iterator

import published
from checks import Row, check_rows, number, short
from models import MODELS, PACKAGES, Model

CLASSES = {
    "own": "all instruction sets of the CPU",
    "AVX2": "limited to AVX2 (`benchmarks/as_avx2.py`)",
}
DATA = {
    "pictures": "ImageNet pictures", "text_lines": "rendered lines of text", "pages": "rendered pages",
    "voice_activity": "speech and the state of the model", "speech": "speech", "mel_frames": "mel spectra of speech",
    "noisy_spectra": "spectra of noisy speech", "pitch_frames": "tones and speech", "chords": "chords",
    "sentences": "STS-B sentences", "sparse_sentences": "STS-B sentences", "sentence_pairs": "MRPC pairs",
    "thai_windows": "random characters", "files": "files of several types",
}  # fmt: skip
SCORES = {
    "top1": "same class as fp32", "ctc": "same characters as fp32",
    "cosine": "cosine with fp32", "pearson": "correlation with STS-B", "boxes": "F1 of boxes against fp32",
}  # fmt: skip


def line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


def grid(head: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    return [line(head), "|" + "---|" * len(head), *(line(row) for row in rows), ""]


def times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} x"


def interval(ratio: dict | None) -> str:
    return (
        ""
        if ratio is None
        else f"{ratio['ratio']:.2f} ({ratio['low']:.2f}-{ratio['high']:.2f})"
    )


def both(first: str, second: str) -> str:
    return f"{first or '-'}, {second or '-'}" if first or second else ""


def speed_rows(rows: list[Row]) -> list[list[str]]:
    table = []
    for row in rows:
        kernels = [
            f"{p['int8']}/{p['kernels']}" if "kernels" in p else ""
            for p in (row.lpot, row.nncf)
        ]
        cells = [row.model.name, both(*kernels)]
        for batch in (1, 8):
            cells.append(
                both(
                    times(row.speedup("lpot", batch)), times(row.speedup("nncf", batch))
                )
            )
            cells.append(interval(row.ratio("nncf", batch)))
        cells.append(both(number(row.lpot.get("error")), number(row.nncf.get("error"))))
        scores = [number(p.get("score"), ".1f") for p in (row.fp32, row.lpot, row.nncf)]
        cells.append(", ".join(s or "-" for s in scores) if any(scores) else "")
        cells.append("; ".join(row.findings()))
        table.append(cells)
    return table


def tool_rows(results: list[tuple[Model, dict]]) -> list[list[str]]:
    table = []
    for model, result in results:
        tools = result["tools"]
        precision = "f32" if "lpot-default" not in tools else "default"
        made = [tools[f"lpot-{precision}"], tools["nncf"], tools.get("ort-static", {})]
        ort = result["evaluated"].get("ort-static", {})
        speeds = ort.get("speed", {})
        failed = made[2].get("failed") or ort.get("failed")
        table.append(
            [
                model.name,
                ", ".join(number(t.get("seconds"), ".1f") or "-" for t in made),
                ", ".join(number(t.get("memory"), ".0f") or "-" for t in made),
                both(times(speeds.get("1")), times(speeds.get("8"))),
                number(ort.get("error")),
                number(ort.get("score"), ".1f"),
                short(failed, 100) if failed else "",
            ]
        )
    return table


def message_rows(results: dict[str, dict]) -> list[list[str]]:
    """What was not read, not quantized or not timed, and why."""
    table = []
    for name, result in results.items():
        reasons = {
            (what, short(text, 400 if what.startswith("not read") else 250))
            for what, text in problems(result)
        }
        table += [[name, MODELS[name].note, *reason] for reason in sorted(reasons)]
    return table


def problems(result: dict) -> Iterator[tuple[str, str]]:
    if "not_read" in result:
        yield "not read", result["not_read"]
    if "not_available" in result:
        yield "no samples or no file", result["not_available"]
    for tool, row in result.get("tools", {}).items():
        if "failed" in row and not tool.startswith("ort"):
            name = "NNCF" if tool == "nncf" else "lpot"
            yield f"not quantized by {name}", row["failed"]
    for of_precision in result.get("speed", {}).values():
        for batch, found in of_precision.items():
            if "failed" in found:
                yield f"not timed at batch {batch}", found["failed"]


def samples_of(model: Model) -> tuple[str, dict]:
    """The name of the function that makes the samples, and its parameters."""
    if isinstance(model.samples, functools.partial):
        return model.samples.func.__name__, model.samples.keywords
    return model.samples.__name__ if model.samples else "", {}


def score_text(model: Model) -> str:
    if not model.score:
        return ""
    function, given = samples_of(model)
    if given.get("labelled") or function == "sentence_pairs":
        return "accuracy"
    kind, *parameters = model.score
    if kind == "mask":
        return f"overlap of the values above {parameters[1]} with fp32"
    return SCORES[kind]


def model_rows() -> list[list[str]]:
    table = []
    for model in MODELS.values():
        source = "LPOT_TEST_DATA"
        if model.package != "data":
            source = f"{model.package} {PACKAGES[model.package][0]}"
        file = "/".join(pathlib.PurePosixPath(model.file).parts[-2:])
        data = DATA.get(samples_of(model)[0], "")
        table.append(
            [model.name, model.task, model.format, source, file, data, score_text(model), model.note]
        )  # fmt: skip
    return table


def fill(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def bullet(text: str) -> str:
    return textwrap.fill(
        text,
        120,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def measured_below(work: pathlib.Path, cpu_class: str) -> dict[str, dict]:
    found = {}
    for name in MODELS:
        path = work / f"results/{cpu_class}/{name}.json"
        if path.exists():
            found[name] = json.loads(path.read_text())
    return found


HEAD = (
    "model", "int8 kernels: lpot, NNCF", "batch 1: lpot, NNCF", "lpot / NNCF", "batch 8: lpot, NNCF", "lpot / NNCF",
    "error: lpot, NNCF", "score: fp32, lpot, NNCF", "findings",
)  # fmt: skip
METHOD = (
    "**int8 kernels**: the number of convolutions, matrix products and recurrent layers that OpenVINO ran in int8 / "
    "the number of all that it ran. For every tool they are counted in the executed graph.",
    "**Speed** is relative to the source model in the precision of the table, on 2 threads, with static shapes and "
    "real inputs. The models that are compared run alternately in one process of `lpot bench`; two processes run them in "
    "different orders. The spread in parentheses is the union of the 95% intervals of both processes. \"Slower\" means "
    "that the whole spread is below 1.",
    "**lpot / NNCF**: the speed of lpot's model divided by the speed of NNCF's model.",
    "**Error**: the mean over the outputs of the relative L2 distance from the fp32 model in f32, on held-out samples.",
    "**Score**: in percent, on the same samples. The last table of this page states what the score compares.",
    "**default** is the precision that OpenVINO uses on this CPU unless the program sets one. lpot quantizes once for "
    "each precision. NNCF has one model, which runs in both.",
    "**NNCF** quantizes with its default settings, and with `model_type` for transformers. **ONNX Runtime** quantizes "
    "statically, per channel, with unsigned activations; its speed is relative to fp32 in ONNX Runtime. All tools get "
    "the same calibration samples.",
)  # fmt: skip


def title(cpu_class: str) -> str:
    text = CLASSES[cpu_class]
    return text[0].upper() + text[1:]


def facts(results: dict[str, dict]) -> str:
    """How many models, on how busy a machine, with which builds of lpot, and which models are missing."""
    measured = [r for r in results.values() if "tools" in r]
    builds = collections.Counter(r["program"][:8] for r in measured)
    cells = [c for r in measured for of in r["speed"].values() for c in of.values()]
    shares = [c["contention"] for c in cells if "contention" in c]
    text = f"{len(measured)} of {len(MODELS)} models were measured."
    if shares:
        text += f" Other programs used {100 * statistics.median(shares):.0f}% of the CPU (median)."
    text += f" Builds of lpot (SHA-256, number of models): {', '.join(f'{p} ({n})' for p, n in builds.most_common())}."
    missing = [name for name in MODELS if name not in results]
    return text + (f" Not measured yet: {', '.join(missing)}." if missing else "")


def class_section(cpu_class: str, results: dict[str, dict]) -> list[str]:
    measured = [(MODELS[n], r) for n, r in results.items() if "tools" in r]
    precisions = list(dict.fromkeys(p for _, r in measured for p in r["speed"]))
    by_precision = {
        p: [Row(m, r, p) for m, r in measured if p in r["speed"] and f"lpot-{p}" in r["tools"]] for p in precisions
    }  # fmt: skip
    text = [f"## {title(cpu_class)}", "", fill(facts(results)), ""]
    if precisions:
        text += [
            "### Checks",
            "",
            *grid(("check", *precisions), check_rows(by_precision)),
        ]
    for precision, rows in by_precision.items():
        text += [f"### Speed and error, {precision}", "", *grid(HEAD, speed_rows(rows))]
    head = (
        "model",
        "seconds: lpot, NNCF, ONNX Runtime",
        "peak MB",
        "ONNX Runtime: batch 1, batch 8",
        "error",
        "score",
        "ONNX Runtime failed",
    )
    text += ["### Time and memory; ONNX Runtime", "", *grid(head, tool_rows(measured))]
    messages = message_rows(results)
    if messages:
        text += [
            "### Messages",
            "",
            *grid(("model", "note", "what", "message"), messages),
        ]
    return text


def cpu_name() -> str:
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores of {found.group(1) if found else 'an unknown CPU'}"


def all_results(work: pathlib.Path) -> dict[str, dict[str, dict]]:
    """By class of CPU and model: results of this machine, and those of other machines that the project has."""
    return {c: published.merged(c, measured_below(work, c)) for c in CLASSES}


def page(by_class: dict[str, dict[str, dict]], versions: str) -> str:
    introduction = (
        f"This page compares lpot with NNCF and ONNX Runtime on real models from PyPI packages. `make bench-zoo` "
        f"measured them on {cpu_name()}, with {versions}, and wrote this page. "
        f"[benchmarks/README.md](../benchmarks/README.md#zoo) explains how to repeat it."
    )
    text = ["# Model zoo", "", fill(introduction), "", *(bullet(m) for m in METHOD), ""]
    for cpu_class, results in by_class.items():
        if results:
            text += class_section(cpu_class, results)
        else:
            text += [
                f"## {title(cpu_class)}",
                "",
                "Not measured yet.",
                "",
            ]
    head = ("model", "task", "format", "source", "file", "samples", "score", "note")
    text += ["## Models", "", *grid(head, model_rows())]
    return "\n".join(text).rstrip() + "\n"
