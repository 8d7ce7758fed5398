"""Converts Python data loaders, any iterable of (input, label), to data sets of the C++ library."""

import collections.abc
from typing import Any

from . import _core
from . import lazy_numpy as np
from .errors import DataError

# Arguments from which Hugging Face models compute a loss. They are never inputs of the int8 model.
LABELS = ("labels", "label", "start_positions", "end_positions")


def as_array(value: Any) -> "np.ndarray":
    """Converts a tensor of any framework, or a list of numbers, to a numpy array."""
    if hasattr(value, "detach"):  # torch
        value = value.detach().cpu()
    if hasattr(value, "numpy") and not isinstance(value, np.ndarray):
        value = value.numpy()
    return np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)


def split_sample(item: Any) -> Any:
    """Splits an item of a loader into (inputs, label). The label is None if the item has none."""
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return item[0], item[1]
    if isinstance(item, (tuple, list)) and len(item) > 2:
        return tuple(item[:-1]), item[-1]
    return item, None


def without_labels(inputs: Any, label: Any = None) -> Any:
    """Removes labels and None values from a dict or list of inputs."""
    if isinstance(inputs, collections.abc.Mapping):
        return {
            name: value
            for name, value in inputs.items()
            if value is not None
            and name not in LABELS
            and (label is None or value is not label)
        }
    if isinstance(inputs, (tuple, list)):
        return [value for value in inputs if value is not None]
    return inputs


def first_sample(loader: Any, name: str) -> Any:
    """Returns the first (inputs, label) of a loader."""
    for item in loader:
        return split_sample(item)
    raise DataError(
        f"[{name}] the loader yields nothing; expected pairs of input and label"
    )


def reusable(loader: Any) -> Any:
    """Returns an iterable that supports several passes. The items of a generator are stored in a list."""
    return list(loader) if loader is not None and iter(loader) is loader else loader


def collect(
    loader: Any,
    name: str,
    bridge: Any,
    limit: int | None = None,
    with_labels: bool = True,
) -> Any:
    """Reads a loader into a data set of the C++ library and returns it with its batch size.

    Reading stops after `limit` samples. `bridge.to_model_inputs` selects and names the inputs of the model.
    """
    labels = _Labels() if with_labels else None
    try:
        return _collect(loader, name, bridge, limit, labels)
    except _MixedLabels:
        return _collect(loader, name, bridge, limit, _Labels(are_objects=True))


def _collect(
    loader: Any, name: str, bridge: Any, limit: int | None, labels: "_Labels | None"
) -> Any:
    data: _core.CollectedData | None = None
    batch_size = 0
    for item in loader:
        inputs, label = split_sample(item)
        if data is None and (records := bridge.record_dataset(inputs)) is not None:
            return records
        names, arrays = bridge.to_model_inputs(without_labels(inputs, label))
        if data is None:
            data = _core.CollectedData(names)
        count = _rows(arrays)
        data.add(arrays, labels.array(label, count) if labels else None, count)
        batch_size = batch_size or count
        if limit is not None and len(data) >= limit:
            break
    if data is None or len(data) == 0:
        raise DataError(
            f"[{name}] the loader yields nothing; expected pairs of input and label"
        )
    # Samples of different shapes cannot share a batch, and they may be read in any order.
    return Collected(
        data,
        batch_size if data.has_uniform_shapes and batch_size else 1,
        labels.objects if labels else (),
    )


class Collected:
    """A data set of the C++ library, its batch size, and the labels that are not numbers."""

    def __init__(self, data: Any, batch_size: int = 1, labels: Any = ()) -> None:
        self.data = data
        self.batch_size = batch_size
        self.labels = list(labels)


def _rows(arrays: list[Any]) -> int:
    """Returns the number of samples in a batch, or 0 if its tensors have different first dimensions."""
    counts = {array.shape[0] if array.ndim else 0 for array in arrays}
    return counts.pop() if len(counts) == 1 else 0


class _MixedLabels(Exception):
    """Only some batches have labels that are numbers."""


class _Labels:
    """Converts the labels of batches to arrays. Labels that are not numbers become indices in `objects`.

    The labels of all batches are either numbers or objects, because an index cannot be distinguished from a number.
    """

    def __init__(self, are_objects: bool = False) -> None:
        self.objects: list[Any] = []
        self._are_objects = are_objects
        self._has_numbers = False

    def array(self, label: Any, count: int) -> Any:
        """Returns the labels of a batch. Raises _MixedLabels if they are of another kind than those before."""
        if label is None:
            return None
        numbers = None if self._are_objects else _numbers(label, count)
        if numbers is None and self._has_numbers:
            raise _MixedLabels
        if numbers is None:
            return _indices(label, count, self.objects)
        if self.objects:
            raise _MixedLabels
        self._has_numbers = True
        return numbers


def _numbers(label: Any, count: int) -> Any:
    """Returns the labels of a batch as an array of numbers, or None if that is not possible."""
    try:
        array = as_array(label)
        if array.dtype.kind in "biuf" and (
            count == 0 or (array.ndim and array.shape[0] == count)
        ):
            return array
        if array.dtype.kind in "biuf" and count == 1:
            return array[np.newaxis]
    except (TypeError, ValueError):
        pass
    return None


def _indices(label: Any, count: int, label_objects: list[Any]) -> Any:
    """Appends the labels of a batch to `label_objects` and returns their indices."""
    first_index = len(label_objects)
    if count <= 1:
        label_objects.append(label)
        return np.array([first_index]) if count else np.array(first_index)
    found = len(label) if hasattr(label, "__len__") else 1
    if found != count:
        raise DataError(
            f"[data] a batch of {count} samples has {found} labels; expected one label per sample"
        )
    label_objects.extend(label)
    return np.arange(first_index, first_index + count)
