"""numpy, imported on first use.

Importing numpy takes half of the import time of lpot, and many programs do not need it.
"""

import importlib


def __getattr__(name: str):
    return getattr(importlib.import_module("numpy"), name)
