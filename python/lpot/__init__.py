"""lpot gives back the fastest int8 model that keeps its accuracy.

    from lpot.experimental import Quantization
    quantizer = Quantization("conf.yaml")
    quantizer.model = module            # a torch.nn.Module, tf.Graph, onnx.ModelProto, or a file
    quantizer.calib_dataloader = loader
    quantizer.eval_func = accuracy_of
    q_model = quantizer()

The work is done by the C++ library; this package brings the frameworks' models, data and functions to it.
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
