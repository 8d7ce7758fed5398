"""Bridges between frameworks and the C++ library.

A bridge writes the model of a framework to a file that the library reads, and converts quantized models back.

    framework                 name of the framework
    path                      file that the C++ library reads
    to_model_inputs(inputs)   names and arrays of the model inputs, from one item of a loader
    record_dataset(inputs)    the data set, if the loader yields record file names for the graph's pipeline; else None
    adapt_config(config)      the configuration without recipes that cannot be written to the framework's format
    fp32()                    the original model, for eval_func
    candidate(candidate)      the int8 model of a trial, for eval_func
    on_saved(candidate, plan, folder)  writes the files that load() needs next to the saved IR
    result(folder, plan, result)       the quantized model that is returned to the user
"""

import os
import pathlib

from ..errors import ModelError
from ..frameworks import loaded


def bridge_for(model, config, example):
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


def _is_tensorflow(tensorflow, model) -> bool:
    kinds = (tensorflow.Graph, tensorflow.compat.v1.GraphDef, tensorflow.keras.Model)
    return isinstance(model, kinds)


def _bridge_for_file(path: pathlib.Path, config):
    if path.suffix == ".onnx":
        from .onnx import OnnxBridge

        return OnnxBridge(path)
    if path.suffix == ".pb" or path.is_dir():
        from .tensorflow import TensorFlowBridge

        return TensorFlowBridge(path, config)
    from .file import FileBridge

    return FileBridge(path)
