"""Quantizes all kinds of TensorFlow models to quantized graphs."""

import numpy as np
import pytest
import tensorflow as tf

import lpot
from lpot.bridges.tensorflow_writer import GraphWriter
from lpot.experimental import Quantization


def make_keras():
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input((12, 12, 3), name="picture"),
            layers.Conv2D(8, 3, padding="same", use_bias=False, name="first"),
            layers.BatchNormalization(name="norm"),
            layers.ReLU(),
            layers.DepthwiseConv2D(3, depth_multiplier=2, name="depthwise"),
            layers.ReLU(),
            layers.Conv2D(8, 1, name="last"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(4, name="classes"),
        ]
    )
    norm = model.get_layer("norm")
    random = np.random.default_rng(0)
    norm.set_weights(
        [
            random.uniform(-1.5, 1.5, 8),
            random.normal(0, 0.2, 8),
            random.normal(0, 0.2, 8),
            random.uniform(0.5, 2, 8),
        ]
    )
    return model


def batches(count=4):
    random = np.random.default_rng(1)
    for _ in range(count):
        yield (
            random.normal(0, 1, (8, 12, 12, 3)).astype(np.float32),
            random.integers(0, 4, 8),
        )


def frozen(model):
    from lpot.bridges.tensorflow import graph_def_of

    return graph_def_of(model, None)


def run(graph, x, graph_def=None):
    """Runs a graph that has one Placeholder and one output (a node without readers)."""
    graph_def = graph_def or graph.as_graph_def()
    read = {
        name.split(":")[0].lstrip("^") for node in graph_def.node for name in node.input
    }
    (output,) = [
        node.name
        for node in graph_def.node
        if node.name not in read and node.op not in ("NoOp", "Const")
    ]
    (inputs,) = [node.name for node in graph_def.node if node.op == "Placeholder"]
    with tf.compat.v1.Session(graph=graph) as session:
        return session.run(f"{output}:0", {f"{inputs}:0": x})


def quantized(model, conf, name="conf.yaml"):
    quantizer = Quantization(conf(framework="tensorflow"))
    quantizer.model, quantizer.calib_dataloader = model, list(batches())
    return quantizer()


@pytest.mark.parametrize("kind", ["keras", "graph", "graph_def", "file", "saved_model"])
def test_accepts_all_kinds_of_models(kind, conf, in_own_folder):
    model = make_keras()
    x = next(batches())[0]
    expected = model(x).numpy()
    if kind == "saved_model":
        model.export("saved", verbose=False)
        model = "saved"
    elif kind != "keras":
        graph_def = frozen(model)
        model = graph_def
        if kind == "graph":
            model = tf.Graph()
            with model.as_default():
                tf.import_graph_def(graph_def, name="")
        if kind == "file":
            model = in_own_folder / "frozen.pb"
            model.write_bytes(graph_def.SerializeToString())
    q_model = quantized(model, conf)
    assert isinstance(q_model, tf.Graph)
    got = run(q_model, x)
    spread = expected.std()
    assert 0 < np.abs(got - expected).max() < 0.3 * spread


def test_graph_and_ir_have_the_same_outputs(conf):
    """Batch norm stays a node in the graph but is folded in the IR. The int8 weights are equal."""
    model = make_keras()
    q_model = quantized(model, conf)
    x = np.concatenate([inputs for inputs, _ in batches(16)])
    of_graph = run(q_model, x)
    (of_ir,) = lpot._core.Program(q_model.ir).infer([x])
    noise = np.abs(of_graph - model(x).numpy()).max()
    # A value at the border of two levels may round differently in the two runtimes. Here 800 values of a sample are
    # quantized before their mean, so this happens in most samples, but changes them by little. The other samples are
    # equal but for the last bits of floats.
    difference = np.abs(of_graph - of_ir).max(axis=1)
    assert np.mean(difference < 1e-3 * noise) > 0.1
    assert np.mean(difference) < 0.1 * noise
    kinds = [node.op for node in q_model.graph_def.node]
    assert kinds.count("FakeQuantWithMinMaxVars") >= 3
    names = {node.name for node in q_model.graph_def.node}
    original = {node.name for node in frozen(model).node if node.op != "Const"}
    assert original <= names


def test_load_reads_what_save_wrote(conf):
    q_model = quantized(make_keras(), conf)
    q_model.save("int8")
    q_model.save("int8.pb")
    again = lpot.load("int8")
    assert again.as_graph_def() == q_model.as_graph_def()
    assert again.framework() == "tensorflow" and again.state == q_model.state
    graph_def = tf.compat.v1.GraphDef()
    graph_def.ParseFromString(open("int8.pb", "rb").read())
    assert {node.name for node in graph_def.node} == {
        node.name for node in q_model.as_graph_def().node
    }


def test_source_graph_is_not_replaced(conf, in_own_folder):
    path = in_own_folder / "model.pb"
    source = frozen(make_keras()).SerializeToString()
    path.write_bytes(source)
    q_model = quantized("model.pb", conf)
    for target in (path, "."):
        with pytest.raises(lpot.ConfigError, match="model.pb: .*source model"):
            q_model.save(target)
    assert path.read_bytes() == source


def test_metric_from_yaml_and_best_model_of_the_workspace(conf):
    model = make_keras()
    rest = "evaluation: {accuracy: {metric: {topk: 1}}}"
    quantizer = Quantization(conf(framework="tensorflow", tolerance="0.9", rest=rest))
    quantizer.model, quantizer.calib_dataloader, quantizer.eval_dataloader = (
        model,
        list(batches()),
        list(batches()),
    )
    right = np.mean([(model(x).numpy().argmax(1) == y).mean() for x, y in batches()])
    q_model = quantizer()
    assert q_model.result["baseline"]["accuracy"] == pytest.approx(right)
    best = lpot.load("lpot_workspace/net-tensorflow/best")
    assert best.as_graph_def() == q_model.as_graph_def()


def test_writer_adds_no_unknown_attributes_to_nodes():
    """TensorFlow logs an error for each attribute that an op does not define."""
    weights = np.eye(4, dtype=np.float32)
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], "x")
        tf.matmul(x, tf.constant(weights, name="weights"), name="product")
    edit = {
        "op": "product",
        "transpose_b": False,
        "quantizes_activation": True,
        "low": -1.0,
        "high": 1.0,
        "divisors": np.array([], np.float32),
        "bias": np.ones(4, np.float32),
        "weights": {
            "values": (weights * 127).astype(np.int8),
            "scales": np.full((1, 1), 1 / 127, np.float32),
        },
    }
    edits = {"ops": [edit], "constants": [], "products": [], "inputs": [], "tables": []}  # fmt: skip
    written = GraphWriter(graph.as_graph_def()).write(edits, lambda op: weights)
    (product,) = [node for node in written.node if node.op == "MatMul"]
    (original,) = [node for node in graph.as_graph_def().node if node.op == "MatMul"]
    assert set(product.attr) == set(original.attr)
