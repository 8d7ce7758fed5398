"""Frameworks are imported only where they are needed."""

import importlib
import sys

from .errors import MissingFramework

_EXTRAS = {"torch": "torch", "tensorflow": "tensorflow", "onnx": "onnx"}


def need(name: str):
    """The module of that name; says which extra brings it when it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        extra = _EXTRAS[name]
        raise MissingFramework(
            f"[{name}] {name} is needed here and cannot be imported ({error}); install it with: pip install 'lpot[{extra}]'"
        ) from error


def loaded(name: str):
    """The module if the program has imported it: an object of it cannot exist otherwise. Else None."""
    return sys.modules.get(name)
