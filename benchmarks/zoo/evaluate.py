"""Runs the models of one runtime on held-out samples: a job as JSON on standard input, results as JSON.

For every model: the relative L2 distance of its outputs from those of fp32 in f32, the score of the task, and how many
kernels of convolutions, matrix products and recurrent layers ran in int8. For ONNX Runtime also the speed.
"""

import json
import pathlib
import sys
import urllib.parse

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
import measure

Sample = dict[str, np.ndarray]
Outputs = list[list[np.ndarray]]  # of every sample
KERNELS = {
    "Convolution",
    "Deconvolution",
    "FullyConnected",
    "MatMul",
    "RNNSeq",
    "RNNCell",
    "GatherMatmul",
}


def load(folder: pathlib.Path, whole: bool) -> list[Sample]:
    rows = {
        urllib.parse.unquote(p.stem): np.load(p) for p in sorted(folder.glob("*.npy"))
    }
    count = len(next(iter(rows.values())))
    return [
        {k: v[i] if whole else v[i : i + 1] for k, v in rows.items()}
        for i in range(count)
    ]


def port_of(model, name: str):
    return next(
        p
        for p in model.inputs
        if p.names & {name, name + ":0", name.removesuffix(":0")}
    )


def run_openvino(
    path: str, precision: str, samples: list[Sample]
) -> tuple[Outputs, dict]:
    import openvino as ov

    model = ov.Core().read_model(path)
    names = {name: port_of(model, name).any_name for name in samples[0]}
    model.reshape(
        {names[name]: list(value.shape) for name, value in samples[0].items()}
    )
    options = {
        "INFERENCE_NUM_THREADS": measure.THREADS,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": precision,
    }
    compiled = ov.Core().compile_model(model, "CPU", options)
    request = compiled.create_infer_request()
    outputs = []
    for sample in samples:
        request.infer({names[k]: v for k, v in sample.items()})
        outputs.append(
            [
                np.array(request.get_output_tensor(i).data, np.float64)
                for i in range(len(compiled.outputs))
            ]
        )
    return outputs, kernels(compiled)


def kernels(compiled) -> dict:
    """How many kernels there are, and how many of them ran in int8."""
    total = int8 = 0
    by_type: dict[str, list[int]] = {}
    for op in compiled.get_runtime_model().get_ops():
        info = op.get_rt_info()
        layer = str(info["layerType"].astype(str)) if "layerType" in info else ""
        if layer not in KERNELS:
            continue
        is_int8 = str(info["runtimePrecision"].astype(str)) in ("i8", "u8")
        total, int8 = total + 1, int8 + is_int8
        counts = by_type.setdefault(layer, [0, 0])
        counts[0], counts[1] = counts[0] + is_int8, counts[1] + 1
    return {"int8": int8, "kernels": total, "by_type": by_type}


def session_of(path: str):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = measure.THREADS
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"]
    )


def run_onnxruntime(path: str, _: str, samples: list[Sample]) -> tuple[Outputs, dict]:
    session = session_of(path)
    return [
        [np.array(x, np.float64) for x in session.run(None, s)] for s in samples
    ], {}


def distance(outputs: Outputs, reference: Outputs) -> float:
    """The mean over the outputs of |x - reference| / |reference|, over all samples."""
    values = []
    for i in range(len(reference[0])):
        size = sum(float((r[i] ** 2).sum()) for r in reference)
        error = sum(
            float(((o[i] - r[i]) ** 2).sum())
            for o, r in zip(outputs, reference, strict=True)
        )
        if size > 0:
            values.append((error / size) ** 0.5)
    return float(np.mean(values))


# Scores, in percent


def top1(
    outputs: Outputs, reference: Outputs, labels: np.ndarray | None, index: int = 0
) -> float:
    """Accuracy where there are labels, else agreement with fp32."""
    found = [int(o[index].argmax()) for o in outputs]
    wanted = [int(r[index].argmax()) for r in reference] if labels is None else labels
    return 100 * float(np.mean(np.array(found) == np.array(wanted)))


def mask(
    outputs: Outputs,
    reference: Outputs,
    _: None,
    index: int = 0,
    threshold: float = 0.5,
    skip: int = 0,
) -> float:
    """Intersection over union of the values above the threshold; `skip` channels are left out."""
    both = either = 0
    for o, r in zip(outputs, reference, strict=True):
        a, b = o[index][:, skip:] > threshold, r[index][:, skip:] > threshold
        both, either = both + int((a & b).sum()), either + int((a | b).sum())
    return 100.0 * both / either if either else 100.0


def cosine(outputs: Outputs, reference: Outputs, _: None, index: int = 0) -> float:
    """Mean cosine of the rows of the output with those of fp32."""
    a = np.concatenate([o[index].reshape(-1, o[index].shape[-1]) for o in outputs])
    b = np.concatenate([r[index].reshape(-1, r[index].shape[-1]) for r in reference])
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return 100 * float(((a * b).sum(1) / np.maximum(lengths, 1e-12)).mean())


def pearson(outputs: Outputs, _: Outputs, labels: np.ndarray) -> float:
    """Correlation of the cosine of neighbouring rows with the labels."""
    rows = np.concatenate([o[0] for o in outputs])
    return 100 * float(np.corrcoef((rows[::2] * rows[1::2]).sum(1), labels)[0, 1])


def ctc(
    outputs: Outputs, reference: Outputs, _: None, index: int = 0, axis: int = 0
) -> float:
    """Characters of the best path that agree with fp32: 100 less the edit distance per character."""
    errors = characters = 0
    for o, r in zip(outputs, reference, strict=True):
        found, wanted = (best_path(x[index], axis) for x in (o, r))
        errors, characters = errors + edits(found, wanted), characters + len(wanted)
    return 100 * max(0.0, 1 - errors / max(1, characters))


def best_path(values: np.ndarray, axis: int) -> list[int]:
    best = values.take(0, axis).argmax(-1)
    changes = np.concatenate([[True], best[1:] != best[:-1]])
    return [int(x) for x in best[changes] if x != 0]


def edits(a: list[int], b: list[int]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def boxes(
    outputs: Outputs,
    reference: Outputs,
    _: None,
    threshold: float,
    indices: tuple[int, int, int],
) -> float:
    """F1 of detections against those of fp32: the same class and an overlap of more than half."""
    matched = total = 0
    for o, r in zip(outputs, reference, strict=True):
        found, wanted = (
            detections([x[i][0] for i in indices], threshold) for x in (o, r)
        )
        total += len(found) + len(wanted)
        for box, kind in wanted:
            match = next(
                (f for f in found if f[1] == kind and overlap(f[0], box) > 0.5), None
            )
            if match is not None:
                matched += 2
                found.remove(match)
    return 100.0 * matched / total if total else 100.0


def detections(
    outputs: list[np.ndarray], threshold: float
) -> list[tuple[tuple[float, ...], int]]:
    """Boxes and classes whose score is above the threshold."""
    rows = zip(*outputs, strict=True)
    return [(tuple(box), int(kind)) for box, kind, score in rows if score > threshold]


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    if height <= 0 or width <= 0:
        return 0.0
    areas = sum((x[2] - x[0]) * (x[3] - x[1]) for x in (a, b))
    return height * width / (areas - height * width)


SCORES = {f.__name__: f for f in (top1, mask, cosine, pearson, ctc, boxes)}
RUNTIMES = {"openvino": run_openvino, "onnxruntime": run_onnxruntime}


def evaluate(job: dict) -> dict:
    samples = load(pathlib.Path(job["folder"]) / "evaluation", job["whole"])
    labelled = pathlib.Path(job["folder"]) / "labels.npy"
    labels = np.load(labelled) if labelled.exists() else None
    run = RUNTIMES[job["runtime"]]
    reference, counted = run(job["model"], "f32", samples)
    results = {"fp32": result(job, reference, reference, labels) | counted}
    for name, (path, precision) in job["runs"].items():
        try:
            outputs, counted = run(path, precision, samples)
            results[name] = result(job, outputs, reference, labels) | counted
        except Exception as error:
            results[name] = {"failed": f"{type(error).__name__}: {error}"[-300:]}
    return results


def result(
    job: dict, outputs: Outputs, reference: Outputs, labels: np.ndarray | None
) -> dict:
    found: dict = {}
    if job["compare"]:
        found["error"] = distance(outputs, reference)
    if job["score"]:
        kind, *parameters = job["score"]
        found["score"] = SCORES[kind](outputs, reference, labels, *parameters)
    return found


def time_onnxruntime(job: dict, results: dict) -> None:
    samples = load(pathlib.Path(job["folder"]) / "evaluation", job["whole"])
    for batch in job["batches"]:
        inputs = {
            k: np.concatenate([v] * batch) if batch > 1 else v
            for k, v in samples[0].items()
        }
        try:
            runs = {}
            for name, path in (
                ("fp32", job["model"]),
                ("ort-static", job["runs"]["ort-static"][0]),
            ):
                session = session_of(path)
                runs[name] = lambda given, session=session: session.run(None, given)
            timed = measure.time_turns(runs, inputs, job["seconds"])
            results["ort-static"].setdefault("speed", {})[str(batch)] = (
                timed["fp32"]["ms"] / timed["ort-static"]["ms"]
            )
        except Exception as error:
            results["ort-static"].setdefault("not_timed", {})[str(batch)] = str(error)[
                -200:
            ]


def main() -> None:
    job = json.load(sys.stdin)
    results = evaluate(job)
    if job["runtime"] == "onnxruntime" and "failed" not in results["ort-static"]:
        time_onnxruntime(job, results)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
