"""Applies the edits of a quantization plan to a GraphDef, with ops that stock TensorFlow runs.

- The node of an int8 op stays. Its activation passes through FakeQuantWithMinMaxVars with the range of the edit. Its
  weights become an int8 constant, followed by Cast and Mul with the scales.
- An embedding table becomes an int8 constant. The gathered rows are dequantized.
- All other nodes and all names stay. Constants without readers are removed.

The C++ library folds batch norm into the weights, with a factor g per output channel. In the graph, batch norm stays a
node, and the weights are those of the library divided by g. The writer divides the scales by g, so the integers are
equal.
"""

from typing import Any

import numpy as np

from .. import _core
from ..errors import ModelError
from ..frameworks import require
from ..log import logger

tf: Any = require("tensorflow")

_FLOAT = tf.float32.as_datatype_enum
_INT8 = tf.int8.as_datatype_enum


def _is_set(node: Any, name: str) -> bool:
    # Reading node.attr[name] would add an attribute that the node does not have.
    return name in node.attr and node.attr[name].b


def _matmul_layout(edit: Any, node: Any, values: Any) -> Any:
    in_file = _is_set(node, "transpose_b") or _is_set(node, "adj_y")
    return (
        np.swapaxes(values, -1, -2) if bool(edit["transpose_b"]) != in_file else values
    )


def _convolution_layout(_edit: Any, node: Any, values: Any) -> Any:
    # With groups, the axes are: group, output channel, input channel, kernel.
    if values.ndim == node_rank(node) + 1:
        if node.op.startswith("DepthwiseConv2d"):
            return np.moveaxis(np.squeeze(values, 2), (0, 1), (2, 3))
        joined = np.moveaxis(values, (0, 1, 2), (-2, -1, -3))
        return joined.reshape(*joined.shape[:-2], -1)
    return np.moveaxis(values, (0, 1), (-1, -2))


def node_rank(node: Any) -> int:
    return 5 if node.op.startswith("Conv3D") else 4


# By node type: the index of the activation input, and the function that converts weights to the layout of the graph.
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
    """Writes one quantized copy of a GraphDef."""

    def __init__(self, graph_def: Any) -> None:
        self._graph = tf.compat.v1.GraphDef()
        self._graph.CopyFrom(graph_def)
        self._nodes = {node.name: node for node in self._graph.node}
        self._quantizers: dict[
            tuple[Any, ...], str
        ] = {}  # by tensor, range and divisors
        self._replaced: set[str] = set()  # constants that may have no readers any more

    def write(self, edits: dict[str, Any], source_weights: Any) -> Any:
        """Returns the edited GraphDef. source_weights(op) returns the fp32 weights with batch norm folded in."""
        for edit in edits["constants"]:
            self._constant(edit)
        for edit in edits["ops"]:
            self._op(edit, source_weights)
        for edit in edits["products"]:
            node = self._node(edit["op"])
            for side, levels in enumerate(edit["levels"]):
                node.input[side] = self._quantizer(node.input[side], levels)
        for edit in edits["inputs"]:
            self._input(edit)
        for edit in edits["tables"]:
            self._embedding(edit)
        self._remove_unused_constants()
        return self._graph

    def _node(self, name: str) -> Any:
        if name not in self._nodes:
            raise ModelError(
                f"[tensorflow] {name}: the graph has no node of this name, so the op cannot be quantized in it"
            )
        return self._nodes[name]

    def _input(self, edit: dict[str, Any]) -> None:
        """Inserts a quantizer before an input of an op without weights, or uses the equal one of int8 ops."""
        node = self._nodes.get(edit["op"])
        if node is None:  # created by OpenVINO's converter, or part of another node
            return
        # The only data input of a Split follows its axis.
        position = 1 if node.op == "Split" else edit["input"]
        node.input[position] = self._quantizer(node.input[position], edit["levels"])

    def _op(self, edit: dict[str, Any], source_weights: Any) -> None:
        node = self._node(edit["op"])
        if node.op not in _KERNELS:
            raise ModelError(
                f"[tensorflow] {node.name}: int8 weights are not supported for {node.op}"
            )
        place, layout = _KERNELS[node.op]
        weights = self._find_constant(node.input[1])
        if weights is None:
            raise ModelError(
                f"[tensorflow] {node.name}: the weights are not a constant; freeze the graph first"
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
                f"[tensorflow] {node.name}: the int8 weights have shape {list(values.shape)}; "
                f"expected {list(in_file.shape)} as in the graph"
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

    def _find_constant(self, tensor: str) -> Any:
        """Returns the Const node of a tensor, also behind Identity-like nodes, or None if it is not constant."""
        node = self._nodes.get(tensor.split(":")[0].lstrip("^"))
        while node is not None and node.op in ("Identity", "ReadVariableOp", "Enter"):
            node = self._nodes.get(node.input[0].split(":")[0])
        return node if node is not None and node.op == "Const" else None

    def _constant(self, edit: dict[str, Any]) -> None:
        node = self._nodes.get(edit["constant"])
        if node is None or node.op != "Const":
            raise ModelError(
                f"[tensorflow] {edit['constant']}: a recipe rescales this constant, which is not in the graph"
            )
        before = tf.make_ndarray(node.attr["value"].tensor)
        values = edit["values"]
        if values.size != before.size or (
            values.ndim > 1 and values.shape != before.shape
        ):
            raise ModelError(
                f"[tensorflow] {node.name}: the constant has shape {list(before.shape)}; "
                f"the recipe expects {list(values.shape)}"
            )
        node.attr["value"].tensor.CopyFrom(
            tf.make_tensor_proto(values.reshape(before.shape), before.dtype)
        )

    def _embedding(self, edit: dict[str, Any]) -> None:
        node = self._node(edit["op"])
        by_row = edit["has_row_scales"]
        if node.op not in ("GatherV2", "Gather", "ResourceGather"):
            if not by_row:
                return  # tables without row scales are small, so they can stay in fp32
            raise ModelError(
                f"[tensorflow] {node.name}: int8 embedding tables are not supported for {node.op}"
            )
        table = self._find_constant(node.input[0])
        if table is None:
            raise ModelError(
                f"[tensorflow] {node.name}: the embedding table is not a constant; freeze the graph first"
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
        self._replace_node(
            node, "Mul", [self._cast(f"{name}/float", looked_up.name), scale]
        )

    def _quantizer(
        self,
        tensor: str,
        levels: Any,
        divisors: Any = (),
        channels_last: bool = True,
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
            self._quantizers[key] = str(node.name)
        return self._quantizers[key]

    def _divided(self, tensor: str, divisors: Any, channels_last: bool) -> str:
        base = tensor.replace(":", "_") + "/divided"
        factors = (1 / np.asarray(divisors)).astype(np.float32)
        if not channels_last:
            factors = factors.reshape(-1, 1, 1)
        node = self._add(
            "Mul", base, [tensor, self._add_constant(f"{base}/factors", factors)]
        )
        node.attr["T"].type = _FLOAT
        return str(node.name)

    def _dequantized(self, name: str, values: Any, scales: Any) -> str:
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
        return str(node.name)

    def _add_bias(self, node: Any, bias: Any) -> None:
        """Adds a bias. The sum gets the name of the node, so that all readers of the node read the sum."""
        kernel = self._copy_of(node, f"{node.name}/kernel", list(node.input))
        if not _channels_last(node):
            bias = bias.reshape(-1, 1, 1)
        constant = self._add_constant(f"{node.name}/bias", np.asarray(bias, np.float32))
        self._replace_node(node, "AddV2", [kernel.name, constant])

    def _cast(self, name: str, tensor: str) -> str:
        node = self._add("Cast", name, [tensor])
        node.attr["SrcT"].type = _INT8
        node.attr["DstT"].type = _FLOAT
        return str(node.name)

    def _add_constant(self, name: str, values: Any) -> str:
        node = self._add("Const", name, [])
        proto = tf.make_tensor_proto(np.asarray(values))
        node.attr["dtype"].type = proto.dtype
        node.attr["value"].tensor.CopyFrom(proto)
        return str(node.name)

    def _add(self, op: str, name: str, inputs: Any) -> Any:
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

    def _copy_of(self, node: Any, name: str, inputs: Any) -> Any:
        copy = self._add(node.op, name, inputs)
        copy.device = node.device
        for key, value in node.attr.items():
            copy.attr[key].CopyFrom(value)
        return copy

    def _replace_node(self, node: Any, op: str, inputs: Any) -> None:
        node.op = op
        del node.input[:]
        node.input.extend(inputs)
        node.attr.clear()
        node.attr["T"].type = _FLOAT

    def _remove_unused_constants(self) -> None:
        read = {
            name.split(":")[0].lstrip("^")
            for node in self._graph.node
            for name in node.input
        }
        unread = self._replaced - read
        if unread:
            used = [node for node in self._graph.node if node.name not in unread]
            rest = [
                tf.compat.v1.NodeDef.FromString(node.SerializeToString())
                for node in used
            ]
            del self._graph.node[:]
            self._graph.node.extend(rest)


def _channels_last(node: Any) -> bool:
    if "data_format" not in node.attr:
        return True
    return node.attr["data_format"].s not in (b"NCHW", b"NCDHW")


def _compact(scales: Any) -> Any:
    """Keeps one scale along each axis on which all scales are equal, so that the file stays small."""
    for axis in range(scales.ndim):
        one = np.take(scales, [0], axis)
        if np.array_equal(np.broadcast_to(one, scales.shape), scales):
            scales = one
    return scales


def _folded_factor(folded: Any, in_file: Any, node: Any) -> Any:
    """Returns the batch norm factor in the folded weights, broadcastable to them; 1 without batch norm."""
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
            f"[tensorflow] {node.name}: the weights differ from those of the graph by more than one factor per channel"
        )
    return factor


def write_edits(graph_def: Any, candidate: _core.Candidate) -> Any:
    """Returns the quantized GraphDef of a candidate."""
    logger.debug("writing the quantization plan to the TensorFlow graph")
    return GraphWriter(graph_def).write(candidate.edits(), candidate.source_weights)
