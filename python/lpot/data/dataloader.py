"""Reads data sets in batches."""

import collections.abc
from typing import Any

from .. import lazy_numpy as np
from ..collect import as_array, split_sample
from ..errors import ConfigError


def default_collate(samples: list[Any]) -> Any:
    """Stacks samples (input, label) to a batch. Keeps the structure of tuples and dicts."""
    first = samples[0]
    if isinstance(first, collections.abc.Mapping):
        return {
            key: default_collate([sample[key] for sample in samples]) for key in first
        }
    if isinstance(first, (tuple, list)):
        return type(first)(default_collate(list(part)) for part in zip(*samples))
    if isinstance(first, (str, bytes)) or first is None:
        return samples
    return np.stack([as_array(sample) for sample in samples])


def as_sample(sample: Any) -> Any:
    """Converts one sample (input, label) to ([arrays], label). A tuple or list of inputs becomes several arrays."""
    inputs, label = split_sample(sample)
    several = inputs if isinstance(inputs, (tuple, list)) else [inputs]
    return [as_array(one) for one in several], None if label is None else as_array(
        label
    )


class DataLoader:
    """Iterates over the batches of a data set. Each iteration starts at the first sample."""

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        collate_fn: Any = None,
        last_batch: str = "rollover",
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        pin_memory: bool = False,
    ) -> None:
        if last_batch not in ("rollover", "discard"):
            raise ConfigError(
                f"[DataLoader] last_batch: expected rollover or discard, got {last_batch!r}"
            )
        self.dataset = dataset
        self.batch_size = batch_size
        self.collate_fn = collate_fn or default_collate
        self.last_batch = last_batch
        self.sampler = sampler
        self.batch_sampler = batch_sampler

    def _samples(self) -> Any:
        if self.sampler is not None:
            return (self.dataset[index] for index in self.sampler)
        if hasattr(self.dataset, "__getitem__") and hasattr(self.dataset, "__len__"):
            return (self.dataset[index] for index in range(len(self.dataset)))
        return iter(self.dataset)

    def __iter__(self) -> collections.abc.Iterator[Any]:
        if self.batch_sampler is not None:
            for indices in self.batch_sampler:
                yield self.collate_fn([self.dataset[index] for index in indices])
            return
        batch = []
        for sample in self._samples():
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and self.last_batch == "rollover":
            yield self.collate_fn(batch)


DATALOADERS = {
    "tensorflow": DataLoader,
    "pytorch": DataLoader,
    "onnxrt_qlinearops": DataLoader,
}
