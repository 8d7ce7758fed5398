"""lpot finds the fastest int8 version of a model that meets an accuracy goal.

    result = lpot.tune(module, loader, metric="accuracy", max_loss=0.01)
    print(result)                  # accuracy, latency and size of fp32 and int8
    result.model(inputs)           # called like the module
    result.save("int8")            # lpot.load("int8") reads it

lpot.quantize(module, loader) quantizes once, without evaluation. The interface of LPOT 1.x is in lpot.experimental and
lpot.quantization.

The C++ library does the quantization and tuning. This package connects it to PyTorch, TensorFlow and ONNX models,
data loaders and user functions.
"""

from . import load_core  # before all other modules, which import lpot._core
from ._core import __version__
from .api import quantize, tune
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
from .result import TuneResult
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
    "TuneResult",
    "__version__",
    "load",
    "quantize",
    "tune",
]
