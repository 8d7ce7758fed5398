"""The tables, from the results on disk."""

import json
import pathlib
import re

from avx2_limit import as_avx2

TOOLS = {  # in the order of the table: what a row is called, and the runtime that runs it
    "fp32": ("OpenVINO fp32", "openvino"),
    "bf16": ("OpenVINO bf16", "openvino"),
    "lpot": ("**lpot**", "openvino"),
    "lpot-bf16": ("**lpot**, bf16", "openvino"),
    "nncf": ("NNCF default", "openvino"),
    "nncf-bf16": ("NNCF default, bf16", "openvino"),
    "nncf-performance": ("NNCF PERFORMANCE preset", "openvino"),
    "ort-fp32": ("ONNX Runtime fp32", "onnxruntime"),
    "ort-static": ("ONNX Runtime static QDQ", "onnxruntime"),
    "ort-dynamic": ("ONNX Runtime dynamic", "onnxruntime"),
    "torch-fp32": ("PyTorch fp32", "torch"),
    "torch-dynamic": ("PyTorch dynamic", "torch"),
}

# Rows that run in bf16, with the tool whose model they run if they do not have their own. They exist on CPUs where bf16
# is the runtime's default.
BF16 = {"bf16": "fp32", "lpot-bf16": "lpot-bf16", "nncf-bf16": "nncf"}

HEADING = """# Comparison with other tools

`make bench-peers` writes this page. [README.md](README.md#comparison-with-other-tools) describes the method.

- **Ratios** are speeds relative to the fp32 model in the same runtime and process, so greater is faster. Times and
  ratios are medians with {threads} threads.
- **Error**: mean absolute difference of the outputs from fp32, relative to the mean absolute output.
- **Quantized in**: the time from reading the model to saving the int8 model. For lpot it is the time of the whole
  process. **Memory** is the peak of that process.
- Rows with "bf16" run everything that is not int8 in bf16, the default of OpenVINO on that CPU. All other rows run it
  in f32. In tables with such rows, the second ratio is relative to the fp32 model in bf16. Models for ONNX Runtime and
  TensorFlow run everything that is not int8 in f32.
- **Versions**: {versions}.
"""

UNDER_AVX2 = "With `benchmarks/as_avx2.py`, OpenVINO, ONNX Runtime and PyTorch use at most the AVX2 instructions of the CPU."


def machine() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", text)
    kernels = next(
        (k for k in ("avx512_vnni", "avx_vnni", "avx512f", "avx2") if k in text),
        "no AVX2",
    )
    if "avx512_bf16" in text and not as_avx2.is_emulated():
        kernels += ", avx512_bf16"
    return f"{name.group(1) if name else 'unknown CPU'} ({kernels})"


def milliseconds(value: float) -> str:
    return f"{value:.3g} ms" if value < 100 else f"{value:.0f} ms"


def speed(row: dict, batch: int) -> str:
    timed = row.get("batches", {}).get(str(batch))
    if not timed:
        return "-"
    if "failed" in timed:
        return "failed"
    ratios = [timed[key] for key in ("ratio", "default_ratio") if key in timed]
    return ", ".join(
        [milliseconds(timed["ms"]), *(f"{ratio:.2f} x" for ratio in ratios)]
    )


def short(message: str) -> str:
    """One line of an error that fits into a cell."""
    line = " ".join(message.split()).replace("|", "/")
    return line if len(line) < 160 else line[:157] + "..."


def line(tool: str, row: dict, result: dict) -> str:
    title, _ = TOOLS[tool]
    sizes = result["batch_sizes"]
    if "failed" in row:
        return f"| {title} | failed: {short(row['failed'])} |" + " |" * (4 + len(sizes))
    digits = 4 if result["score"] == "pearson" else 2
    cells = [
        title,
        f"{row['score']:.{digits}f}" if "score" in row else "-",
        f"{row['error']:.2f} %" if "error" in row and not tool.endswith("fp32") else "",
        *(speed(row, batch) for batch in sizes),
        f"{row['bytes'] / 1e6:.3g} MB" if "bytes" in row else "",
        f"{row['seconds']:.1f} s" if "seconds" in row else "",
        f"{row['memory']:.0f} MB" if "memory" in row else "",
    ]
    return "| " + " | ".join(cells) + " |"


def table(result: dict) -> str:
    sizes = result["batch_sizes"]
    columns = [
        result["score"],
        "error",
        *(f"batch {b}" for b in sizes),
        "size",
        "quantized in",
        "memory",
    ]
    lines = [
        f"### {result['title']}",
        "",
        f"| {result['samples']} calibration samples | " + " | ".join(columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    lines += [
        line(tool, result["rows"][tool], result)
        for tool in TOOLS
        if tool in result["rows"]
    ]
    if result["quick"]:
        lines += ["", "Timed for a short time, in one process (`--quick`)."]
    if result["others"] > 0.05:
        lines += ["", busy(result)]
    return "\n".join(lines) + "\n"


def busy(result: dict) -> str:
    """On a busy machine, medians are imprecise, so this line adds the ratios of the fastest tenth of the runs."""
    parts = []
    for tool, row in result["rows"].items():
        timed = [row.get("batches", {}).get(str(b), {}) for b in result["batch_sizes"]]
        ratios = [f"{t['fastest_ratio']:.2f}" for t in timed if "fastest_ratio" in t]
        if ratios:
            parts.append(f"{tool} {' / '.join(ratios)}")
    return (
        f"Other programs used {result['others']:.0%} of the CPU meanwhile, so the medians are imprecise. "
        f"Ratios of the fastest tenth of the runs, by batch: {', '.join(parts)}."
    )


def read_sections(path: pathlib.Path) -> dict[str, dict[str, str]]:
    """The tables of the file, by the headings of machine and network. The text below a machine's heading has no name."""
    sections = {}
    text = path.read_text() if path.exists() else ""
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]:
        first, *tables = re.split(r"^(?=### )", section, flags=re.MULTILINE)
        title, _, below = first.partition("\n")
        sections[title] = {"": f"\n\n{below.strip()}\n" if below.strip() else "\n"}
        for one in tables:
            sections[title][one.partition("\n")[0]] = one.strip() + "\n"
    return sections


def write(
    work: pathlib.Path, order: list[str], target: pathlib.Path, facts: dict
) -> str:
    """Writes every result below `work` to `target` and returns the text. Tables of `target` that have no result there,
    because they were measured elsewhere, are kept."""
    sections: dict[str, dict[str, str]] = {}
    for folder in sorted(work.glob("class-*"), reverse=True):
        results = [folder / f"{name}.json" for name in order]
        results = [json.loads(path.read_text()) for path in results if path.exists()]
        if not results:
            continue
        held = results[0]["held"]
        tables = sections.setdefault(
            f"## {results[0]['machine']}" + (f", limited to {held}" if held else ""), {}
        )
        tables[""] = f"\n\n{UNDER_AVX2}\n" if held else "\n"
        tables |= {f"### {result['title']}": table(result) for result in results}
    for title, tables in read_sections(target).items():
        sections[title] = tables | sections.get(title, {})
    parts = [HEADING.format(**facts)]
    for title, tables in sections.items():
        parts += [title + tables.pop("", "\n"), *tables.values()]
    text = "\n".join(parts)
    target.write_text(text)
    return text
