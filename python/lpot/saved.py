"""Quantized models: the common interface, and their files on disk."""

import json
import os
import pathlib
import shutil
import tempfile
from typing import Any

from . import _core, interruptible
from . import lazy_numpy as np
from .collect import as_array
from .errors import ConfigError, DataError, ModelError
from .types import JsonObject, StrPath

INFO = "python.json"  # next to the model: signature, structure of the outputs, plan


def replace_file(path: StrPath, content: bytes) -> None:
    """Replaces a file atomically. Hard links and open handles to the old file keep the old content."""
    path = pathlib.Path(path)
    new = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        new.write_bytes(content)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def write_info(folder: Any, info: dict[str, Any]) -> None:
    replace_file(pathlib.Path(folder) / INFO, json.dumps(info).encode())


def _link_or_copy(file: Any, target: Any) -> None:
    """Creates a hard link if possible. This is safe because model files are replaced and never modified."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copy2(file, target)


def _source_of(folder: pathlib.Path) -> pathlib.Path | None:
    """Returns the path of the fp32 model from which the model in the folder was made, or None if it is not found."""
    source = pathlib.Path(_core.deployed_source(folder)).absolute()
    # A relative path may name a quantized model if the working folder is not that of the tuning run.
    is_quantized = source.parent.resolve() == folder.resolve()
    return source if source.is_file() and not is_quantized else None


class Folder:
    """The files of one quantized model in a temporary folder, so that later tuning runs do not change them."""

    def __init__(self, source: Any, info: JsonObject | None = None) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="lpot-")
        self.path = pathlib.Path(self._temporary.name)
        self._source = _source_of(pathlib.Path(source))
        for name in _core.deployment_files():
            file = pathlib.Path(source) / name
            if file.is_file():
                _link_or_copy(file, self.path / name)
        if info is not None:
            write_info(self.path, info)
        self.info = (
            json.loads((self.path / INFO).read_text())
            if (self.path / INFO).exists()
            else {}
        )

    def save(self, target: StrPath) -> None:
        """Replaces the model in the folder `target`. Raises ConfigError if it contains the fp32 model."""
        target = pathlib.Path(target)
        if self._source is not None:
            _core.check_replaces_no_source(target, self._source)
        target.mkdir(parents=True, exist_ok=True)
        new = {name: target / f"{name}.{os.getpid()}.tmp" for name in self._names()}
        try:
            for name, path in new.items():
                shutil.copy2(self.path / name, path)
            # First, model.xml is removed, so that it never exists beside the weights of another model.
            (target / "model.xml").unlink(missing_ok=True)
            if (target / "deploy.yaml").exists():
                for name in _core.deployment_files():
                    if name not in new:
                        (target / name).unlink(missing_ok=True)
            for name, path in reversed(new.items()):
                os.replace(path, target / name)
        finally:
            for path in new.values():
                path.unlink(missing_ok=True)

    def _names(self) -> list[str]:
        return [
            name for name in _core.deployment_files() if (self.path / name).exists()
        ]

    def check_replaces_no_source(self, file: StrPath) -> None:
        """Raises ConfigError if `file` is the fp32 model."""
        is_source = self._source is not None and os.path.exists(file)
        if is_source and os.path.samefile(file, str(self._source)):
            raise ConfigError(
                f"[output] {file}: this is the source model, and saving the int8 model there would replace it; "
                "choose another file"
            )


def load_program(path: StrPath, threads: int = 0) -> _core.Program:
    """Loads a model file for inference. 0 threads: all cores."""
    return interruptible.run(lambda: _core.Program(path, threads))


def infer(model: _core.Program, arrays: list[Any]) -> list[Any]:
    """Runs a model and returns its outputs. New input shapes are compiled first, which can take long."""
    if not model.is_compiled(arrays):
        interruptible.run(lambda: model.compile(arrays))
    return model.infer(arrays)


class Quantized:
    """Base class of all quantized models."""

    _folder: Folder
    _program: _core.Program | None = None
    result: JsonObject  # result of the tuning run; empty after load()

    @property
    def state(self) -> JsonObject:
        """The plan: precision and quantization scheme of each op, and the recipes of the model."""
        return dict(self._folder.info.get("state", {}))

    @property
    def ir(self) -> pathlib.Path:
        """Path of the OpenVINO IR, the fastest format to run."""
        return self._folder.path / "model.xml"

    def run(self, *arrays: Any, **named: Any) -> dict[str, "np.ndarray"]:
        """Runs the OpenVINO IR and returns the outputs by name.

        Inputs are arrays or tensors, in the order of the model or by name.
        """
        program = self._loaded_program()
        missing = [name for name in program.inputs if named and name not in named]
        if missing or (arrays and named):
            raise DataError(
                f"[run] got {len(arrays)} inputs and the names {', '.join(named) or 'none'}; "
                f"expected {', '.join(program.inputs)}"
            )
        inputs = [named[name] for name in program.inputs] if named else arrays
        outputs = infer(program, [as_array(value) for value in inputs])
        return dict(zip(program.outputs, outputs))

    def _loaded_program(self) -> _core.Program:
        if self._program is None:
            self._program = load_program(self.ir)
        return self._program

    def save(self, path: StrPath) -> None:
        """Writes the model to the folder `path`. lpot.load(path) reads it."""
        self._folder.save(path)

    def framework(self) -> str:
        """Returns the name of the framework: pytorch, tensorflow, onnx or openvino."""
        return str(self._folder.info.get("framework", "openvino"))


class QuantizedFile(Quantized):
    """A model without a framework. It is called with arrays and returns a dict of output names and arrays."""

    def __init__(self, folder: Folder, result: JsonObject | None = None) -> None:
        self._folder = folder
        self.result = result or {}

    @property
    def model(self) -> _core.Program:
        return self._loaded_program()

    def __call__(self, *arrays: Any, **named: Any) -> dict[str, "np.ndarray"]:
        return self.run(*arrays, **named)

    def eval(self) -> "QuantizedFile":
        return self


def load(path: StrPath) -> Any:
    """Loads the quantized model that `save` wrote to the folder `path`."""
    path = pathlib.Path(path)
    if not (path / "model.xml").exists():
        raise ModelError(
            f"[load] {path}: model.xml not found; expected a folder written by save()"
        )
    folder = Folder(path)
    kind = folder.info.get("framework")
    if kind == "pytorch":
        from .bridges.pytorch import QuantizedModule

        return QuantizedModule(folder)
    if kind == "tensorflow":
        from .bridges.tensorflow import quantized_graph

        return quantized_graph(folder)
    if kind == "onnx" or (kind is None and (path / "model.onnx").exists()):
        from .bridges.onnx import QuantizedOnnx

        return QuantizedOnnx(folder)
    return QuantizedFile(folder)
