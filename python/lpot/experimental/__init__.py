"""The interface of LPOT 1.2 and later: set attributes, then call the object."""

from . import common
from .benchmark import Benchmark
from .quantization import Quantization

__all__ = ["Benchmark", "Quantization", "common"]
