"""Converts a BERT classifier from ONNX, such as MiniLM on MRPC, to a Hugging Face model.

python from_onnx.py minilm_mrpc.onnx vocab.txt models/mrpc
"""

import pathlib
import shutil
import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from transformers import BertConfig, BertForSequenceClassification


def read(path) -> BertForSequenceClassification:
    """Reads the weights of an ONNX file into a new Hugging Face model."""
    graph = onnx.load(path).graph
    values = {
        tensor.name: numpy_helper.to_array(tensor).astype(np.float32)
        for tensor in graph.initializer
    }
    # Weights of MatMul nodes are transposed and have generated names. The name of the bias that is added to the product
    # identifies them.
    producers = {node.output[0]: node for node in graph.node}
    for node in graph.node:
        biases = [name for name in node.input if name.endswith(".bias")]
        products = [
            producers[name]
            for name in node.input
            if name in producers and producers[name].op_type == "MatMul"
        ]
        if node.op_type == "Add" and biases and products:
            values[biases[0][: -len("bias")] + "weight"] = values[
                products[0].input[1]
            ].T.copy()
    words, size = values["bert.embeddings.word_embeddings.weight"].shape
    layers = len([name for name in values if name.endswith(".intermediate.dense.bias")])
    config = BertConfig(
        vocab_size=words,
        hidden_size=size,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=values["bert.encoder.layer.0.intermediate.dense.bias"].size,
    )
    module = BertForSequenceClassification(config).eval()
    state = {
        name: torch.from_numpy(values[name])
        for name in module.state_dict()
        if name in values
    }
    missing = [
        name
        for name in module.load_state_dict(state, strict=False).missing_keys
        if "position_ids" not in name
    ]
    if missing:
        raise SystemExit(f"{path}: weights not found: {', '.join(missing[:3])}")
    return module


if __name__ == "__main__":
    source, vocab, target = sys.argv[1:]
    read(source).save_pretrained(target)
    shutil.copy(vocab, pathlib.Path(target) / "vocab.txt")
    print(f"saved in {target}")
