"""Models in files that need no framework: OpenVINO's IR, TensorFlow Lite, Paddle."""

import collections.abc
import json
import pathlib
import tempfile

from ..collect import as_array
from ..errors import DataError
from ..saved import Folder, QuantizedFile, program, write_info


class FileBridge:
    framework = "openvino"

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def arrange(self, inputs):
        """Inputs by name where they have names, else in the model's order."""
        if isinstance(inputs, collections.abc.Mapping):
            return list(inputs), [as_array(value) for value in inputs.values()]
        if isinstance(inputs, (tuple, list)):
            inputs = list(inputs)
        else:
            inputs = [inputs]
        if not inputs:
            raise DataError("[data] the loader yields an input without any tensor")
        return [], [as_array(value) for value in inputs]

    def records(self, inputs):
        """A data set, where what a loader yields are files that the model reads itself; else None."""
        return None

    def adjusted(self, config):
        return config

    def fp32(self):
        with (
            tempfile.TemporaryDirectory() as folder
        ):  # only to be called: nothing is quantized
            quantized = QuantizedFile(Folder(folder))
        quantized._program = program(self.path)
        return quantized

    def candidate(self, candidate):
        with tempfile.TemporaryDirectory() as folder:
            candidate.save(pathlib.Path(folder) / "model.xml")
            return QuantizedFile(Folder(folder))

    def on_saved(self, candidate, plan, folder) -> None:
        write_info(folder, self.info(plan))

    def info(self, plan) -> dict:
        return {
            "framework": self.framework,
            "state": json.loads(plan.to_json()) if plan else {},
        }

    def result(self, folder, plan, result):
        return QuantizedFile(Folder(folder, self.info(plan)), result)
