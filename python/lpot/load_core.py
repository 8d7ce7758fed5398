"""Loads the extension `_core` so that it uses the libraries that it was linked with.

TensorFlow loads its protobuf with global symbols. An extension that is loaded later would call the functions of that
protobuf, and crash when it reads an ONNX model. With RTLD_DEEPBIND, the loader searches the libraries of the extension
first.
"""

import importlib
import os
import sys


def load_core() -> None:
    flags = sys.getdlopenflags()
    sys.setdlopenflags(flags | getattr(os, "RTLD_DEEPBIND", 0))
    try:
        importlib.import_module("lpot._core")
    finally:
        sys.setdlopenflags(flags)


load_core()
