"""What every source of samples returns and gets."""

import dataclasses
import pathlib
from collections.abc import Callable

import numpy as np

Sample = dict[str, np.ndarray]
COUNT = (64, 48)  # calibration, held out


@dataclasses.dataclass
class Samples:
    """`rows` of an input: one sample per row, without the batch dimension."""

    calibration: Sample
    evaluation: Sample
    labels: np.ndarray | None = None


@dataclasses.dataclass
class Context:
    data: pathlib.Path | None  # LPOT_TEST_DATA
    cache: pathlib.Path
    model: pathlib.Path

    def require(self, path: str) -> pathlib.Path:
        if self.data is None or not (self.data / path).exists():
            raise FileNotFoundError(f"{path} is not below LPOT_TEST_DATA")
        return self.data / path


Source = Callable[[Context], Samples]


def split(
    rows: Sample, count: tuple[int, int], labels: np.ndarray | None = None
) -> Samples:
    first, last = count[0], sum(count)
    if len(next(iter(rows.values()))) < last:
        raise ValueError(f"{last} samples are needed")
    return Samples(
        {k: v[:first] for k, v in rows.items()},
        {k: v[first:last] for k, v in rows.items()},
        None if labels is None else labels[first:last],
    )
