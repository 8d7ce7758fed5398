"""The interface of LPOT 1.2 and later: properties are set, then the object is called."""

from . import common
from .benchmark import Benchmark
from .quantization import Quantization

__all__ = ["Benchmark", "Quantization", "common"]
