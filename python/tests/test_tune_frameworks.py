"""lpot.tune with ONNX, TensorFlow and Keras models."""

import numpy as np
import onnx
import pytest
import tensorflow as tf
from conftest import ROOT
from test_onnx import MODEL, pictures, run
from test_tensorflow import batches, make_keras
from test_tune import PLAIN

import lpot


@pytest.mark.parametrize("load", [lambda: MODEL, lambda: onnx.load(MODEL)])
def test_onnx_model(load):
    samples = pictures(64)
    x, y = np.stack([x for x, _ in samples]), np.array([int(y) for _, y in samples])
    result = lpot.tune(load(), (x, y), metric="accuracy", max_loss=0.05, config=PLAIN)
    right = (run(onnx.load(MODEL), x).argmax(1) == y).mean()
    assert result.baseline == pytest.approx(right)
    (outputs,) = result.model(x).values()
    assert result.accuracy == pytest.approx((outputs.argmax(1) == y).mean())
    assert isinstance(result.model.model, onnx.ModelProto)
    with pytest.raises(lpot.DataError, match=r"\[run\] got 0 inputs; the model has 1"):
        result.model()


def test_wrong_shapes_of_onnx_inputs():
    with pytest.raises(lpot.DataError, match="do not match the model"):
        lpot.tune(MODEL, np.zeros((8, 3, 28, 28), np.float32), config=PLAIN)


def test_missing_labels():
    x = np.stack([x for x, _ in pictures(8)])
    with pytest.raises(lpot.DataError, match="label"):
        lpot.tune(MODEL, x, metric="accuracy", config=PLAIN)


def test_detector_without_a_metric_compares_boxes(tmp_path):
    folder = ROOT / "examples" / "onnx" / "object_detection"
    (shape,) = [
        i.type.tensor_type.shape
        for i in onnx.load(folder / "shapes_yolo.onnx").graph.input
    ]
    size = [dim.dim_value or 128 for dim in shape.dim][1:]
    pictures = np.random.default_rng(0).random((24, *size), np.float32)
    result = lpot.tune(
        folder / "shapes_yolo.onnx", pictures, max_loss=0.9, config=PLAIN
    )
    assert result.metric == "BoxAgreement" and result.baseline == 1.0


def test_keras_model_and_tf_dataset():
    model = make_keras()
    x, y = (np.concatenate(part) for part in zip(*batches()))
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    result = lpot.tune(model, data, metric="accuracy", max_loss=0.9, config=PLAIN)
    expected = model(x).numpy()
    assert result.baseline == pytest.approx((expected.argmax(1) == y).mean())
    outputs = result.model(x)
    assert isinstance(outputs, tf.Tensor)
    assert 0 <= np.abs(outputs.numpy() - expected).max() < 0.3 * expected.std()
    assert result.model.framework() == "tensorflow"
    result.save("int8")
    assert np.array_equal(lpot.load("int8")(x), outputs)


def test_quantized_keras_model_with_two_inputs_is_called_like_the_original():
    tf.keras.utils.set_random_seed(0)
    left, right = (tf.keras.Input((16,), name=name) for name in ("left", "right"))
    dense = tf.keras.layers.Dense(8)
    model = tf.keras.Model(
        [left, right], tf.keras.layers.Subtract()([dense(left), 3 * dense(right)])
    )
    random = np.random.default_rng(0)
    a, b = (random.normal(0, 1, (32, 16)).astype(np.float32) for _ in range(2))
    q_model = lpot.quantize(model, [((a, b), None)], config=PLAIN)
    expected = model([a, b]).numpy()
    by_name = q_model({"left": a, "right": b}).numpy()
    assert np.abs(by_name - expected).max() < 0.2 * expected.std()
    assert np.array_equal(q_model([a, b]), by_name)
    assert np.array_equal(q_model(a, b), by_name)
