"""Quantizes ONNX ModelProtos and files to ModelProtos with QuantizeLinear and DequantizeLinear nodes."""

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import ROOT

import lpot
from lpot.experimental import Quantization

MODEL = ROOT / "examples" / "quickstart" / "fashion_cnn.onnx"
DATA = "dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}"
TRANSFORM = "transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}"
REST = f"evaluation: {{accuracy: {{metric: {{topk: 1}}, iteration: 4, dataloader: {{batch_size: 16, {DATA}, {TRANSFORM}}}}}}}"


def run(model, x):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {session.get_inputs()[0].name: x})[0]


def pictures(count):
    data = lpot.data.make_dataset(
        "FashionMNIST", root="/usr/share/datasets/fashion-mnist"
    )
    return [
        (((x[0].reshape(1, 28, 28) / 255 - 0.286) / 0.353).astype(np.float32), y)
        for x, y in (data[i] for i in range(count))
    ]


@pytest.mark.parametrize(
    "load", [lambda: onnx.load(MODEL), lambda: MODEL, lambda: str(MODEL)]
)
def test_tunes_with_data_and_metric_from_yaml(conf, load):
    quantizer = Quantization(conf(framework="onnxrt_qlinearops", rest=REST))
    quantizer.model = load()
    q_model = quantizer()
    assert isinstance(q_model.model, onnx.ModelProto)
    onnx.checker.check_model(q_model.model)
    kinds = {node.op_type for node in q_model.graph.node}
    assert {"QuantizeLinear", "DequantizeLinear"} <= kinds
    x = np.stack([x for x, _ in pictures(8)])
    expected, got = run(onnx.load(MODEL), x), run(q_model, x)
    assert 0 < np.abs(got - expected).max() < 0.2 * np.abs(expected).max()
    q_model.save("int8")
    assert lpot.load("int8").model == q_model.model


def test_eval_func_receives_model_protos(conf):
    samples = pictures(64)
    inputs, labels = (
        np.stack([x for x, _ in samples]),
        np.array([int(y) for _, y in samples]),
    )

    def eval_func(model):
        assert isinstance(model, onnx.ModelProto)
        return float((run(model, inputs).argmax(1) == labels).mean())

    quantizer = lpot.Quantization(conf(framework="onnxrt_qlinearops"))
    loader = quantizer.dataloader(samples, batch_size=8)
    q_model = quantizer(onnx.load(MODEL), q_dataloader=loader, eval_func=eval_func)
    assert q_model.result["baseline"]["accuracy"] > 0.8
    assert q_model.result["best"]["accuracy"] == pytest.approx(eval_func(q_model.model))
    assert "activations: " in q_model.result["best"]["ranges"]
    assert isinstance(q_model.result["ranked"], list)
