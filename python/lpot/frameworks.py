"""Imports PyTorch, TensorFlow and ONNX only where they are needed."""

import importlib
import sys
from typing import Any

from .errors import MissingFramework

_EXTRAS = {"torch": "torch", "tensorflow": "tensorflow", "onnx": "onnx"}


def require(name: str) -> Any:
    """Imports a framework. Raises MissingFramework, which names the pip extra, if that fails."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        extra = _EXTRAS[name]
        raise MissingFramework(
            f"[{name}] cannot import {name}: {error}. Install it with: pip install 'lpot[{extra}]'"
        ) from error


def loaded(name: str) -> Any:
    """Returns the module if the program has imported it, else None. Objects of it exist only if it was imported."""
    return sys.modules.get(name)
