"""Freezes a checkpoint of Google's BERT for SQuAD to a graph with a record pipeline, for tune_squad.py.

    python freeze.py --checkpoint model/model.ckpt-3649 --bert_config model/bert_config.json --output model/bert.pb

The graph has the placeholders input_file and batch_size, the operation MakeIterator, and the tensors IteratorGetNext:3
(unique ids), unstack:0 and unstack:1 (start and end logits). Without --checkpoint, the script searches the folder of
--bert_config for a checkpoint.
"""

import argparse
import json
import pathlib

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1


class Weights:
    """Reads the variables of a checkpoint, below a name scope, as constants."""

    def __init__(self, reader, scope: str = ""):
        self._reader, self._scope = reader, scope

    def below(self, name: str) -> "Weights":
        return Weights(self._reader, f"{self._scope}{name}/")

    def __getitem__(self, name: str):
        return tf.constant(self._reader.get_tensor(self._scope + name), name=name)


def dense(x, weights: Weights, name: str):
    with tf.name_scope(name):
        weights = weights.below(name)
        return tf.nn.bias_add(tf.matmul(x, weights["kernel"]), weights["bias"])


def layer_norm(x, weights: Weights):
    with tf.name_scope("LayerNorm"):
        weights = weights.below("LayerNorm")
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(
            x, mean, variance, weights["beta"], weights["gamma"], 1e-12
        )


def attention(x, mask, weights: Weights, config: dict, length: int):
    heads = config["num_attention_heads"]
    size = config["hidden_size"] // heads

    def by_heads(name: str):
        rows = tf.reshape(dense(x, weights, name), [-1, length, heads, size])
        return tf.transpose(rows, [0, 2, 1, 3])

    with tf.name_scope("self"):
        scores = tf.matmul(by_heads("query"), by_heads("key"), transpose_b=True)
        shares = tf.nn.softmax(scores / np.float32(np.sqrt(size)) + mask)
        mixed = tf.transpose(tf.matmul(shares, by_heads("value")), [0, 2, 1, 3])
        return tf.reshape(mixed, [-1, heads * size])


def layer(x, mask, weights: Weights, config: dict, length: int):
    with tf.name_scope("attention"):
        part = weights.below("attention")
        mixed = attention(x, mask, part.below("self"), config, length)
        part = part.below("output")
        x = layer_norm(dense(mixed, part, "dense") + x, part)
    inner = dense(x, weights.below("intermediate"), "dense")
    cubed = np.float32(np.sqrt(2 / np.pi)) * (inner + 0.044715 * inner * inner * inner)
    inner = (
        0.5 * inner * (1 + tf.tanh(cubed))
    )  # the tanh approximation of GELU, as in BERT
    part = weights.below("output")
    return layer_norm(dense(inner, part, "dense") + x, part)


def embeddings(ids, segments, weights: Weights, config: dict, length: int):
    size = config["hidden_size"]
    words = tf.gather(weights["word_embeddings"], ids)
    kinds = tf.gather(weights["token_type_embeddings"], segments)
    positions = weights["position_embeddings"][:length]
    summed = tf.reshape(words + kinds + positions, [-1, size])
    return layer_norm(summed, weights)


def features_of(length: int):
    """Returns input_ids, input_mask, segment_ids and unique_ids of the next batch of records."""
    input_file = tf1.placeholder(tf.string, [], "input_file")
    batch_size = tf1.placeholder(tf.int64, [], "batch_size")
    spec = {
        name: tf.io.FixedLenFeature([length], tf.int64)
        for name in ("input_ids", "input_mask", "segment_ids")
    }
    spec["unique_ids"] = tf.io.FixedLenFeature([], tf.int64)
    records = tf.data.TFRecordDataset(input_file).batch(batch_size)
    parsed = records.map(lambda batch: tf.io.parse_example(batch, spec))
    return tf1.data.make_initializable_iterator(parsed).get_next()


def frozen(reader, config: dict, length: int):
    """Returns the GraphDef for windows of `length` tokens. `reader` reads the variables of the checkpoint."""
    if config.get("hidden_act", "gelu") != "gelu":
        raise SystemExit(f"hidden_act: got {config['hidden_act']}; expected gelu")
    graph = tf.Graph()
    with graph.as_default():
        features = features_of(length)
        weights = Weights(reader)
        mask = tf.cast(features["input_mask"], tf.float32)[:, None, None, :]
        mask = (1.0 - mask) * -10000.0
        with tf.name_scope("bert"):
            bert = weights.below("bert")
            with tf.name_scope("embeddings"):
                x = embeddings(
                    features["input_ids"],
                    features["segment_ids"],
                    bert.below("embeddings"),
                    config,
                    length,
                )
            for number in range(config["num_hidden_layers"]):
                with tf.name_scope(f"layer_{number}"):
                    part = bert.below("encoder").below(f"layer_{number}")
                    x = layer(x, mask, part, config, length)
        head = weights.below("cls").below("squad")
        logits = tf.matmul(x, head["output_weights"], transpose_b=True, name="MatMul")
        logits = tf.nn.bias_add(logits, head["output_bias"])
        logits = tf.transpose(tf.reshape(logits, [-1, length, 2]), [2, 0, 1])
        tf.unstack(logits, name="unstack")
    return graph.as_graph_def()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bert_config", required=True, help="bert_config.json")
    parser.add_argument("--checkpoint", help="checkpoint path without .index and .data")
    parser.add_argument("--max_seq_length", type=int, default=384)
    parser.add_argument("--output", default="bert.pb")
    args = parser.parse_args()
    folder = pathlib.Path(args.bert_config).parent
    found = args.checkpoint or next(
        (str(file.with_suffix("")) for file in sorted(folder.rglob("*.index"))), None
    )
    if found is None:
        raise SystemExit(f"{folder}: no checkpoint (*.index) found. Set --checkpoint.")
    config = json.loads(pathlib.Path(args.bert_config).read_text())
    graph_def = frozen(tf.train.load_checkpoint(found), config, args.max_seq_length)
    pathlib.Path(args.output).write_bytes(graph_def.SerializeToString())
    print(f"model: {args.output} ({graph_def.ByteSize() / 1e6:.0f} MB) from {found}")


if __name__ == "__main__":
    main()
