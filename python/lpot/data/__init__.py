"""Data sets and loaders in Python. Data of any class with __getitem__ and __len__, or any iterable, will do."""

import json
import os

from .. import _core
from ..errors import ConfigError
from ..registry import DATASETS, FILTERS, TRANSFORMS, registrar
from .dataloader import DATALOADERS, DataLoader

__all__ = [
    "DATALOADERS",
    "DATASETS",
    "FILTERS",
    "TRANSFORMS",
    "BaseTransform",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "dataset_registry",
    "filter_registry",
    "make_dataset",
    "transform_registry",
]

dataset_registry = registrar(DATASETS)
transform_registry = registrar(TRANSFORMS)
filter_registry = registrar(FILTERS)


def make_dataset(name: str, *args, **parameters):
    """The data set of that name: one that Python registered, else one of the library's, whose parameters have names."""
    if name in DATASETS:
        return DATASETS[name](*args, **parameters)
    if args:
        raise ConfigError(
            f"[dataset] {name}: parameters of the library's data sets are given by name"
        )
    text = {
        key: str(value) if isinstance(value, os.PathLike) else value
        for key, value in parameters.items()
    }
    return _core.dataset(json.dumps({name: text}))


class Dataset:
    """Samples by index: (input, label)."""

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError


class IterableDataset:
    """Samples one after the other."""

    def __iter__(self):
        raise NotImplementedError


class BaseTransform:
    """Turns a sample (input, label) into another."""

    def __call__(self, sample):
        raise NotImplementedError
