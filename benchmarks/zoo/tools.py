"""Quantizes one model with lpot, NNCF and ONNX Runtime, each in a separate process, from the same samples."""

import dataclasses
import json
import pathlib
import shutil
import sys
import urllib.parse
from collections.abc import Callable

from models import Model
from processes import Failure, digest, measure_child, read_json, write_json

PEERS = pathlib.Path(__file__).resolve().parents[1] / "peers"
SECONDS = 600  # limit of one quantization


@dataclasses.dataclass
class Task:
    """One model with its samples."""

    model: Model
    source: pathlib.Path  # the fp32 model
    folder: pathlib.Path  # of the samples, as peers/quantize.py reads it
    key: str  # of the files and of the versions of the other tools
    output: pathlib.Path  # for quantized models

    def loader(self, part: str) -> dict:
        files = sorted((self.folder / part).glob("*.npy"))
        arrays = {urllib.parse.unquote(p.stem): str(p) for p in files}
        return {"batch_size": 1, "dataset": {"npy": {"inputs": arrays}}}

    def samples(self) -> int:
        return int((self.folder / "count").read_text())


def quantize_all(task: Task, lpot: pathlib.Path, program: str, precisions: tuple[str, ...]) -> dict:  # fmt: skip
    """By tool: the path of the model, time and memory, or the reason of a failure."""
    rows = {}
    for precision in precisions:
        rows[f"lpot-{precision}"] = stored(
            task.output / f"lpot-{precision}",
            digest(task.key, program),
            lambda output, p=precision: quantize_lpot(task, lpot, p, output),
        )
    tools = ["nncf", "ort-static"] if task.source.suffix == ".onnx" else ["nncf"]
    for tool in tools:
        rows[tool] = stored(
            task.output / tool,
            task.key,
            lambda output, t=tool: quantize_peer(task, t, output),
        )
    return rows


def stored(output: pathlib.Path, key: str, quantize: Callable) -> dict:
    """Reuses a model that was made from the same files."""
    path = output / "row.json"
    known = read_json(path)
    if known and known["key"] == key:
        return with_model_in(output, known)
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    try:
        row = quantize(output)
    except Failure as failure:
        row = {"failed": str(failure)}
    row = {"key": key, **row}
    write_json(path, row)
    return row


def with_model_in(output: pathlib.Path, row: dict) -> dict:
    """The row with the model below `output`, also if the cache was moved since."""
    if "model" not in row:
        return row
    return {**row, "model": str(output / pathlib.Path(row["model"]).name)}


def quantize_lpot(task: Task, lpot: pathlib.Path, precision: str, output: pathlib.Path,
                  recipes: dict | None = None) -> dict:  # fmt: skip
    calibration = {
        "sampling_size": task.samples(),
        "dataloader": task.loader("calibration"),
    }
    config = {
        "model": {"name": task.model.name},
        "quantization": {
            "precision": "f32" if precision == "f32" else "auto",
            "calibration": calibration,
            **({"recipes": recipes} if recipes else {}),
        },
        "tuning": {"workspace": {"path": str(output / "workspace")}},
    }
    file = output / "config.yaml"
    write_json(file, config)
    done = measure_child(
        [lpot, "quantize", file, "--model", task.source, "--output", output, "--json"],
        SECONDS,
    )
    found = json.loads(done.output)
    lines = done.errors.splitlines()
    return {
        "model": found["model"],
        "precision": found["precision"],
        "int8_ops": found["int8_ops"],
        "ops": found["int8_ops"] + found["fp32_ops"],
        "bytes": found["size_bytes"],
        "seconds": done.seconds,
        "memory": done.memory,
        "warnings": [line for line in lines if line.startswith("lpot: warning")],
    }


def quantize_peer(task: Task, tool: str, output: pathlib.Path) -> dict:
    command = [sys.executable, PEERS / "quantize.py", tool, task.folder, output]
    done = measure_child(command, SECONDS)
    return {
        "model": str(next(output.glob("model.xml"), output / "model.onnx")),
        "bytes": sum(f.stat().st_size for f in output.glob("model*")),
        "seconds": json.loads(done.output.splitlines()[-1])["seconds"],
        "memory": done.memory,
    }
