"""Model files that need no framework: OpenVINO IR, TensorFlow Lite, Paddle."""

import collections.abc
import json
import os
import pathlib
import tempfile
from typing import Any

from .. import _core
from ..collect import as_array
from ..errors import DataError
from ..saved import Folder, QuantizedFile, load_program, write_info


class FileBridge:
    framework = "openvino"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path)

    def to_model_inputs(self, inputs: Any) -> tuple[list[str], list[Any]]:
        """Returns (names, arrays). Inputs without names are in the order of the model; `names` is then empty."""
        if isinstance(inputs, collections.abc.Mapping):
            return list(inputs), [as_array(value) for value in inputs.values()]
        if isinstance(inputs, (tuple, list)):
            inputs = list(inputs)
        else:
            inputs = [inputs]
        if not inputs:
            raise DataError(
                "[data] the loader yields an input without tensors; expected at least one"
            )
        return [], [as_array(value) for value in inputs]

    def record_dataset(self, inputs: Any) -> Any:
        """Returns None: only TensorFlow graphs can read record files themselves."""
        return None

    def adapt_config(self, config: _core.Config) -> _core.Config:
        return config

    def fp32(self) -> Any:
        # QuantizedFile only provides the call interface here; the model is not quantized.
        with tempfile.TemporaryDirectory() as folder:
            quantized = QuantizedFile(Folder(folder))
        quantized._program = load_program(self.path)
        return quantized

    def candidate(self, candidate: _core.Candidate) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            candidate.save(pathlib.Path(folder) / "model.xml")
            return QuantizedFile(Folder(folder))

    def on_saved(
        self, candidate: _core.Candidate, plan: _core.Plan | None, folder: Any
    ) -> None:
        write_info(folder, self.info(plan))

    def info(self, plan: _core.Plan | None) -> dict[str, Any]:
        return {
            "framework": self.framework,
            "state": json.loads(plan.to_json()) if plan else {},
        }

    def result(self, folder: Any, plan: _core.Plan | None, result: Any) -> Any:
        return QuantizedFile(Folder(folder, self.info(plan)), result)
