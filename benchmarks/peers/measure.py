"""Measures models of one runtime in one process: `measure.py`, a job as JSON on standard input, results as JSON.

The job names a runtime, the folder of the network, the models by tool ("fp32": null is the source model), and in
"precisions" the precision of models that do not run in f32. The program either times them alternately (`"batch"`: size,
`"seconds"`), or evaluates them (`"evaluate": true`) and compares them with fp32.
"""

import json
import pathlib
import sys
import time
from collections.abc import Callable

import numpy as np
import quantize
from networks import Batch, Network, load_batches

THREADS = 2
TURN_SECONDS = 0.05
Run = Callable[[Batch], np.ndarray]


def openvino_run(
    network: Network, path: str | None, batches: list[Batch], precision: str = "f32"
) -> Run:
    """Compiles the model for the shape of the batches, if all have the same."""
    import openvino as ov

    model = ov.Core().read_model(path) if path else quantize.read_openvino(network)
    shapes = {tuple(sorted((k, v.shape) for k, v in b.items())) for b in batches}
    if len(shapes) == 1:
        model.reshape(
            {k: list(v.shape) for k, v in quantize.by_name(model, batches[0]).items()}
        )
    options = {
        "INFERENCE_NUM_THREADS": THREADS,
        "PERFORMANCE_HINT": "LATENCY",
        # otherwise a CPU with bf16 units runs fp32 in bf16, or fails if it is limited to AVX2
        "INFERENCE_PRECISION_HINT": precision,
    }
    compiled = ov.Core().compile_model(model, "CPU", options)
    used = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
    if used != precision:
        raise RuntimeError(f"OpenVINO runs in {used} instead of {precision}")
    request = compiled.create_infer_request()
    names = {
        name: next(iter(quantize.by_name(model, {name: None}))) for name in batches[0]
    }

    def run(batch: Batch) -> np.ndarray:
        request.infer({names[k]: v for k, v in batch.items()}, share_inputs=True)
        return request.get_output_tensor(0).data

    return run


def onnxruntime_run(network: Network, path: str | None, _: list[Batch]) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        path or network.model, options, providers=["CPUExecutionProvider"]
    )
    return lambda batch: session.run(None, batch)[0]


def torch_run(network: Network, path: str | None, _: list[Batch]) -> Run:
    """The module, or with `path` the dynamically quantized module, which PyTorch creates when it loads."""
    import modules
    import torch

    torch.set_num_threads(THREADS)
    if network.module == "blendcnn":
        module = modules.BlendCnn(30522)
        module.load_state_dict(
            torch.load(pathlib.Path(network.model).parent / "module.pt")
        )
    else:
        module = modules.minilm(network.model)
    module.eval()
    if path:
        start = time.monotonic()
        module = torch.ao.quantization.quantize_dynamic(
            module, {torch.nn.Linear}, dtype=torch.qint8
        )
        torch_run.seconds = time.monotonic() - start

    def run(batch: Batch) -> np.ndarray:
        with torch.inference_mode():
            return module(*(torch.from_numpy(x) for x in batch.values())).numpy()

    return run


RUNTIMES = {
    "openvino": openvino_run,
    "onnxruntime": onnxruntime_run,
    "torch": torch_run,
}


def time_turns(runs: dict[str, Run], batch: Batch, seconds: float) -> dict[str, dict]:
    """Median milliseconds of each model. The first run of a turn warms up the caches and does not count."""
    counts = {}
    for tool, run in runs.items():
        run(batch)
        start = time.perf_counter()
        run(batch)
        counts[tool] = 1 + min(50, int(TURN_SECONDS / (time.perf_counter() - start)))
    taken: dict[str, list[float]] = {tool: [] for tool in runs}
    end = time.monotonic() + seconds * len(runs)
    while time.monotonic() < end or len(taken[next(iter(runs))]) < 5:
        for tool, run in runs.items():
            run(batch)
            for _ in range(counts[tool]):
                start = time.perf_counter()
                run(batch)
                taken[tool].append((time.perf_counter() - start) * 1000)
    return {
        tool: {"ms": np.median(times), "fastest": np.quantile(times, 0.1)}
        for tool, times in taken.items()
    }


def score(
    network: Network, outputs: np.ndarray, fp32: np.ndarray, labels: np.ndarray | None
) -> dict:
    """The score of the task, and the mean absolute error of the outputs relative to their mean absolute value."""
    if (
        network.score == "pearson"
    ):  # of the cosine of neighbouring rows, which have length 1
        value = np.corrcoef((outputs[::2] * outputs[1::2]).sum(1), labels)[0, 1]
    else:
        value = (
            outputs.argmax(-1) == (fp32.argmax(-1) if labels is None else labels)
        ).mean() * 100
    error = np.abs(outputs - fp32).mean() / np.abs(fp32).mean() * 100
    return {"score": float(value), "error": float(error)}


def evaluate(
    network: Network, runs: dict[str, Run], batches: list[Batch], folder: pathlib.Path
) -> dict:
    labels = (
        np.load(folder / "labels.npy") if (folder / "labels.npy").exists() else None
    )
    outputs = {
        t: np.concatenate([run(b).copy() for b in batches]) for t, run in runs.items()
    }
    return {t: score(network, o, outputs["fp32"], labels) for t, o in outputs.items()}


def main() -> None:
    job = json.load(sys.stdin)
    folder = pathlib.Path(job["folder"])
    network = Network(**json.loads((folder / "network.json").read_text()))
    file = "evaluation.npz" if job.get("evaluate") else f"timing-{job['batch']}.npz"
    batches = load_batches(folder / file)
    results, runs = {}, {}
    for tool, path in job["models"].items():
        try:
            more = [job["precisions"][tool]] if tool in job.get("precisions", {}) else []
            runs[tool] = RUNTIMES[job["runtime"]](network, path, batches, *more)
            runs[tool](batches[0])
        except Exception as error:
            runs.pop(tool, None)
            results[tool] = {"failed": f"{type(error).__name__}: {error}"}
    if "fp32" not in runs:
        sys.exit(f"fp32: {results['fp32']['failed']}")
    if job.get("evaluate"):
        results |= evaluate(network, runs, batches, folder)
        if job["runtime"] == "torch" and hasattr(torch_run, "seconds"):
            results["torch-dynamic"]["seconds"] = torch_run.seconds
    else:
        results |= time_turns(runs, batches[0], job["seconds"])
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
