"""Data sets and loaders in Python. Data of any class with __getitem__ and __len__, or any iterable, will do."""

from .. import _core
from ..registry import (
    DATASETS,
    FILTERS,
    TRANSFORMS,
    component_text,
    made,
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


def make_dataset(name: str, *args, **parameters):
    """The data set of that name: one that Python registered, else one of the library's."""
    if name in DATASETS:
        return DATASETS[name](*args, **parameters)
    return _core.dataset(component_text("dataset", name, args, parameters))


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


class LibraryTransform(BaseTransform):
    """A transform of the library: LibraryTransform("Resize", size=32), called with a sample (input, label)."""

    def __init__(self, name: str, *args, **parameters):
        self._transform = _core.transform(
            component_text("transform", name, args, parameters)
        )

    def __call__(self, sample):
        inputs, label = as_sample(sample)
        inputs, label = self._transform.apply(inputs, label)
        return inputs[0] if len(inputs) == 1 else tuple(inputs), label


class Transformed(IterableDataset):
    """A data set whose samples go through transforms, (name, parameters) each."""

    def __init__(self, dataset, transforms):
        self._dataset = dataset
        self._transforms = [
            made(TRANSFORMS[name], parameters)
            if name in TRANSFORMS
            else LibraryTransform(name, **parameters)
            for name, parameters in transforms
        ]

    def __iter__(self):
        for sample in DataLoader(self._dataset, collate_fn=lambda batch: batch[0]):
            for transform in self._transforms:
                sample = transform(sample)
            yield sample


DATASETS.library, TRANSFORMS.library = make_dataset, LibraryTransform
