"""Measures one model: quantizes it with every tool, compares outputs and speeds. Results are below BUILD/zoo.

A result belongs to what it depends on (programs, model, samples, settings). A second run measures only what is missing.
"""

import argparse
import importlib.metadata
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
import urllib.parse

from download import Cache, DownloadError, sha256
from models import MODELS, Model
from processes import (
    Failure,
    digest,
    hash_of,
    log,
    measure_child,
    read_json,
    run_child,
    write_json,
)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
from avx2_limit import as_avx2

HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE.parent / "peers"
QUANTIZE_SECONDS = 600
EVALUATE_SECONDS = 600
BENCH_SECONDS = 240  # limit of one process
BATCHES = (1, 8)
PROCESSES = 2  # that time the same models, in different orders


class Zoo:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.lpot = self.build / "bin/lpot"
        self.work = self.build / "zoo"
        self.cpu_class = "AVX2" if as_avx2.is_emulated() else "own"
        self.cache = Cache(self.work)
        self.program = sha256(self.lpot)[:16]
        self.precisions = (
            ("f32", "default") if default_precision() != "f32" else ("f32",)
        )
        self.versions = ", ".join(
            f"{p} {importlib.metadata.version(p)}" for p in ("openvino", "nncf", "onnxruntime")
        )  # fmt: skip

    def result_path(self, model: Model) -> pathlib.Path:
        return self.work / f"results/{self.cpu_class}/{model.name}.json"

    def measure(self, model: Model) -> dict:
        """The result of one model, measured where it is not known yet."""
        path = self.result_path(model)
        try:
            source = self.cache.model(model)
        except (DownloadError, OSError) as error:
            return self.store(path, model, {"not_available": str(error)})
        source_hash = hash_of(source)
        if model.samples is None:
            return self.store(
                path, model, self.unreadable(source) | {"source": str(source)}
            )
        try:
            folder = self.samples(model, source, source_hash)
        except Failure as failure:
            return self.store(path, model, {"not_available": str(failure)})
        data = (folder / "digest").read_text()
        key = digest(
            self.program,
            source_hash,
            data,
            self.versions,
            repr(model.score),
            self.options.seconds,
            PROCESSES,
        )
        known = read_json(path)
        if known and known.get("key") == key and not self.options.again:
            return known
        result = self.tools(
            model, source, folder, digest(source_hash, data, self.versions)
        )
        result["evaluated"] = self.evaluate(model, source, folder, result["tools"])
        result["speed"] = self.speeds(model, source, folder, result["tools"])
        result["finished"] = time.strftime("%Y-%m-%d %H:%M")
        return self.store(path, model, {"key": key, **result})

    def store(self, path: pathlib.Path, model: Model, result: dict) -> dict:
        result = {"name": model.name, "program": self.program, **result}
        write_json(path, result)
        return result

    def unreadable(self, source: pathlib.Path) -> dict:
        """A model that the runtime cannot read, with the message of lpot."""
        try:
            run_child([self.lpot, "inspect", source, "--quiet"], QUANTIZE_SECONDS)
        except Failure as failure:
            return {"not_read": str(failure)}
        return {"not_read": "read; the table has no samples for it"}

    # Samples

    def samples(
        self, model: Model, source: pathlib.Path, source_hash: str
    ) -> pathlib.Path:
        """The folder of the samples, as peers/quantize.py reads it."""
        folder = self.work / f"samples/{model.name}"
        key = digest(
            *(sha256(HERE / f) for f in ("samples.py", "models.py")), source_hash
        )
        stamp = folder / "key"
        if stamp.exists() and stamp.read_text() == key:
            return folder
        log(f"{model.name}: samples")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        run_child(
            [
                sys.executable,
                HERE / "make_samples.py",
                model.name,
                source,
                self.work,
                folder,
            ],
            EVALUATE_SECONDS,
        )
        network = {
            "name": model.name, "title": model.name, "model": str(source), "score": "",
            "transformer": model.transformer, "whole_samples": model.whole,
        }  # fmt: skip
        write_json(folder / "network.json", network)
        files = sorted(folder.rglob("*.npy"))
        (folder / "digest").write_text(
            digest(*(f"{f.relative_to(folder)} {sha256(f)}" for f in files))
        )
        stamp.write_text(key)
        return folder

    def loader(self, folder: pathlib.Path, part: str) -> dict:
        arrays = {
            urllib.parse.unquote(p.stem): str(p)
            for p in sorted((folder / part).glob("*.npy"))
        }
        return {"batch_size": 1, "dataset": {"npy": {"inputs": arrays}}}

    # Quantization

    def tools(
        self, model: Model, source: pathlib.Path, folder: pathlib.Path, key: str
    ) -> dict:
        rows = {}
        made = self.work / f"models/{self.cpu_class}/{model.name}"
        for precision in self.precisions:
            tool = f"lpot-{precision}"
            rows[tool] = self.row(
                made / tool,
                digest(key, self.program),
                lambda output, p=precision: self.quantize_lpot(
                    model, source, folder, output, p
                ),
            )
        rows["nncf"] = self.row(
            made / "nncf",
            key,
            lambda output: self.quantize_peer("nncf", folder, output),
        )
        if source.suffix == ".onnx":
            rows["ort-static"] = self.row(
                made / "ort-static",
                key,
                lambda output: self.quantize_peer("ort-static", folder, output),
            )
        for tool, row in rows.items():
            log(
                f"{model.name}, {tool}: {row.get('failed') or format(row['seconds'], '.1f') + ' s'}"
            )
        return {"tools": rows}

    def row(self, output: pathlib.Path, key: str, quantize) -> dict:
        """The model of a tool, reused if it was made from the same files."""
        stored = output / "row.json"
        known = read_json(stored)
        if known and known["key"] == key:
            return known
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(parents=True)
        try:
            row = quantize(output)
        except Failure as failure:
            row = {"failed": str(failure)}
        row = {"key": key, **row}
        write_json(stored, row)
        return row

    def quantize_lpot(
        self,
        model: Model,
        source: pathlib.Path,
        folder: pathlib.Path,
        output: pathlib.Path,
        precision: str,
    ) -> dict:
        loader = self.loader(folder, "calibration")
        count = count_of(folder)
        config = {
            "model": {"name": model.name},
            "quantization": {
                "precision": "f32" if precision == "f32" else "auto",
                "calibration": {"sampling_size": count, "dataloader": loader},
            },
            "tuning": {"workspace": {"path": str(output / "workspace")}},
        }
        write_json(output / "config.yaml", config)
        done = measure_child(
            [str(self.lpot), "quantize", str(output / "config.yaml"), "--model", str(source), "--output", str(output),
             "--json"],
            QUANTIZE_SECONDS,
        )  # fmt: skip
        found = json.loads(done.output)
        warnings = [
            line.removeprefix("lpot: ")
            for line in done.errors.splitlines()
            if line.startswith("lpot: warning")
        ]
        return {
            "model": found["model"],
            "precision": found["precision"],
            "int8_ops": found["int8_ops"],
            "ops": found["int8_ops"] + found["fp32_ops"],
            "bytes": found["size_bytes"],
            "seconds": done.seconds,
            "memory": done.memory,
            "warnings": warnings,
        }

    def quantize_peer(
        self, tool: str, folder: pathlib.Path, output: pathlib.Path
    ) -> dict:
        done = measure_child(
            [
                sys.executable,
                str(PEERS / "quantize.py"),
                tool,
                str(folder),
                str(output),
            ],
            QUANTIZE_SECONDS,
        )
        file = next(output.glob("model.xml"), output / "model.onnx")
        bytes_ = sum(f.stat().st_size for f in output.glob("model*"))
        seconds = json.loads(done.output.splitlines()[-1])["seconds"]
        return {
            "model": str(file),
            "bytes": bytes_,
            "seconds": seconds,
            "memory": done.memory,
        }

    # Outputs

    def evaluate(
        self, model: Model, source: pathlib.Path, folder: pathlib.Path, tools: dict
    ) -> dict:
        runs: dict[str, tuple[str, str]] = {}
        for precision in self.precisions:
            hint = "f32" if precision == "f32" else default_precision()
            if precision != "f32":
                runs["fp32-default"] = (str(source), hint)
            if "model" in tools[f"lpot-{precision}"]:
                row = tools[f"lpot-{precision}"]
                runs[f"lpot-{precision}"] = (row["model"], row["precision"])
            if "model" in tools["nncf"]:
                runs[f"nncf-{precision}"] = (tools["nncf"]["model"], hint)
        found = self.evaluate_runs(model, source, folder, "openvino", runs)
        ort = tools.get("ort-static", {})
        if "model" in ort:
            of_ort = self.evaluate_runs(
                model, source, folder, "onnxruntime", {"ort-static": (ort["model"], "")}
            )
            found["ort-static"] = of_ort.get(
                "ort-static", {"failed": of_ort.get("failed", "")}
            )
        return found

    def evaluate_runs(
        self,
        model: Model,
        source: pathlib.Path,
        folder: pathlib.Path,
        runtime: str,
        runs: dict,
    ) -> dict:
        job = {
            "runtime": runtime, "model": str(source), "folder": str(folder), "whole": model.whole,
            "score": model.score, "compare": model.compare, "runs": runs, "batches": BATCHES[: 1 if model.whole else 2],
            "seconds": self.options.seconds / 2,
        }  # fmt: skip
        try:
            done = run_child(
                [sys.executable, HERE / "evaluate.py"],
                EVALUATE_SECONDS,
                json.dumps(job),
            )
            return json.loads(done.output.splitlines()[-1])
        except Failure as failure:
            return {"failed": str(failure)}

    # Speed

    def speeds(
        self, model: Model, source: pathlib.Path, folder: pathlib.Path, tools: dict
    ) -> dict:
        result: dict = {}
        config = folder / "bench.yaml"
        performance = {"dataloader": self.loader(folder, "evaluation")}
        write_json(
            config,
            {"model": {"name": model.name}, "evaluation": {"performance": performance}},
        )
        for precision in self.precisions:
            lpot = tools[f"lpot-{precision}"]
            hint = "f32" if precision == "f32" else default_precision()
            models = {}
            if "model" in lpot:
                models["lpot"] = (lpot["model"], lpot["precision"])
            models["fp32"] = (str(source), hint)
            if "model" in tools["nncf"]:
                models["nncf"] = (tools["nncf"]["model"], hint)
            if len(models) < 2:
                continue
            for batch in BATCHES[: 1 if model.whole else 2]:
                try:
                    found = self.bench(models, batch, config)
                except Failure as failure:
                    found = {"failed": str(failure)}
                result.setdefault(precision, {})[str(batch)] = found
                log(f"{model.name}, {precision}, batch {batch}: {summary(found)}")
        return result

    def bench(self, models: dict, batch: int, config: pathlib.Path) -> dict:
        """Every ratio is the speed of the first model divided by that of the other one, with its interval."""
        names = list(models)
        runs: dict[str, list[dict]] = {name: [] for name in names}
        contention = []
        for i in range(PROCESSES):
            ordered = names if i % 2 == 0 else [names[0], *names[:0:-1]]
            done = run_child(
                [self.lpot, "bench", *(models[n][0] for n in ordered), "--json", "--quiet", "--config", config,
                 "--batch-size", batch, "--threads", 2, "--seconds", self.options.seconds * len(names),
                 "--precision", ",".join(models[n][1] for n in ordered)],
                BENCH_SECONDS,
            )  # fmt: skip
            found = json.loads(done.output)
            contention.append(found["contention"])
            for name, row in zip(ordered, found["models"], strict=True):
                runs[name].append(row)
        result: dict = {"first": names[0], "contention": max(contention)}
        for name in names:
            rows = runs[name]
            result[name] = {
                "ms": min(r["latency_ms"]["median"] for r in rows),
                "ratio": 1 / math.exp(statistics.fmean(math.log(r["speedup"]) for r in rows)),
                "low": 1 / max(r["speedup_high"] for r in rows),
                "high": 1 / min(r["speedup_low"] for r in rows),
            }  # fmt: skip
        return result


def count_of(folder: pathlib.Path) -> int:
    """Rows of the calibration arrays, read from the header of the first file."""
    import numpy as np

    file = next((folder / "calibration").glob("*.npy"))
    return len(np.load(file, mmap_mode="r"))


def default_precision() -> str:
    """The precision that OpenVINO uses on this CPU unless the program sets it."""
    if not hasattr(default_precision, "value"):
        script = "import openvino as ov; print(ov.Core().get_property('CPU', 'INFERENCE_PRECISION_HINT').to_string())"
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        default_precision.value = (
            "f32" if as_avx2.is_emulated() else done.stdout.strip()
        )
    return default_precision.value


def summary(found: dict) -> str:
    if "failed" in found:
        return found["failed"][:160]
    first = found["first"]
    others = [
        f"{found[n]['ratio']:.2f} x {n} ({found[n]['low']:.2f}-{found[n]['high']:.2f})"
        for n in ("fp32", "nncf")
        if n in found and n != first
    ]
    return f"{first} {', '.join(others)}"


def run_all(zoo: Zoo, names: list[str]) -> None:
    for name in names:
        try:
            zoo.measure(MODELS[name])
        except Exception as error:  # one model must not end the run
            log(f"{name}: {type(error).__name__}: {error}")
            zoo.store(
                zoo.result_path(MODELS[name]),
                MODELS[name],
                {"not_available": f"{type(error).__name__}: {error}"},
            )
