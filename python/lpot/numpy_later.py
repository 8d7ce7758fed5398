"""numpy, imported when something of it is first asked for: half of what importing lpot takes, and no need of many programs."""

import importlib


def __getattr__(name: str):
    return getattr(importlib.import_module("numpy"), name)
