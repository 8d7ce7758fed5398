"""Data sets, transforms and loaders. Any class with __getitem__ and __len__, or any iterable, can be a data set."""

import collections.abc
from typing import Any

from .. import _core
from ..registry import (
    DATASETS,
    FILTERS,
    TRANSFORMS,
    component_text,
    create_component,
    registrar,
)
from .dataloader import DATALOADERS, DataLoader, as_sample

__all__ = [
    "DATALOADERS",
    "DATASETS",
    "FILTERS",
    "TRANSFORMS",
    "BaseTransform",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "LibraryTransform",
    "Transformed",
    "dataset_registry",
    "filter_registry",
    "make_dataset",
    "transform_registry",
]

dataset_registry = registrar(DATASETS)
transform_registry = registrar(TRANSFORMS)
filter_registry = registrar(FILTERS)


def make_dataset(name: str, *args: Any, **parameters: Any) -> Any:
    """Creates a data set by name. Registered Python data sets take precedence over those of the C++ library."""
    if name in DATASETS:
        return DATASETS[name](*args, **parameters)
    return _core.dataset(component_text("dataset", name, args, parameters))


class Dataset:
    """Base class of data sets with (input, label) samples by index."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError

    def __len__(self) -> Any:
        raise NotImplementedError


class IterableDataset:
    """Base class of data sets that can only be iterated."""

    def __iter__(self) -> Any:
        raise NotImplementedError


class BaseTransform:
    """Base class of transforms, which map a sample (input, label) to a sample."""

    def __call__(self, sample: Any) -> Any:
        raise NotImplementedError


class LibraryTransform(BaseTransform):
    """A transform of the C++ library: LibraryTransform("Resize", size=32)((input, label))."""

    def __init__(self, name: str, *args: Any, **parameters: Any) -> None:
        self._transform = _core.transform(
            component_text("transform", name, args, parameters)
        )

    def __call__(self, sample: Any) -> Any:
        inputs, label = as_sample(sample)
        inputs, label = self._transform.apply(inputs, label)
        return inputs[0] if len(inputs) == 1 else tuple(inputs), label


class Transformed(IterableDataset):
    """Applies transforms, given as (name, parameters), to the samples of a data set."""

    def __init__(self, dataset: Any, transforms: Any) -> None:
        self._dataset = dataset
        self._transforms = [
            create_component(TRANSFORMS[name], parameters)
            if name in TRANSFORMS
            else LibraryTransform(name, **parameters)
            for name, parameters in transforms
        ]

    def __iter__(self) -> collections.abc.Iterator[Any]:
        for sample in DataLoader(self._dataset, collate_fn=lambda batch: batch[0]):
            for transform in self._transforms:
                sample = transform(sample)
            yield sample


DATASETS.library, TRANSFORMS.library = make_dataset, LibraryTransform
