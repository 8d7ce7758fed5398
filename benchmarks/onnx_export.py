"""Compares lpot's model.onnx with models of ONNX Runtime's static quantizer, all in ONNX Runtime: `make bench-onnx-export`.

    .venv-peers/bin/python benchmarks/onnx_export.py                                 all models
    .venv-peers/bin/python benchmarks/onnx_export.py --models resnet-20,nudenet-320n

- lpot runs with and without the recipe onnx_runtime. All tools calibrate with the same samples. The static quantizer
  writes QDQ pairs, unsigned activations and scales per channel, with three settings: all op types, only convolutions and
  matrix products, and 99.999% of the values instead of the whole range. A setting that fails is left out.
- Held-out samples give the score of the task (docs/zoo.md) and the error, |x - fp32| / |fp32| of the outputs.
- All models of a network are timed alternately in one process, one sample at a time. A speedup is the median of the
  ratios of consecutive turns. PROCESSES such processes determine its range.
- Models and samples are stored below BUILD/zoo, as those of benchmarks/zoo. LPOT_TEST_DATA is the folder with the data.
"""

import argparse
import gzip
import json
import os
import pathlib
import shutil
import statistics
import sys
import time
import urllib.parse

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "zoo"), str(HERE / "peers")]

import evaluate  # noqa: E402
import samples  # noqa: E402
import tools  # noqa: E402
from models import IMAGENET, MODELS, Model  # noqa: E402
from processes import Failure, digest, hash_of, log, run_child, sha256, write_json  # noqa: E402, I001
from run import Zoo  # noqa: E402
from samples.pictures import normalize  # noqa: E402

LPOT = {"lpot": {}, "lpot-onnx-runtime": {"onnx_runtime": True}}
STATIC = ("ort-static", "ort-static-kernels", "ort-static-percentile")
PROCESSES = 3
PROCESS_SECONDS = 300  # limit of one process
TURN_SECONDS = 0.03


def cifar(context: samples.Context) -> samples.Samples:
    packed = context.require("cifar10/test_batch.bin.gz").read_bytes()
    rows = np.frombuffer(gzip.decompress(packed), np.uint8).reshape(-1, 3073)
    chosen = rows[np.random.default_rng(1).permutation(len(rows))[:2300]]
    pixels = chosen[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return samples.base.split(
        {"input": normalize(pixels, **IMAGENET)}, (300, 2000), chosen[:, 0].astype(int)
    )


def networks() -> dict[str, Model]:
    resnet = Model("resnet-20", "classification", "data", "resnet-cifar10-onnx/resnet20-cifar10.onnx",
                   cifar, ("top1",))  # fmt: skip
    others = ("mobilenet-v2", "minilm-mrpc", "nudenet-320n", "ppocr-v6-recognition",
              "efficientnet-lite0", "ppocr-v6-detection", "centerface", "nsnet2")  # fmt: skip
    return {"resnet-20": resnet} | {name: MODELS[name] for name in others}


def source_of(zoo: Zoo, model: Model) -> pathlib.Path:
    if model.name in MODELS:
        return zoo.cache.model(model)
    return pathlib.Path(os.environ["LPOT_TEST_DATA"]) / model.file


def task_of(zoo: Zoo, model: Model) -> tools.Task:
    """Writes the samples, unless they exist."""
    source = source_of(zoo, model)
    folder = zoo.work / f"onnx-export/samples/{model.name}"
    key = digest(
        sha256(pathlib.Path(__file__)) if model.name not in MODELS else "",
        *(sha256(f) for f in sorted((HERE / "zoo/samples").glob("*.py"))),
        hash_of(source),
    )
    stamp = folder / "key"
    if not stamp.exists() or stamp.read_text() != key:
        log(f"{model.name}: samples")
        shutil.rmtree(folder, ignore_errors=True)
        write_samples(zoo, model, source, folder)
        stamp.write_text(key)
    output = zoo.work / f"onnx-export/models/{model.name}"
    return tools.Task(model, source, folder, digest(key, zoo.versions), output)


def write_samples(zoo: Zoo, model: Model, source: pathlib.Path, folder: pathlib.Path) -> None:  # fmt: skip
    data = os.environ.get("LPOT_TEST_DATA")
    context = samples.Context(pathlib.Path(data) if data else None, zoo.work, source)
    made = model.samples(context)
    for part, rows in (("calibration", made.calibration), ("evaluation", made.evaluation)):  # fmt: skip
        (folder / part).mkdir(parents=True)
        for tensor, values in rows.items():
            np.save(folder / part / f"{urllib.parse.quote(tensor, safe='')}.npy", values)  # fmt: skip
    count = len(next(iter(made.calibration.values())))
    (folder / "count").write_text(str(count))
    if made.labels is not None:
        np.save(folder / "labels.npy", made.labels)
    network = {
        "name": model.name, "title": model.name, "model": str(source), "score": "",
        "transformer": model.transformer, "whole_samples": model.whole,
    }  # fmt: skip
    write_json(folder / "network.json", network)


def quantized(zoo: Zoo, task: tools.Task) -> dict[str, dict]:
    rows = {}
    for tool, recipes in LPOT.items():
        rows[tool] = tools.stored(
            task.output / tool,
            digest(task.key, zoo.program, recipes),
            lambda output, r=recipes: tools.quantize_lpot(
                task, zoo.lpot, "f32", output, r
            ),
        )
    script = sha256(HERE / "peers/quantize.py")
    for tool in STATIC:
        rows[tool] = tools.stored(
            task.output / tool,
            digest(task.key, script),
            lambda output, t=tool: tools.quantize_peer(task, t, output),
        )
    return rows


def measure(zoo: Zoo, model: Model) -> dict:
    task = task_of(zoo, model)
    rows = quantized(zoo, task)
    paths = {"fp32": str(task.source)}
    for tool, row in rows.items():
        if "failed" in row:
            log(f"{model.name}, {tool}: {row['failed']}")
        else:
            name = "model.onnx" if tool in LPOT else pathlib.Path(row["model"]).name
            paths[tool] = str(task.output / tool / name)
    job = {
        "model": str(task.source), "folder": str(task.folder), "whole": model.whole, "score": model.score,
        "compare": model.compare, "paths": paths, "seconds": zoo.options.seconds,
        "evaluate": True,
    }  # fmt: skip
    runs = []
    for i in range(PROCESSES):
        job["evaluate"] = i == 0
        job["paths"] = dict(reversed(paths.items())) if i % 2 else paths
        command = [sys.executable, HERE / "onnx_export.py", "--child"]
        done = run_child(command, PROCESS_SECONDS, json.dumps(job))
        runs.append(json.loads(done.output.splitlines()[-1]))
    result = {}
    for tool in paths:
        speedups = [run["speedups"][tool] for run in runs]
        result[tool] = {
            **runs[0]["outputs"].get(tool, {}),
            "speedup": statistics.median(speedups),
            "low": min(speedups),
            "high": max(speedups),
            "ms": min(run["ms"][tool] for run in runs),
        }
    return result


# The process that runs ONNX Runtime


def child() -> None:
    job = json.load(sys.stdin)
    rows = evaluate.load(pathlib.Path(job["folder"]) / "evaluation", job["whole"])
    sessions = {tool: evaluate.session_of(path) for tool, path in job["paths"].items()}
    result = {"outputs": outputs_of(job, sessions, rows) if job["evaluate"] else {}}
    json.dump(result | time_turns(sessions, rows[0], job["seconds"]), sys.stdout)


def outputs_of(job: dict, sessions: dict, rows: list) -> dict:
    labelled = pathlib.Path(job["folder"]) / "labels.npy"
    labels = np.load(labelled) if labelled.exists() else None
    of_tool = {}
    for tool, session in sessions.items():
        of_tool[tool] = [[np.array(x, np.float64) for x in session.run(None, s)] for s in rows]  # fmt: skip
    result = {}
    for tool, outputs in of_tool.items():
        row = {"error": evaluate.distance(outputs, of_tool["fp32"])}
        if job["score"]:
            kind, *parameters = job["score"]
            row["score"] = evaluate.SCORES[kind](outputs, of_tool["fp32"], labels, *parameters)  # fmt: skip
        result[tool] = row
    return result


def time_turns(sessions: dict, sample: dict, seconds: float) -> dict:
    """Every round gives each model a turn of several runs, of which the first is not counted."""
    counts = {}
    for tool, session in sessions.items():
        session.run(None, sample)
        start = time.perf_counter()
        session.run(None, sample)
        counts[tool] = 1 + min(50, int(TURN_SECONDS / (time.perf_counter() - start)))
    rounds: list[dict] = []
    end = time.monotonic() + seconds * len(sessions)
    while time.monotonic() < end or len(rounds) < 7:
        found = {}
        for tool, session in sessions.items():
            session.run(None, sample)
            start = time.perf_counter()
            for _ in range(counts[tool]):
                session.run(None, sample)
            found[tool] = 1000 * (time.perf_counter() - start) / counts[tool]
        rounds.append(found)
    return {
        "speedups": {t: statistics.median(r["fp32"] / r[t] for r in rounds) for t in sessions},
        "ms": {t: statistics.median(r[t] for r in rounds) for t in sessions},
    }  # fmt: skip


# The table


def table(results: dict[str, dict]) -> str:
    lines = ["| model | tool | score | error | speedup |", "|---|---|---|---|---|"]
    for name, result in results.items():
        for tool, row in result.items():
            score = f"{row['score']:.2f}" if "score" in row else ""
            lines.append(
                f"| {name} | {tool} | {score} | {row['error']:.4f} "
                f"| {row['speedup']:.2f} x ({row['low']:.2f}-{row['high']:.2f}) |"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--build", default="build")
    parser.add_argument("--models", default="", help=f"of {', '.join(networks())}")
    parser.add_argument("--seconds", type=float, default=1.5, help="of timing, per model and process")  # fmt: skip
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child()
        return
    if "LPOT_TEST_DATA" in os.environ:  # processes run in other folders
        os.environ["LPOT_TEST_DATA"] = os.path.abspath(os.environ["LPOT_TEST_DATA"])
    zoo = Zoo(options)
    known, results = networks(), {}
    for name in [n for n in options.models.split(",") if n] or known:
        try:
            results[name] = measure(zoo, known[name])
            log(table({name: results[name]}))
        except Failure as failure:
            log(f"{name}: {failure}")
    print(table(results))


if __name__ == "__main__":
    main()
