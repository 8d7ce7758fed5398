"""Brings what loaders of Python yield to the library: any iterable of (input, label)."""

import collections.abc

from . import _core
from . import lazy_numpy as np
from .errors import DataError

# What modules of Hugging Face take to work out a loss: never an input of the int8 model.
LABELS = ("labels", "label", "start_positions", "end_positions")


def as_array(value) -> "np.ndarray":
    """A tensor of any framework, or a list of numbers, as an array."""
    if hasattr(value, "detach"):  # torch
        value = value.detach().cpu()
    if hasattr(value, "numpy") and not isinstance(value, np.ndarray):
        value = value.numpy()
    return np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)


def split(item):
    """(inputs, label) of what a loader yields; label is None where there is none."""
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return item[0], item[1]
    if isinstance(item, (tuple, list)) and len(item) > 2:
        return tuple(item[:-1]), item[-1]
    return item, None


def without_labels(inputs, label=None):
    """A dict or list of inputs without entries that are None, and without labels."""
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


def first(loader, name: str):
    """The first (inputs, label) of a loader."""
    for item in loader:
        return split(item)
    raise DataError(
        f"[{name}] the loader yields nothing; expected pairs of input and label"
    )


def reusable(loader):
    """What can be walked through more than once: a generator cannot, so what it yields is kept."""
    return list(loader) if loader is not None and iter(loader) is loader else loader


def collect(
    loader, name: str, bridge, limit: int | None = None, with_labels: bool = True
):
    """The library's data set of a loader, and the batch size to read it with.

    `limit`: samples that are enough. `bridge.arrange` says which of the inputs the model takes and what they are called.
    """
    data, batch_size, labels = None, 0, []
    for item in loader:
        inputs, label = split(item)
        if data is None and (records := bridge.records(inputs)) is not None:
            return records
        names, arrays = bridge.arrange(without_labels(inputs, label))
        if data is None:
            data = _core.CollectedData(names)
        count = _rows(arrays)
        data.add(arrays, _label(label, count, labels) if with_labels else None, count)
        batch_size = batch_size or count
        if limit is not None and len(data) >= limit:
            break
    if data is None or len(data) == 0:
        raise DataError(
            f"[{name}] the loader yields nothing; expected pairs of input and label"
        )
    # Rows of different shapes cannot stand in one batch, whatever order they are asked for in.
    return Collected(data, batch_size if data.is_even and batch_size else 1, labels)


class Collected:
    """A data set of the library, how to read it, and labels that are no numbers."""

    def __init__(self, data, batch_size: int = 1, labels=()):
        self.data = data
        self.batch_size = batch_size
        self.labels = list(labels)


def _rows(arrays) -> int:
    """How many samples a batch has; 0 when its tensors do not have one row for each."""
    counts = {array.shape[0] if array.ndim else 0 for array in arrays}
    return counts.pop() if len(counts) == 1 else 0


def _label(label, count: int, kept: list):
    """Labels as an array; what is none goes into `kept`, and its number there is the label."""
    if label is None:
        return None
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
    first_number = len(kept)
    if count <= 1:
        kept.append(label)
        return np.array([first_number]) if count else np.array(first_number)
    found = len(label) if hasattr(label, "__len__") else 1
    if found != count:
        raise DataError(
            f"[data] a batch of {count} samples has {found} labels; expected one for each sample"
        )
    kept.extend(label)
    return np.arange(first_number, first_number + count)
