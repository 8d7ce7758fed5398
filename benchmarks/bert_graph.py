"""Writes a BERT for question answering, with random weights, as a frozen TensorFlow graph with its own record pipeline.

    python benchmarks/bert_graph.py bert_large.pb               24 layers, 1024 wide, 16 heads, 384 tokens: 1.3 GB
    python benchmarks/bert_graph.py small.pb --layers 2 --hidden 64 --heads 2 --length 32

The graph has the interface of examples/tensorflow/squad: inputs input_file and batch_size, outputs IteratorGetNext:3,
unstack:0 and unstack:1. The last matrix product is the node MatMul. The graph is written node by node, so that it needs
little memory. TensorFlow is not needed.
"""

import argparse
import pathlib

import numpy as np

FLOAT, INT32, STRING, INT64 = 1, 3, 7, 9


def varint(value: int) -> bytes:
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def block(field: int, *parts: bytes) -> list[bytes]:
    return [
        varint(field << 3 | 2) + varint(sum(len(part) for part in parts)),
        *parts,
    ]


def joined(field: int, payload: bytes) -> bytes:
    return b"".join(block(field, payload))


def shape(dimensions: list[int]) -> bytes:
    return b"".join(joined(2, number(1, size)) for size in dimensions)


class Graph:
    """Writes the nodes of a GraphDef to a file one by one."""

    def __init__(self, path: pathlib.Path, seed: int):
        self.file = path.open("wb")
        self.random = np.random.default_rng(seed)

    def node(self, op: str, name: str, inputs: list[str], **attributes: bytes) -> str:
        self.file.write(b"".join(self.head(op, name, inputs, attributes)))
        return name

    @staticmethod
    def head(op, name, inputs, attributes, last=()) -> list[bytes]:
        parts = [joined(1, name.encode()), joined(2, op.encode())]
        parts += [joined(3, each.encode()) for each in inputs]
        parts += [
            joined(5, joined(1, key.encode()) + joined(2, value))
            for key, value in attributes.items()
        ]
        return block(1, *parts, *last)

    def constant(self, name: str, values: np.ndarray) -> str:
        kind = FLOAT if values.dtype == np.float32 else INT32
        tensor = block(
            8,
            number(1, kind),
            joined(2, shape(list(values.shape))),
            *block(4, values.tobytes()),
        )
        value = block(5, joined(1, b"value"), *block(2, *tensor))
        parts = self.head("Const", name, [], {"dtype": number(6, kind)}, value)
        for part in parts:
            self.file.write(part)
        return name

    def integers(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, np.int32))

    def integer(self, name: str, value: int) -> str:
        return self.constant(name, np.array(value, np.int32))

    def real(self, name: str, value: float) -> str:
        return self.constant(name, np.array(value, np.float32))

    def weights(self, name: str, *size: int, mean: float = 0.0) -> str:
        values = self.random.standard_normal(size, np.float32)
        return self.constant(name, np.float32(mean) + np.float32(0.03) * values)

    def of_floats(self, op: str, name: str, inputs: list[str], **attributes) -> str:
        return self.node(op, name, inputs, T=number(6, FLOAT), **attributes)

    def dense(self, scope: str, x: str, size: tuple[int, int], suffix: str = "") -> str:
        w = self.weights(f"{scope}/kernel{suffix}", *size)
        bias = self.weights(f"{scope}/bias{suffix}", size[1])
        product = self.of_floats("MatMul", f"{scope}/MatMul{suffix}", [x, w])
        return self.of_floats("BiasAdd", f"{scope}/BiasAdd{suffix}", [product, bias])

    def layer_norm(self, scope: str, x: str, width: int) -> str:
        def mean(name: str, of: str) -> str:
            axis = self.integers(f"{scope}/{name}/axis", -1)
            return self.of_floats(
                "Mean",
                f"{scope}/{name}",
                [of, axis],
                Tidx=number(6, INT32),
                keep_dims=number(5, 1),
            )

        def of(op: str, name: str, *inputs: str) -> str:
            return self.of_floats(op, f"{scope}/{name}", list(inputs))

        average = mean("moments/mean", x)
        spread = mean(
            "moments/variance",
            of("SquaredDifference", "moments/SquaredDifference", x, average),
        )
        small = self.real(f"{scope}/batchnorm/add/y", 1e-12)
        root = of(
            "Rsqrt", "batchnorm/Rsqrt", of("AddV2", "batchnorm/add", spread, small)
        )
        gamma = self.weights(f"{scope}/gamma", width, mean=1.0)
        beta = self.weights(f"{scope}/beta", width)
        scale = of("Mul", "batchnorm/mul", root, gamma)
        shift = of(
            "Sub", "batchnorm/sub", beta, of("Mul", "batchnorm/mul_2", average, scale)
        )
        return of(
            "AddV2", "batchnorm/add_1", of("Mul", "batchnorm/mul_1", x, scale), shift
        )

    def reshape(self, name: str, x: str, to: str, kind: int = FLOAT) -> str:
        return self.node(
            "Reshape", name, [x, to], T=number(6, kind), Tshape=number(6, INT32)
        )

    def transpose(self, name: str, x: str, *order: int) -> str:
        order = self.integers(f"{name}/perm", *order)
        return self.of_floats("Transpose", name, [x, order], Tperm=number(6, INT32))


def pipeline(graph: Graph, length: int) -> None:
    """Writes the placeholders and the iterator. The pipeline between them is incomplete, because it is never run."""
    kinds = joined(1, number(6, INT32) * 4)
    rows = joined(7, shape([-1, length]))
    shapes = joined(1, rows * 3 + joined(7, shape([-1])))
    fields = {"output_types": kinds, "output_shapes": shapes}
    graph.node(
        "Placeholder", "input_file", [], dtype=number(6, STRING), shape=joined(7, b"")
    )
    graph.node(
        "Placeholder", "batch_size", [], dtype=number(6, INT64), shape=joined(7, b"")
    )
    graph.node("TFRecordDatasetV2", "records", ["input_file"], **fields)
    graph.node("BatchDatasetV2", "batches", ["records", "batch_size"], **fields)
    graph.node("IteratorV2", "IteratorV2", [], **fields)
    graph.node("MakeIterator", "MakeIterator", ["batches", "IteratorV2"])
    graph.node("IteratorGetNext", "IteratorGetNext", ["IteratorV2"], **fields)


def embeddings(graph: Graph, width: int, length: int, words: int) -> str:
    def look_up(name: str, table: str, ids: str) -> str:
        return graph.node(
            "GatherV2",
            name,
            [table, ids, graph.integer(f"{name}/axis", 0)],
            Tparams=number(6, FLOAT),
            Tindices=number(6, INT32),
            Taxis=number(6, INT32),
        )

    scope = "bert/embeddings"
    word = look_up(
        f"{scope}/word",
        graph.weights(f"{scope}/words", words, width),
        "IteratorGetNext",
    )
    segment = look_up(
        f"{scope}/segment",
        graph.weights(f"{scope}/segments", 2, width),
        "IteratorGetNext:2",
    )
    position = graph.weights(f"{scope}/positions", 1, length, width)
    both = graph.of_floats("AddV2", f"{scope}/add", [word, segment])
    everything = graph.of_floats("AddV2", f"{scope}/add_1", [both, position])
    normal = graph.layer_norm(scope, everything, width)
    return graph.reshape(
        "bert/Reshape", normal, graph.integers("bert/Reshape/shape", -1, width)
    )


def attention_mask(graph: Graph, length: int) -> str:
    rows = graph.integers("bert/mask/shape", -1, 1, 1, length)
    spread = graph.reshape("bert/mask", "IteratorGetNext:1", rows, INT32)
    kept = graph.node(
        "Cast", "bert/Cast", [spread], SrcT=number(6, INT32), DstT=number(6, FLOAT)
    )
    masked = graph.of_floats("Sub", "bert/sub", [graph.real("bert/sub/x", 1.0), kept])
    return graph.of_floats(
        "Mul", "bert/mul", [masked, graph.real("bert/mul/y", -10000.0)]
    )


def layer(
    graph: Graph, scope: str, x: str, mask: str, sizes: argparse.Namespace
) -> str:
    width, heads = sizes.hidden, sizes.heads
    inner = f"{scope}/attention/self"
    split = graph.integers(f"{inner}/split", -1, sizes.length, heads, width // heads)
    parts = []
    for part in ("query", "key", "value"):
        dense = graph.dense(f"{inner}/{part}", x, (width, width))
        rows = graph.reshape(f"{inner}/{part}/Reshape", dense, split)
        parts.append(graph.transpose(f"{inner}/{part}/transpose", rows, 0, 2, 1, 3))
    scores = graph.of_floats(
        "BatchMatMulV2", f"{inner}/scores", parts[:2], adj_y=number(5, 1)
    )
    scale = graph.real(f"{inner}/Mul/y", (width // heads) ** -0.5)
    scaled = graph.of_floats("Mul", f"{inner}/Mul", [scores, scale])
    hidden = graph.of_floats("AddV2", f"{inner}/add", [scaled, mask])
    shares = graph.of_floats("Softmax", f"{inner}/Softmax", [hidden])
    mixed = graph.of_floats("BatchMatMulV2", f"{inner}/context", [shares, parts[2]])
    back = graph.transpose(f"{inner}/transpose", mixed, 0, 2, 1, 3)
    flat = graph.reshape(
        f"{inner}/Reshape", back, graph.integers(f"{inner}/flat", -1, width)
    )

    def close(scope: str, before: str, after: str) -> str:
        total = graph.of_floats("AddV2", f"{scope}/add", [before, after])
        return graph.layer_norm(scope, total, width)

    output = f"{scope}/attention/output"
    x = close(output, x, graph.dense(output, flat, (width, width)))
    wide = graph.dense(f"{scope}/intermediate", x, (width, 4 * width))
    half = graph.of_floats(
        "Mul",
        f"{scope}/intermediate/mul",
        [wide, graph.real(f"{scope}/intermediate/half", 0.5)],
    )
    root = graph.of_floats(
        "Mul",
        f"{scope}/intermediate/mul_1",
        [wide, graph.real(f"{scope}/intermediate/root", 0.5**0.5)],
    )
    erf = graph.of_floats("Erf", f"{scope}/intermediate/Erf", [root])
    one = graph.real(f"{scope}/intermediate/one", 1.0)
    gate = graph.of_floats("AddV2", f"{scope}/intermediate/add", [erf, one])
    gelu = graph.of_floats("Mul", f"{scope}/intermediate/mul_2", [half, gate])
    return close(
        f"{scope}/output", x, graph.dense(f"{scope}/output", gelu, (4 * width, width))
    )


def write(path: pathlib.Path, sizes: argparse.Namespace) -> None:
    graph = Graph(path, sizes.seed)
    pipeline(graph, sizes.length)
    x = embeddings(graph, sizes.hidden, sizes.length, sizes.words)
    mask = attention_mask(graph, sizes.length)
    for i in range(sizes.layers):
        x = layer(graph, f"bert/encoder/layer_{i}", x, mask, sizes)
    w = graph.weights("output_weights", 2, sizes.hidden)
    logits = graph.of_floats("MatMul", "MatMul", [x, w], transpose_b=number(5, 1))
    bias = graph.weights("output_bias", 2)
    logits = graph.of_floats("BiasAdd", "BiasAdd", [logits, bias])
    rows = graph.reshape(
        "Reshape", logits, graph.integers("Reshape/shape", -1, sizes.length, 2)
    )
    parts = graph.transpose("transpose", rows, 2, 0, 1)
    graph.of_floats("Unpack", "unstack", [parts], num=number(3, 2), axis=number(3, 0))
    graph.file.write(joined(4, number(1, 1087)))
    graph.file.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--length", type=int, default=384)
    parser.add_argument("--words", type=int, default=30522)
    parser.add_argument("--seed", type=int, default=1)
    sizes = parser.parse_args()
    write(sizes.output, sizes)
    print(f"{sizes.output}: {sizes.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
