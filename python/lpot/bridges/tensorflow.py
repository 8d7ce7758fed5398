"""TensorFlow bridge: adds quantization to a graph with ops that stock TensorFlow runs."""

import collections.abc
import os
import pathlib
import tempfile
from typing import Any

from .. import _core
from ..collect import Collected, as_array
from ..errors import DataError, ModelError
from ..frameworks import require
from ..saved import Folder, Quantized, replace_file
from .file import FileBridge
from .tensorflow_writer import write_edits

tf: Any = require("tensorflow")


def graph_of(graph_def: Any) -> Any:
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return graph


class QuantizedGraph(Quantized, tf.Graph):
    """A quantized model as a tf.Graph that sessions can run. Its OpenVINO IR (`ir`) is faster."""

    def __init__(self, folder: Folder, result: dict[str, Any] | None = None) -> None:
        tf.Graph.__init__(self)
        self._folder = folder
        self.result = result or {}
        with self.as_default():
            tf.import_graph_def(read_graph_def(folder.path / "model.pb"), name="")

    @property
    def model(self) -> Any:
        return self

    def __call__(self, *tensors: Any, **named: Any) -> Any:
        """Runs the model in OpenVINO, like a call of a Keras model. Returns a tensor, or several by name."""
        only = tensors[0] if len(tensors) == 1 else None
        if isinstance(only, collections.abc.Mapping):
            tensors = ()
            named = {f"{name}:0": tensor for name, tensor in only.items()}
        elif isinstance(only, (list, tuple)):
            tensors = tuple(only)
        outputs = {
            name: tf.convert_to_tensor(array)
            for name, array in self.run(*tensors, **named).items()
        }
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs

    @property
    def graph(self) -> Any:
        return self

    @property
    def graph_def(self) -> Any:
        return self.as_graph_def()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the GraphDef if `path` ends with .pb, else all files of the model to the folder `path`."""
        if str(path).endswith(".pb"):
            self._folder.check_replaces_no_source(path)
            write_graph_def(self.as_graph_def(), path)
        else:
            Quantized.save(self, path)


def quantized_graph(folder: Folder, result: dict[str, Any] | None = None) -> Any:
    return QuantizedGraph(folder, result)


def read_graph_def(path: str | os.PathLike[str]) -> Any:
    graph_def = tf.compat.v1.GraphDef()
    try:
        graph_def.ParseFromString(pathlib.Path(path).read_bytes())
    except Exception as error:
        raise ModelError(
            f"[tensorflow] {path}: cannot be parsed as a frozen graph: {error}"
        ) from error
    return graph_def


def write_graph_def(graph_def: Any, path: str | os.PathLike[str]) -> None:
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, graph_def.SerializeToString())


def _frozen(function: Any) -> Any:
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    return convert_variables_to_constants_v2(function).graph.as_graph_def()


def _frozen_keras(model: Any) -> Any:
    specs = [
        tf.TensorSpec(tensor.shape, tensor.dtype, name=tensor.name)
        for tensor in model.inputs
    ]
    function = tf.function(
        lambda *tensors: model(tensors[0] if len(tensors) == 1 else list(tensors))
    )
    return _frozen(function.get_concrete_function(*specs))


def _frozen_saved_model(path: str | os.PathLike[str]) -> Any:
    loaded = tf.saved_model.load(str(path))
    if not loaded.signatures:
        raise ModelError(
            f"[tensorflow] {path}: the SavedModel has no signature; expected at least one. Save it with a signature."
        )
    name = (
        "serving_default"
        if "serving_default" in loaded.signatures
        else sorted(loaded.signatures)[0]
    )
    return _frozen(loaded.signatures[name])


def _frozen_checkpoint(folder: Any, outputs: Any) -> Any:
    latest = tf.train.latest_checkpoint(str(folder))
    if latest is None:
        raise ModelError(
            f"[tensorflow] {folder}: no model found; expected saved_model.pb, or a checkpoint with its .meta file"
        )
    if not outputs:
        raise ModelError(
            f"[tensorflow] {folder}: freezing a checkpoint needs output names. Set model.outputs in the configuration."
        )
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.train.import_meta_graph(
            latest + ".meta", clear_devices=True
        ).restore(session, latest)
        names = [name.split(":")[0] for name in outputs]
        return tf.compat.v1.graph_util.convert_variables_to_constants(
            session, session.graph_def, names
        )


def graph_def_of(model: Any, config: _core.Config) -> Any:
    """Returns the frozen GraphDef of any kind of TensorFlow model."""
    if isinstance(model, tf.Graph):
        return model.as_graph_def()
    if isinstance(model, tf.compat.v1.GraphDef):
        return model
    if isinstance(model, tf.keras.Model):
        return _frozen_keras(model)
    if model.is_dir():
        has_saved_model = (model / "saved_model.pb").exists()
        return (
            _frozen_saved_model(model)
            if has_saved_model
            else _frozen_checkpoint(model, config.outputs)
        )
    return read_graph_def(model)


class TensorFlowBridge(FileBridge):
    framework = "tensorflow"

    def __init__(self, model: Any, config: _core.Config) -> None:
        self.graph_def = graph_def_of(model, config)
        if isinstance(model, pathlib.Path) and model.suffix == ".pb":
            super().__init__(model)
            return
        self._temporary = tempfile.TemporaryDirectory(prefix="lpot-")
        super().__init__(
            pathlib.Path(self._temporary.name) / f"{config.name or 'graph'}.pb"
        )
        write_graph_def(self.graph_def, self.path)

    def record_dataset(self, inputs: Any) -> Any:
        """Returns the data set if the loader yields a record file name and a batch size for the graph's pipeline."""
        entries = list(_entries(inputs))
        files = [entry for entry in entries if isinstance(entry, (str, os.PathLike))]
        if not files:
            return None
        if not os.path.exists(files[0]):
            raise DataError(
                f"[calib_dataloader] {files[0]}: file not found; expected a TensorFlow record file"
            )
        sizes = [
            int(entry) for entry in entries if not isinstance(entry, (str, os.PathLike))
        ]
        return Collected(_core.record_dataset(str(files[0])), sizes[0] if sizes else 1)

    def adapt_config(self, config: _core.Config) -> _core.Config:
        """Disables rescaling recipes if the graph has convolutions.

        The C++ library folds batch norm into convolutions. Recipes may rescale the folded constants, which this graph
        does not contain.
        """
        convolves = any(
            node.op.startswith(("Conv", "DepthwiseConv"))
            for node in self.graph_def.node
        )
        return config.without_rescaling() if convolves else config

    def fp32(self) -> Any:
        return graph_of(self.graph_def)

    def candidate(self, candidate: _core.Candidate) -> Any:
        return graph_of(write_edits(self.graph_def, candidate))

    def on_saved(
        self, candidate: _core.Candidate, plan: _core.Plan | None, folder: Any
    ) -> None:
        write_graph_def(
            write_edits(self.graph_def, candidate), pathlib.Path(folder) / "model.pb"
        )
        super().on_saved(candidate, plan, folder)

    def result(self, folder: Any, plan: _core.Plan | None, result: Any) -> Any:
        return QuantizedGraph(Folder(folder, self.info(plan)), result)


def _entries(inputs: Any) -> collections.abc.Iterator[Any]:
    """Yields the single values of nested lists and tuples, as collate functions return them."""
    if isinstance(inputs, (list, tuple)):
        for item in inputs:
            yield from _entries(item)
    elif getattr(inputs, "ndim", 0):
        array = as_array(inputs)
        # A file name or a batch size; images have more values and need not be looked through.
        if array.dtype.kind in "OSU" or array.size <= 64:
            yield from _entries(array.tolist())
    else:
        yield inputs.decode() if isinstance(inputs, bytes) else inputs
