"""Quantized models: what every kind of them has, and how they are kept on disk."""

import json
import os
import pathlib
import shutil
import tempfile

from . import _core, interruptible
from .errors import ModelError

INFO = "python.json"  # beside the model: what is needed to call it as before


def replace_file(path, content: bytes) -> None:
    """Writes a file whole or not at all; who has it open, or by another name, keeps what was there."""
    path = pathlib.Path(path)
    new = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        new.write_bytes(content)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def write_info(folder, info: dict) -> None:
    replace_file(pathlib.Path(folder) / INFO, json.dumps(info).encode())


def _take(file, target) -> None:
    """A second name where the file system can do that: files of models are replaced and never changed."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copy2(file, target)


class Folder:
    """The files of one quantized model, in a folder of their own: later tunings do not touch them."""

    def __init__(self, source, info: dict | None = None):
        self._temporary = tempfile.TemporaryDirectory(prefix="lpot-")
        self.path = pathlib.Path(self._temporary.name)
        for file in pathlib.Path(source).iterdir():
            if file.is_file() and ".tmp" not in file.suffixes:
                _take(file, self.path / file.name)
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


def program(path):
    """The model in a file, to be run."""
    return interruptible.run(lambda: _core.Program(path))


def infer(model, arrays: list) -> list:
    """The outputs of a program. For shapes that it has not seen it is compiled, which takes a while."""
    if not model.is_compiled(arrays):
        interruptible.run(lambda: model.compile(arrays))
    return model.infer(arrays)


class Quantized:
    """What all quantized models answer to; the classes of the frameworks add the rest."""

    _folder: Folder
    result: dict  # what the tuning came to; empty after load()

    @property
    def state(self) -> dict:
        """The plan: for every op int8 or fp32 and its schemes, and the recipes of the whole model."""
        return self._folder.info.get("state", {})

    @property
    def ir(self) -> pathlib.Path:
        """The model as OpenVINO's IR, the form that runs fastest."""
        return self._folder.path / "model.xml"

    def save(self, path) -> None:
        """Writes the model into the folder `path`; lpot.load(path) reads it."""
        self._folder.save(path)

    def framework(self) -> str:
        return self._folder.info.get("framework", "openvino")


class QuantizedFile(Quantized):
    """A model that came from a file without a framework: called with arrays, gives arrays by the outputs' names."""

    def __init__(self, folder: Folder, result: dict | None = None):
        self._folder = folder
        self.result = result or {}
        self._program = None

    @property
    def model(self):
        if self._program is None:
            self._program = program(self.ir)
        return self._program

    def __call__(self, *arrays, **named):
        inputs = [named[name] for name in self.model.inputs] if named else list(arrays)
        return dict(zip(self.model.outputs, infer(self.model, inputs)))

    def eval(self):
        return self


def load(path):
    """The quantized model that `save` wrote into the folder `path`."""
    path = pathlib.Path(path)
    if not (path / "model.xml").exists():
        raise ModelError(
            f"[load] {path}: holds no model.xml; expected a folder that a quantized model was saved in"
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
