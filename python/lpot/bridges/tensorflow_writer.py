"""The TensorFlow writer: carries edits out in a GraphDef, with ops that stock TensorFlow runs.

An int8 op stays the node that it is. Its activation goes through FakeQuantWithMinMaxVars with the 256 levels of the edit,
its weights are an int8 constant behind Cast and Mul with the scales. A table of embeddings is looked up as int8 rows. All
other nodes and all names are kept; what nobody reads any more goes.

The library folds batch norm into weights, a factor g for every output channel; here it stays a node. The weights of the file
are then the library's over g, so g goes into the scales, and the integers are the same.
"""

import numpy as np

from ..errors import ModelError
from ..frameworks import need
from ..log import logger

tf = need("tensorflow")

_FLOAT = tf.float32.as_datatype_enum
_INT8 = tf.int8.as_datatype_enum


def _matmul_layout(edit, node, values):
    in_file = node.attr["transpose_b"].b or node.attr["adj_y"].b
    return (
        np.swapaxes(values, -1, -2) if bool(edit["transpose_b"]) != in_file else values
    )


def _convolution_layout(_edit, node, values):
    if (
        values.ndim == node_rank(node) + 1
    ):  # groups, outputs and inputs of a group, kernel
        if node.op.startswith("DepthwiseConv2d"):
            return np.moveaxis(np.squeeze(values, 2), (0, 1), (2, 3))
        joined = np.moveaxis(values, (0, 1, 2), (-2, -1, -3))
        return joined.reshape(*joined.shape[:-2], -1)
    return np.moveaxis(values, (0, 1), (-1, -2))


def node_rank(node) -> int:
    return 5 if node.op.startswith("Conv3D") else 4


# By the type of a node: the input with the activation, and how weights of the library's layout lie in the file.
_KERNELS = {
    "MatMul": (0, _matmul_layout),
    "BatchMatMul": (0, _matmul_layout),
    "BatchMatMulV2": (0, _matmul_layout),
    "BatchMatMulV3": (0, _matmul_layout),
    "Conv2D": (0, _convolution_layout),
    "Conv3D": (0, _convolution_layout),
    "DepthwiseConv2dNative": (0, _convolution_layout),
    "Conv2DBackpropInput": (
        2,
        lambda _edit, _node, values: np.moveaxis(values, (0, 1), (-1, -2)),
    ),
}


class GraphWriter:
    def __init__(self, graph_def):
        self._graph = tf.compat.v1.GraphDef()
        self._graph.CopyFrom(graph_def)
        self._nodes = {node.name: node for node in self._graph.node}
        self._quantizers: dict = {}  # by tensor, range and divisors
        self._replaced: set = set()  # constants that may have no reader left

    def write(self, edits: dict, source_weights):
        """The GraphDef after these edits. `source_weights(op)`: the library's weights of an op before quantization."""
        for edit in edits["constants"]:
            self._constant(edit)
        for edit in edits["ops"]:
            self._op(edit, source_weights)
        for edit in edits["products"]:
            node = self._node(edit["op"])
            for side, levels in enumerate(edit["levels"]):
                node.input[side] = self._quantizer(node.input[side], levels)
        for edit in edits["sums"]:
            node = self._node(edit["op"])
            node.input[edit["side"]] = self._quantizer(
                node.input[edit["side"]], edit["levels"]
            )
        for op in edits["reads"]:
            self._read_of_kernels(op)
        for edit in edits["tables"]:
            self._table(edit)
        self._drop_unread()
        return self._graph

    def _node(self, name: str):
        if name not in self._nodes:
            raise ModelError(
                f"[tensorflow] the op {name} has no node of that name in the graph"
            )
        return self._nodes[name]

    def _read_of_kernels(self, op: str) -> None:
        """The op reads its tensor through the quantizer that kernels have there."""
        node = self._nodes.get(op)
        if node is None:  # the conversion's own, or part of another node
            return
        made = [
            name for key, name in self._quantizers.items() if key[0] == node.input[0]
        ]
        if len(made) == 1:
            node.input[0] = made[0]

    def _op(self, edit: dict, source_weights) -> None:
        node = self._node(edit["op"])
        if node.op not in _KERNELS:
            raise ModelError(
                f"[tensorflow] {node.name}: int8 weights of a {node.op} are not written"
            )
        place, layout = _KERNELS[node.op]
        weights = self._constant_behind(node.input[1])
        if weights is None:
            raise ModelError(
                f"[tensorflow] {node.name}: its weights are no constant of the graph"
            )
        values = layout(edit, node, edit["weights"]["values"])
        scales = layout(
            edit,
            node,
            np.broadcast_to(edit["weights"]["scales"], edit["weights"]["values"].shape),
        )
        in_file = tf.make_ndarray(weights.attr["value"].tensor)
        if values.shape != in_file.shape:
            raise ModelError(
                f"[tensorflow] {node.name}: weights of shape {list(in_file.shape)} became {list(values.shape)}"
            )
        factor = _folded_factor(
            layout(edit, node, source_weights(edit["op"])), in_file, node
        )
        self._replaced.add(weights.name)
        node.input[1] = self._dequantized(node.name, values, _compact(scales / factor))
        if edit["quantizes_activation"]:
            levels = (edit["low"], edit["high"])
            node.input[place] = self._quantizer(
                node.input[place], levels, edit["divisors"], _channels_last(node)
            )
        elif edit["divisors"].size:
            node.input[place] = self._divided(
                node.input[place], edit["divisors"], _channels_last(node)
            )
        if edit["bias"].size:
            self._add_bias(
                node,
                edit["bias"]
                / (factor.reshape(-1, factor.shape[-1])[0] if factor.ndim else 1),
            )

    def _constant_behind(self, tensor: str):
        """The Const that a tensor is, looking through nodes that hand it on; None where it is none."""
        node = self._nodes.get(tensor.split(":")[0].lstrip("^"))
        while node is not None and node.op in ("Identity", "ReadVariableOp", "Enter"):
            node = self._nodes.get(node.input[0].split(":")[0])
        return node if node is not None and node.op == "Const" else None

    def _constant(self, edit: dict) -> None:
        node = self._nodes.get(edit["constant"])
        if node is None or node.op != "Const":
            raise ModelError(
                f"[tensorflow] the constant {edit['constant']} that a recipe rescales is not in the graph"
            )
        before = tf.make_ndarray(node.attr["value"].tensor)
        values = edit["values"]
        if values.size != before.size or (
            values.ndim > 1 and values.shape != before.shape
        ):
            raise ModelError(
                f"[tensorflow] the constant {node.name} lies otherwise in the graph than a recipe wants it"
            )
        node.attr["value"].tensor.CopyFrom(
            tf.make_tensor_proto(values.reshape(before.shape), before.dtype)
        )

    def _table(self, edit: dict) -> None:
        node = self._node(edit["op"])
        by_row = edit["has_row_scales"]
        if node.op not in ("GatherV2", "Gather", "ResourceGather"):
            if not by_row:
                return  # small, so its size does not count
            raise ModelError(
                f"[tensorflow] {node.name}: a table behind a {node.op} is not written"
            )
        table = self._constant_behind(node.input[0])
        if table is None:
            raise ModelError(
                f"[tensorflow] {node.name}: its table is no constant of the graph"
            )
        self._replaced.add(table.name)
        name, inputs = node.name, list(node.input)
        rows = self._add_constant(f"{name}/int8_rows", edit["rows"]["values"])
        scales = edit["rows"]["scales"].astype(np.float32)
        scale = self._add_constant(
            f"{name}/{'row' if by_row else 'column'}_scales",
            scales if by_row else scales.ravel(),
        )
        looked_up = self._copy_of(node, f"{name}/int8", [rows, *inputs[1:]])
        looked_up.attr["Tparams"].type = _INT8
        if by_row:
            scale = self._copy_of(node, f"{name}/scale", [scale, *inputs[1:]]).name
        self._become(node, "Mul", [self._cast(f"{name}/float", looked_up.name), scale])

    # The pieces.

    def _quantizer(
        self, tensor: str, levels, divisors=(), channels_last: bool = True
    ) -> str:
        low, high = (float(level) for level in levels)
        key = (tensor, low, high, tuple(divisors))
        if key not in self._quantizers:
            base = tensor.replace(":", "_") + "/quantized"
            divided = (
                self._divided(tensor, divisors, channels_last)
                if len(divisors)
                else tensor
            )
            limits = [
                self._add_constant(f"{base}/min", np.float32(low)),
                self._add_constant(f"{base}/max", np.float32(high)),
            ]
            node = self._add("FakeQuantWithMinMaxVars", base, [divided, *limits])
            node.attr["num_bits"].i = 8
            node.attr["narrow_range"].b = False
            self._quantizers[key] = node.name
        return self._quantizers[key]

    def _divided(self, tensor: str, divisors, channels_last: bool) -> str:
        base = tensor.replace(":", "_") + "/divided"
        factors = (1 / np.asarray(divisors)).astype(np.float32)
        if not channels_last:
            factors = factors.reshape(-1, 1, 1)
        node = self._add(
            "Mul", base, [tensor, self._add_constant(f"{base}/factors", factors)]
        )
        node.attr["T"].type = _FLOAT
        return node.name

    def _dequantized(self, name: str, values, scales) -> str:
        integers = self._add_constant(
            f"{name}/int8_weights", np.ascontiguousarray(values, np.int8)
        )
        factors = self._add_constant(
            f"{name}/scales", np.ascontiguousarray(scales, np.float32)
        )
        node = self._add(
            "Mul",
            f"{name}/weights",
            [self._cast(f"{name}/float_weights", integers), factors],
        )
        node.attr["T"].type = _FLOAT
        return node.name

    def _add_bias(self, node, bias) -> None:
        """The sum takes the node's name, so that whoever reads it reads the sum."""
        kernel = self._copy_of(node, f"{node.name}/kernel", list(node.input))
        if not _channels_last(node):
            bias = bias.reshape(-1, 1, 1)
        constant = self._add_constant(f"{node.name}/bias", np.asarray(bias, np.float32))
        self._become(node, "AddV2", [kernel.name, constant])

    def _cast(self, name: str, tensor: str) -> str:
        node = self._add("Cast", name, [tensor])
        node.attr["SrcT"].type = _INT8
        node.attr["DstT"].type = _FLOAT
        return node.name

    def _add_constant(self, name: str, values) -> str:
        node = self._add("Const", name, [])
        proto = tf.make_tensor_proto(np.asarray(values))
        node.attr["dtype"].type = proto.dtype
        node.attr["value"].tensor.CopyFrom(proto)
        return node.name

    def _add(self, op: str, name: str, inputs):
        name, number = name.lstrip("^"), 1
        while name in self._nodes:
            name, number = (
                f"{name.rsplit('~', 1)[0]}~{number}".replace("~", "_"),
                number + 1,
            )
        node = self._graph.node.add(op=op, name=name)
        node.input.extend(inputs)
        self._nodes[name] = node
        return node

    def _copy_of(self, node, name: str, inputs):
        copy = self._add(node.op, name, inputs)
        copy.device = node.device
        for key, value in node.attr.items():
            copy.attr[key].CopyFrom(value)
        return copy

    def _become(self, node, op: str, inputs) -> None:
        node.op = op
        del node.input[:]
        node.input.extend(inputs)
        node.attr.clear()
        node.attr["T"].type = _FLOAT

    def _drop_unread(self) -> None:
        read = {
            name.split(":")[0].lstrip("^")
            for node in self._graph.node
            for name in node.input
        }
        unread = self._replaced - read
        if unread:
            kept = [node for node in self._graph.node if node.name not in unread]
            rest = [
                tf.compat.v1.NodeDef.FromString(node.SerializeToString())
                for node in kept
            ]
            del self._graph.node[:]
            self._graph.node.extend(rest)


def _channels_last(node) -> bool:
    return node.attr["data_format"].s not in (b"NCHW", b"NCDHW")


def _compact(scales):
    """One number for each channel where all others of it are equal, so that the file stays small."""
    for axis in range(scales.ndim):
        one = np.take(scales, [0], axis)
        if np.array_equal(np.broadcast_to(one, scales.shape), scales):
            scales = one
    return scales


def _folded_factor(folded, in_file, node):
    """What the library has multiplied the weights with, as an array that broadcasts against them: 1 without batch norm."""
    if np.array_equal(folded, in_file):
        return np.float32(1)
    axes = tuple(range(in_file.ndim - 1))
    if node.op.startswith("DepthwiseConv2d"):
        axes = tuple(range(in_file.ndim - 2))
    if node.op == "Conv2DBackpropInput":
        axes = (0, 1, 3)
    wide, narrow = folded.astype(np.float64), in_file.astype(np.float64)
    power = np.sum(narrow * narrow, axes, keepdims=True)
    factor = np.divide(
        np.sum(wide * narrow, axes, keepdims=True),
        power,
        out=np.ones_like(power),
        where=power > 0,
    )
    factor[factor == 0] = 1
    if not np.allclose(
        narrow * factor,
        wide,
        rtol=1e-3,
        atol=1e-6 * max(1.0, float(np.abs(wide).max())),
    ):
        raise ModelError(
            f"[tensorflow] {node.name}: its weights were folded with more than a factor for each channel"
        )
    return factor


def write_edits(graph_def, candidate):
    """A quantized GraphDef from the original and a candidate of the library."""
    logger.debug("writing the plan into the TensorFlow graph")
    return GraphWriter(graph_def).write(candidate.edits(), candidate.source_weights)
