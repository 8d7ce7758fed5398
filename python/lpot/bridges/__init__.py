"""Bridges between frameworks and the C++ library.

A bridge writes the model of a framework to a file that the library reads, and converts quantized models back.
"""

import collections.abc
import os
import pathlib
import re
import typing
from typing import Any

from .. import _core
from ..errors import ModelError
from ..frameworks import loaded
from ..types import JsonObject


class Bridge(typing.Protocol):
    framework: str
    path: pathlib.Path  # of the file that the C++ library reads

    def to_model_inputs(self, inputs: Any) -> tuple[list[str], list[Any]]:
        """Returns names and arrays of the model inputs, from one item of a loader."""

    def record_dataset(self, inputs: Any) -> Any:
        """Returns the data set if the loader yields record file names for the graph's pipeline, else None."""

    def adapt_config(self, config: _core.Config) -> _core.Config:
        """Returns the configuration without recipes that cannot be written to the framework's format."""

    def fp32(self) -> Any:
        """Returns the original model, for eval_func."""

    def candidate(self, candidate: _core.Candidate) -> Any:
        """Returns the int8 model of a trial, for eval_func."""

    def on_saved(
        self, candidate: _core.Candidate, plan: _core.Plan | None, folder: Any
    ) -> None:
        """Writes the files that load() needs next to the saved IR."""

    def result(self, folder: Any, plan: _core.Plan | None, result: JsonObject) -> Any:
        """Returns the quantized model for the user."""


def bridge_for(
    model: Any, config: _core.Config, example: collections.abc.Callable[[], Any]
) -> Bridge:
    """Returns the bridge for a model. example() returns one model input; it is called only for tracing."""
    model = getattr(model, "_lpot_root", model)  # common.Model
    torch, tensorflow, onnx = loaded("torch"), loaded("tensorflow"), loaded("onnx")
    if torch and isinstance(model, torch.nn.Module):
        from .pytorch import TorchBridge

        return TorchBridge(model, example())
    if onnx and isinstance(model, onnx.ModelProto):
        from .onnx import OnnxBridge

        return OnnxBridge(model)
    if tensorflow and _is_tensorflow(tensorflow, model):
        from .tensorflow import TensorFlowBridge

        return TensorFlowBridge(model, config)
    if isinstance(model, (str, os.PathLike)):
        return _bridge_for_file(pathlib.Path(model), config)
    raise ModelError(
        f"[model] unsupported model type {type(model).__module__}.{type(model).__name__}; expected a "
        "torch.nn.Module, tf.Graph, GraphDef, tf.keras.Model, onnx.ModelProto or the path of a model file"
    )


def describe(model: Any) -> tuple[str, str]:
    """Returns a name for a model and its framework, for the configuration. Does not read the model."""
    model = getattr(model, "_lpot_root", model)  # common.Model
    torch, tensorflow, onnx = loaded("torch"), loaded("tensorflow"), loaded("onnx")
    name, framework = type(model).__name__, "auto"
    if isinstance(model, (str, os.PathLike)):
        path = pathlib.Path(model)
        name = path.stem
        is_tensorflow = path.suffix == ".pb" or path.is_dir()
        framework = "tensorflow" if is_tensorflow else framework
        framework = "onnx" if path.suffix == ".onnx" else framework
    elif torch and isinstance(model, torch.nn.Module):
        framework = "pytorch"
    elif onnx and isinstance(model, onnx.ModelProto):
        name, framework = model.graph.name, "onnx"
    elif tensorflow and _is_tensorflow(tensorflow, model):
        name, framework = getattr(model, "name", "graph"), "tensorflow"
    return re.sub(r"[^\w.-]+", "_", name) or "model", framework


def _is_tensorflow(tensorflow: Any, model: Any) -> bool:
    kinds = (tensorflow.Graph, tensorflow.compat.v1.GraphDef, tensorflow.keras.Model)
    return isinstance(model, kinds)


def _bridge_for_file(path: pathlib.Path, config: _core.Config) -> Bridge:
    if path.suffix == ".onnx":
        from .onnx import OnnxBridge

        return OnnxBridge(path)
    if path.suffix == ".pb" or path.is_dir():
        from .tensorflow import TensorFlowBridge

        return TensorFlowBridge(path, config)
    from .file import FileBridge

    return FileBridge(path)
