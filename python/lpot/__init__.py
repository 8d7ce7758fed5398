"""lpot finds the fastest int8 version of a model that meets an accuracy goal.

    from lpot.experimental import Quantization
    quantizer = Quantization("conf.yaml")
    quantizer.model = module            # a torch.nn.Module, tf.Graph, onnx.ModelProto, or a file
    quantizer.calib_dataloader = loader
    quantizer.eval_func = accuracy_of
    q_model = quantizer()

The C++ library does the quantization and tuning. This package connects it to PyTorch, TensorFlow and ONNX models,
data loaders and user functions.
"""

from ._core import __version__
from .errors import (
    CallerError,
    ConfigError,
    DataError,
    Error,
    Interrupted,
    MissingFramework,
    ModelError,
    StoreError,
)
from .quantization import Quantization
from .saved import load

__all__ = [
    "CallerError",
    "ConfigError",
    "DataError",
    "Error",
    "Interrupted",
    "MissingFramework",
    "ModelError",
    "Quantization",
    "StoreError",
    "__version__",
    "load",
]
