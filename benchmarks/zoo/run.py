"""Measures one model: quantizes it with every tool, compares outputs and speeds. Results are below BUILD/zoo.

Every part of a result is stored with a key of everything that it depends on (programs, model, samples, settings). A
second run measures only the parts that are missing.
"""

import argparse
import functools
import importlib.metadata
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys

from download import Cache, DownloadError, sha256
from models import MODELS, Model
from processes import (
    Failure,
    digest,
    hash_of,
    log,
    read_json,
    run_child,
    write_json,
)
from tools import Task, quantize_all

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
from avx2_limit import as_avx2

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("openvino", "nncf", "onnxruntime")
EVALUATE_SECONDS = 600  # limits of one process
BENCH_SECONDS = 240
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
        is_f32 = default_precision() == "f32"
        self.precisions = ("f32",) if is_f32 else ("f32", "default")
        self.versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in PACKAGES)  # fmt: skip

    def measure(self, model: Model) -> None:
        """Stores the result of one model. A failure is a result too."""
        path = self.work / f"results/{self.cpu_class}/{model.name}.json"
        try:
            result = self.result(model, read_json(path) or {})
        except (DownloadError, Failure, OSError) as error:
            result = {"not_available": str(error)}
        except Exception as error:  # one model must not end the run
            log(f"{model.name}: {type(error).__name__}: {error}")
            result = {"not_available": f"{type(error).__name__}: {error}"}
        write_json(path, {"name": model.name, "program": self.program, **result})

    def result(self, model: Model, known: dict) -> dict:
        source = self.cache.model(model)
        if model.samples is None:
            return {"not_read": self.message(source)}
        task = self.task(model, source)
        rows = quantize_all(task, self.lpot, self.program, self.precisions)
        for tool, row in rows.items():
            log(f"{model.name}, {tool}: {row.get('failed') or format(row['seconds'], '.1f') + ' s'}")  # fmt: skip
        keys = {
            "evaluated": digest(*made(rows), task.key, model.score, model.compare),
            "speed": digest(*made(rows, "lpot", "nncf"), task.key, self.options.seconds, PROCESSES),
        }  # fmt: skip
        result = {"keys": keys, "tools": rows}
        for part, measure in (("evaluated", self.evaluate), ("speed", self.speeds)):
            is_known = known.get("keys", {}).get(part) == keys[part]
            result[part] = known[part] if is_known and not self.options.again else measure(task, rows)  # fmt: skip
        return result

    def message(self, source: pathlib.Path) -> str:
        """What lpot reports about a model that the runtime cannot read."""
        try:
            run_child([self.lpot, "inspect", source, "--quiet"], EVALUATE_SECONDS)
        except Failure as failure:
            return str(failure)
        return "lpot reads this model now; add samples to the table"

    def task(self, model: Model, source: pathlib.Path) -> Task:
        """Writes the samples, if what they depend on has changed."""
        folder = self.work / f"samples/{model.name}"
        sources = [HERE / "models.py", *sorted((HERE / "samples").glob("*.py"))]
        source_hash = hash_of(source)
        key = digest(*(sha256(f) for f in sources), source_hash)
        stamp = folder / "key"
        if not stamp.exists() or stamp.read_text() != key:
            log(f"{model.name}: samples")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            script = HERE / "make_samples.py"
            command = [sys.executable, script, model.name, source, self.work, folder]
            run_child(command, EVALUATE_SECONDS)
            network = {
                "name": model.name, "title": model.name, "model": str(source), "score": "",
                "transformer": model.transformer, "whole_samples": model.whole,
            }  # fmt: skip
            write_json(folder / "network.json", network)
            stamp.write_text(key)
        files = sorted(folder.rglob("*.npy"))
        data = digest(*(f"{f.relative_to(folder)} {sha256(f)}" for f in files))
        output = self.work / f"models/{self.cpu_class}/{model.name}"
        return Task(model, source, folder, digest(source_hash, data, self.versions), output)  # fmt: skip

    # Outputs

    def evaluate(self, task: Task, rows: dict) -> dict:
        runs: dict[str, tuple[str, str]] = {}
        for precision in self.precisions:
            hint = precision if precision == "f32" else default_precision()
            if precision != "f32":
                runs["fp32-default"] = (str(task.source), hint)
            lpot, nncf = rows[f"lpot-{precision}"], rows["nncf"]
            if "model" in lpot:
                runs[f"lpot-{precision}"] = (lpot["model"], lpot["precision"])
            if "model" in nncf:
                runs[f"nncf-{precision}"] = (nncf["model"], hint)
        found = self.evaluate_runs(task, "openvino", runs)
        ort = rows.get("ort-static", {})
        if "model" in ort:
            of_ort = self.evaluate_runs(task, "onnxruntime", {"ort-static": (ort["model"], "")})  # fmt: skip
            found["ort-static"] = of_ort.get("ort-static", of_ort)
        return found

    def evaluate_runs(self, task: Task, runtime: str, runs: dict) -> dict:
        model = task.model
        job = {
            "runtime": runtime, "model": str(task.source), "folder": str(task.folder), "whole": model.whole,
            "score": model.score, "compare": model.compare, "runs": runs, "batches": batches(model),
            "seconds": self.options.seconds / 2,
        }  # fmt: skip
        try:
            done = run_child([sys.executable, HERE / "evaluate.py"], EVALUATE_SECONDS, json.dumps(job))  # fmt: skip
            return json.loads(done.output.splitlines()[-1])
        except Failure as failure:
            return {"failed": str(failure)}

    # Speed

    def speeds(self, task: Task, rows: dict) -> dict:
        result: dict = {}
        config = task.folder / "bench.yaml"
        timed = {"performance": {"dataloader": task.loader("evaluation")}}
        write_json(config, {"model": {"name": task.model.name}, "evaluation": timed})
        for precision in self.precisions:
            lpot, nncf = rows[f"lpot-{precision}"], rows["nncf"]
            hint = precision if precision == "f32" else default_precision()
            models = {}
            if "model" in lpot:
                models["lpot"] = (lpot["model"], lpot["precision"])
            models["fp32"] = (str(task.source), hint)
            if "model" in nncf:
                models["nncf"] = (nncf["model"], hint)
            for batch in batches(task.model) if len(models) > 1 else ():
                try:
                    found = self.bench(models, batch, config)
                except Failure as failure:
                    found = {"failed": str(failure)}
                result.setdefault(precision, {})[str(batch)] = found
                log(f"{task.model.name}, {precision}, batch {batch}: {summary(found)}")
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
        for name, rows in runs.items():
            logs = [math.log(row["speedup"]) for row in rows]
            result[name] = {
                "ms": min(row["latency_ms"]["median"] for row in rows),
                "ratio": math.exp(-statistics.fmean(logs)),
                "low": 1 / max(row["speedup_high"] for row in rows),
                "high": 1 / min(row["speedup_low"] for row in rows),
            }
        return result


def made(rows: dict, *tools: str) -> list[str]:
    """The key of the models of the tools whose name starts with this text."""
    chosen = [row for tool, row in rows.items() if not tools or tool.startswith(tools)]
    return [row["key"] + ("" if "model" in row else " failed") for row in chosen]


def batches(model: Model) -> tuple[int, ...]:
    return BATCHES[:1] if model.whole else BATCHES


@functools.cache
def default_precision() -> str:
    """The precision that OpenVINO uses on this CPU unless the program sets it."""
    if as_avx2.is_emulated():
        return "f32"
    script = "import openvino as ov; print(ov.Core().get_property('CPU', 'INFERENCE_PRECISION_HINT').to_string())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # fmt: skip
    return done.stdout.strip()


def summary(found: dict) -> str:
    if "failed" in found:
        return found["failed"][:160]
    others = [name for name in ("fp32", "nncf") if name in found and name != found["first"]]  # fmt: skip
    ratios = []
    for name in others:
        row = found[name]
        ratios.append(
            f"{row['ratio']:.2f} x {name} ({row['low']:.2f}-{row['high']:.2f})"
        )
    return f"{found['first']} {', '.join(ratios)}"


def run_all(zoo: Zoo, names: list[str]) -> None:
    for name in names:
        zoo.measure(MODELS[name])
