"""ONNX bridge: converts a ModelProto or file to a ModelProto with QuantizeLinear and DequantizeLinear nodes."""

import pathlib
import tempfile
from typing import Any

from .. import _core
from ..errors import ModelError
from ..frameworks import require
from ..saved import Folder, Quantized
from .file import FileBridge


class QuantizedOnnx(Quantized):
    """A quantized ONNX model. `model` is the onnx.ModelProto, whose attributes are available on this object too."""

    def __init__(self, folder: Folder, result: dict[str, Any] | None = None) -> None:
        self._folder = folder
        self.result = result or {}
        self._model = None

    @property
    def model(self) -> Any:
        if self._model is None:
            path = self._folder.path / "model.onnx"
            if not path.exists():
                raise ModelError(
                    "[onnx] this model could not be exported to ONNX (see the log). Use its OpenVINO IR (.ir)."
                )
            self._model = require("onnx").load(path)
        return self._model

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.model, name)

    def __call__(self, *arrays: Any, **named: Any) -> dict[str, Any]:
        """Runs the model in OpenVINO and returns the outputs by name."""
        return self.run(*arrays, **named)

    def eval(self) -> Any:
        return self


class OnnxBridge(FileBridge):
    framework = "onnx"

    def __init__(self, model: Any) -> None:
        self._temporary = None
        self._model = None
        if isinstance(model, pathlib.Path):
            super().__init__(model)
            return
        self._temporary = tempfile.TemporaryDirectory(prefix="lpot-")
        super().__init__(
            pathlib.Path(self._temporary.name) / f"{model.graph.name or 'model'}.onnx"
        )
        self.path = self.path.with_name(self.path.name.replace("/", "_"))
        require("onnx").save(model, self.path)
        self._model = model

    def fp32(self) -> Any:
        if self._model is None:
            self._model = require("onnx").load(self.path)
        return self._model

    def candidate(self, candidate: _core.Candidate) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.onnx"
            candidate.save_onnx(path)
            return require("onnx").load(path)

    def result(self, folder: Any, plan: _core.Plan | None, result: Any) -> Any:
        return QuantizedOnnx(Folder(folder, self.info(plan)), result)
