"""The tables, from the results on disk."""

import json
import pathlib
import re

TOOLS = {  # in the order of the table: what a row is called, and the runtime that runs it
    "fp32": ("OpenVINO fp32", "openvino"),
    "lpot": ("**lpot**", "openvino"),
    "nncf": ("NNCF default", "openvino"),
    "nncf-performance": ("NNCF PERFORMANCE preset", "openvino"),
    "ort-fp32": ("ONNX Runtime fp32", "onnxruntime"),
    "ort-static": ("ONNX Runtime static QDQ", "onnxruntime"),
    "ort-dynamic": ("ONNX Runtime dynamic", "onnxruntime"),
    "torch-fp32": ("PyTorch fp32", "torch"),
    "torch-dynamic": ("PyTorch dynamic", "torch"),
}

HEADING = """# lpot beside its rivals

Written by `make bench-peers`; [README.md](README.md) says how it measures. Ratios are against the fp32 of the same runtime in the
same process, greater is faster; medians, {threads} threads. Error: mean difference of the outputs from fp32, as a part of their mean
size. Quantized in: from reading the model to the saved one (lpot: the whole process, start included); memory: peak of that process.
Versions: {versions}.
"""


def machine() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", text)
    kernels = next(
        (k for k in ("avx512_vnni", "avx_vnni", "avx512f", "avx2") if k in text),
        "no AVX2",
    )
    return f"{name.group(1) if name else 'unknown CPU'} ({kernels})"


def milliseconds(value: float) -> str:
    return f"{value:.3g} ms" if value < 100 else f"{value:.0f} ms"


def speed(row: dict, batch: int) -> str:
    timed = row.get("batches", {}).get(str(batch))
    if not timed:
        return "-"
    if "failed" in timed:
        return "failed"
    ratio = timed.get("ratio")
    return milliseconds(timed["ms"]) + (f", {ratio:.2f} x" if ratio else "")


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
        lines += ["", "Timed shortly, in one turn (`--quick`)."]
    if result["others"] > 0.05:
        lines += ["", busy(result)]
    return "\n".join(lines) + "\n"


def busy(result: dict) -> str:
    """Medians of a machine that did other things are rough: the ratios of the fastest tenth of the runs beside them."""
    parts = []
    for tool, row in result["rows"].items():
        timed = [row.get("batches", {}).get(str(b), {}) for b in result["batch_sizes"]]
        ratios = [f"{t['fastest_ratio']:.2f}" for t in timed if "fastest_ratio" in t]
        if ratios:
            parts.append(f"{tool} {' / '.join(ratios)}")
    return (
        f"Other programs took {result['others']:.0%} of the CPU meanwhile, so the medians are rough. "
        f"Ratios of the fastest tenth of the runs, by batch: {', '.join(parts)}."
    )


def write(
    work: pathlib.Path, order: list[str], target: pathlib.Path, facts: dict
) -> str:
    """Writes every result below `work` to `target` and returns the text."""
    parts = [HEADING.format(**facts)]
    for folder in sorted(work.glob("class-*"), reverse=True):
        results = [folder / f"{name}.json" for name in order]
        results = [json.loads(path.read_text()) for path in results if path.exists()]
        if not results:
            continue
        held = results[0]["held"]
        parts.append(
            f"## {results[0]['machine']}" + (f", held to {held}" if held else "") + "\n"
        )
        if held:
            parts.append(
                "Under `benchmarks/as_avx2.py`: OpenVINO, ONNX Runtime and PyTorch use at most the AVX2 instructions of the CPU.\n"
            )
        parts += [table(result) for result in results]
    text = "\n".join(parts)
    target.write_text(text)
    return text
