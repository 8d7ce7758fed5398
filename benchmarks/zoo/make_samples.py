"""Writes the samples of one model: `make_samples.py NAME MODEL CACHE FOLDER`.

A separate process, so that the memory of the samples does not count for the processes that are measured.
"""

import os
import pathlib
import sys
import urllib.parse

import numpy as np
from models import MODELS
from samples import Context


def main() -> None:
    name, model, cache, output = sys.argv[1:5]
    data = os.environ.get("LPOT_TEST_DATA")
    context = Context(
        pathlib.Path(data).resolve() if data else None,
        pathlib.Path(cache),
        pathlib.Path(model),
    )
    samples = MODELS[name].samples(context)
    folder = pathlib.Path(output)
    for part, rows in (
        ("calibration", samples.calibration),
        ("evaluation", samples.evaluation),
    ):
        (folder / part).mkdir(parents=True)
        for tensor, values in rows.items():
            np.save(
                folder / part / f"{urllib.parse.quote(tensor, safe='')}.npy", values
            )
    count = len(next(iter(samples.calibration.values())))
    (folder / "count").write_text(str(count))
    if samples.labels is not None:
        np.save(folder / "labels.npy", samples.labels)


if __name__ == "__main__":
    main()
