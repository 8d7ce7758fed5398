"""numpy, imported on first use.

Importing numpy takes half of the import time of lpot, and many programs do not need it.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("numpy"), name)
