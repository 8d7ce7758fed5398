"""Converts the `data` argument of tune() and quantize() to an iterable of batches."""

import collections.abc
import os
import typing
from typing import Any

from .data.dataloader import DataLoader
from .errors import DataError
from .frameworks import loaded

BATCH_SIZE = 32  # of data that are not in batches

Data: typing.TypeAlias = collections.abc.Iterable[Any]

EXPECTED = (
    "expected an iterable of batches (input, label) or (input), arrays (inputs, labels) with one row per sample, "
    "or a data set"
)


def batches_of(data: Any, place: str) -> Data:
    """Returns an iterable of batches. `place` is the name of the argument in messages, such as "[tune] data".

    Arrays and data sets of single samples are split into batches of 32. Iterables are returned unchanged.
    """
    if isinstance(data, (str, bytes, os.PathLike)):
        raise DataError(
            f"{place}: got the path {os.fspath(data)!r}; {EXPECTED}. To read files, name a data set in `config`."
        )
    if _is_sample_dataset(data):
        return DataLoader(data, batch_size=BATCH_SIZE)
    if _are_inputs_and_labels(data):
        return _Rows(data[0], _labels(data, place))
    if not isinstance(data, tuple) and _row_count(data) is not None:
        return _Rows(data, None)
    if isinstance(data, collections.abc.Mapping) or not _is_iterable(data):
        raise DataError(f"{place}: got a {type(data).__name__}; {EXPECTED}")
    return typing.cast(Data, data)


def _are_inputs_and_labels(data: Any) -> typing.TypeGuard[tuple[Any, Any]]:
    """Whether data are (inputs, labels) of all samples, and not two batches."""
    if not isinstance(data, tuple) or len(data) != 2 or _row_count(data[0]) is None:
        return False
    inputs, labels = data
    if not isinstance(inputs, tuple):
        return True
    # Two batches (input, label) are also a pair whose first item is a tuple of arrays.
    is_second_batch = isinstance(labels, tuple) or (
        isinstance(labels, list) and len(labels) != _row_count(inputs)
    )
    return not is_second_batch


def _is_iterable(data: object) -> bool:
    try:
        iter(typing.cast(Data, data))
    except TypeError:
        return False
    return True


def _is_sample_dataset(data: object) -> bool:
    """Whether the items are single samples: a data set of this library, or a PyTorch Dataset with indices."""
    from . import _core

    if isinstance(data, _core.Dataset):
        return True
    torch = loaded("torch")
    if torch is None:
        return False
    is_dataset = isinstance(data, torch.utils.data.Dataset)
    return is_dataset and not isinstance(data, torch.utils.data.IterableDataset)


def _row_count(value: Any) -> int | None:
    """Returns the number of samples in an array, or in a dict or tuple of arrays of equal length; else None."""
    if isinstance(value, (collections.abc.Mapping, tuple)):
        arrays = value.values() if isinstance(value, collections.abc.Mapping) else value
        counts = {_row_count(array) for array in arrays}
        return counts.pop() if len(counts) == 1 else None
    shape = getattr(value, "shape", None)
    return int(shape[0]) if shape is not None and len(shape) > 0 else None


def _labels(data: tuple[Any, Any], place: str) -> Any:
    count, labels = _row_count(data[0]), data[1]
    found = len(labels) if isinstance(labels, list) else _row_count(labels)
    if found != count:
        raise DataError(
            f"{place}: got arrays with {count} inputs and {found if found is not None else 'no'} labels; "
            "expected one label per input"
        )
    return labels


class _Rows:
    """Arrays with one row per sample, in batches."""

    def __init__(self, inputs: Any, labels: Any):
        self._inputs, self._labels = inputs, labels

    def __iter__(self) -> collections.abc.Iterator[Any]:
        for start in range(0, _row_count(self._inputs) or 0, BATCH_SIZE):
            rows = slice(start, start + BATCH_SIZE)
            inputs = _select(self._inputs, rows)
            yield inputs, None if self._labels is None else self._labels[rows]


def _select(value: Any, rows: slice) -> Any:
    if isinstance(value, collections.abc.Mapping):
        return {name: array[rows] for name, array in value.items()}
    if isinstance(value, tuple):
        return tuple(array[rows] for array in value)
    return value[rows]
