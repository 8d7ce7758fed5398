"""The ways between frameworks and the library. A bridge brings one model of a framework to a file that the library reads,
and quantized models back.

    framework                  name of the framework
    path                       the file
    arrange(inputs)            names and arrays of the model's inputs, from what a loader yields as one input
    records(inputs)            a data set, where a loader yields files that the model reads itself; else None
    adjusted(config)           the configuration without what the framework's form of the model cannot hold
    fp32()                     the user's own model, as eval_func gets it
    candidate(candidate)       an int8 model of a study, as eval_func gets it
    on_saved(candidate, plan, folder)  writes beside the saved IR what load() needs to make the framework's model of it
    result(folder, plan, result)  the quantized model that the user gets
"""

import os
import pathlib

from ..errors import ModelError
from ..frameworks import loaded


def bridge_for(model, config, example):
    """The bridge for what the user gave as the model. `example()`: one input of the model, where tracing needs one."""
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
        f"[model] a {type(model).__module__}.{type(model).__name__} is no model that is known here; expected a "
        "torch.nn.Module, a tf.Graph, GraphDef or tf.keras.Model, an onnx.ModelProto, or the path of a file"
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
