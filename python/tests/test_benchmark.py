"""lpot.experimental.Benchmark with the settings of evaluation.performance."""

import numpy as np
import pytest
from conftest import ROOT

import lpot
from lpot.experimental import Benchmark

MODEL = str(ROOT / "examples" / "quickstart" / "fashion_cnn.onnx")
DATA = "dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}"
TRANSFORM = "transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}"
PERFORMANCE = f"""evaluation:
  performance:
    warmup: 7
    iteration: 11
    configs: {{cores_per_instance: 1, num_of_instance: 2}}
    dataloader: {{batch_size: 4, {DATA}, {TRANSFORM}}}
"""


def batches():
    x = np.random.default_rng(0).normal(0, 1, (32, 1, 28, 28)).astype(np.float32)
    return [(x[i : i + 8], np.zeros(8, np.int64)) for i in range(0, 32, 8)]


@pytest.fixture
def runs(monkeypatch) -> list:
    """The batch sizes of all inferences of Benchmark, and before them the number of threads."""
    from lpot.experimental import benchmark

    seen: list = []
    load, infer = benchmark.load_program, benchmark.infer
    monkeypatch.setattr(
        benchmark,
        "load_program",
        lambda path, threads=0: (seen.append(threads), load(path, threads))[1],
    )
    monkeypatch.setattr(
        benchmark,
        "infer",
        lambda model, arrays: (seen.append(len(arrays[0])), infer(model, arrays))[1],
    )
    return seen


@pytest.mark.parametrize("has_loader", [False, True])
def test_settings_of_the_configuration_apply(conf, runs, has_loader, caplog):
    benchmark = Benchmark(conf(framework="onnxrt_qlinearops", rest=PERFORMANCE))
    benchmark.model = MODEL
    if has_loader:
        benchmark.b_dataloader = batches()
    size = 8 if has_loader else 4
    assert benchmark()["performance"]["batch_size"] == size
    compiling = 4 if has_loader else 8
    assert runs[0] == 1  # thread
    assert runs[1:] == [size] * (max(7, compiling) + 11)
    assert "num_of_instance is 2; Python measures one" in caplog.text


def test_models_of_lpot_need_no_other_framework(conf):
    rest = "evaluation: {accuracy: {metric: {topk: 1}}}"
    quantizer = lpot.Quantization(conf(framework="onnxrt_qlinearops"))
    q_model = quantizer(MODEL, q_dataloader=batches())
    q_model.save("int8")
    for model in (q_model, lpot.load("int8")):
        benchmark = Benchmark(conf(framework="onnxrt_qlinearops", rest=rest))
        benchmark.model, benchmark.b_dataloader = model, batches()
        assert benchmark("accuracy")["accuracy"]["topk 1"] >= 0
        assert benchmark()["performance"]["batch_size"] == 8
