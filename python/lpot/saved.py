"""Quantized models: the common interface, and their files on disk."""

import json
import os
import pathlib
import shutil
import tempfile

from . import _core, interruptible
from .errors import ModelError

INFO = "python.json"  # next to the model: signature, structure of the outputs, plan


def replace_file(path, content: bytes) -> None:
    """Replaces a file atomically. Hard links and open handles to the old file keep the old content."""
    path = pathlib.Path(path)
    new = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        new.write_bytes(content)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def write_info(folder, info: dict) -> None:
    replace_file(pathlib.Path(folder) / INFO, json.dumps(info).encode())


def _link_or_copy(file, target) -> None:
    """Creates a hard link if possible. This is safe because model files are replaced and never modified."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copy2(file, target)


class Folder:
    """The files of one quantized model in a temporary folder, so that later tuning runs do not change them."""

    def __init__(self, source, info: dict | None = None):
        self._temporary = tempfile.TemporaryDirectory(prefix="lpot-")
        self.path = pathlib.Path(self._temporary.name)
        for file in pathlib.Path(source).iterdir():
            if file.is_file() and ".tmp" not in file.suffixes:
                _link_or_copy(file, self.path / file.name)
        if info is not None:
            write_info(self.path, info)
        self.info = (
            json.loads((self.path / INFO).read_text())
            if (self.path / INFO).exists()
            else {}
        )

    def save(self, target) -> None:
        target = pathlib.Path(target)
        target.mkdir(parents=True, exist_ok=True)
        for file in self.path.iterdir():
            shutil.copy2(file, target / file.name)


def load_program(path):
    """Loads a model file for inference."""
    return interruptible.run(lambda: _core.Program(path))


def infer(model, arrays: list) -> list:
    """Runs a model and returns its outputs. New input shapes are compiled first, which can take long."""
    if not model.is_compiled(arrays):
        interruptible.run(lambda: model.compile(arrays))
    return model.infer(arrays)


class Quantized:
    """Base class of all quantized models."""

    _folder: Folder
    result: dict  # result of the tuning run; empty after load()

    @property
    def state(self) -> dict:
        """The plan: precision and quantization scheme of each op, and the recipes of the model."""
        return self._folder.info.get("state", {})

    @property
    def ir(self) -> pathlib.Path:
        """Path of the OpenVINO IR, the fastest format to run."""
        return self._folder.path / "model.xml"

    def save(self, path) -> None:
        """Writes the model to the folder `path`. lpot.load(path) reads it."""
        self._folder.save(path)

    def framework(self) -> str:
        return self._folder.info.get("framework", "openvino")


class QuantizedFile(Quantized):
    """A model without a framework. It is called with arrays and returns a dict of output names and arrays."""

    def __init__(self, folder: Folder, result: dict | None = None):
        self._folder = folder
        self.result = result or {}
        self._program = None

    @property
    def model(self):
        if self._program is None:
            self._program = load_program(self.ir)
        return self._program

    def __call__(self, *arrays, **named):
        inputs = [named[name] for name in self.model.inputs] if named else list(arrays)
        return dict(zip(self.model.outputs, infer(self.model, inputs)))

    def eval(self):
        return self


def load(path):
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
