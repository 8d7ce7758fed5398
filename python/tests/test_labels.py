"""Labels that are not numbers, or that have different shapes."""

import numpy as np
import pytest
from conftest import ROOT

import lpot

MODEL = str(ROOT / "examples" / "quickstart" / "fashion_cnn.onnx")
PLAIN = {"quantization": {"recipes": {"kernel_variants": "plain"}}}
X = np.random.default_rng(0).normal(0, 1, (64, 1, 28, 28)).astype(np.float32)


def tuned(labels, metric, rows=16):
    batches = [(X[i : i + rows], labels[i : i + rows]) for i in range(0, 64, rows)]
    return lpot.tune(
        MODEL, batches, metric=metric, max_loss=0.9, max_trials=1, config=PLAIN
    )


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["cat", "dog"] * 32, r"str \('cat'\)"),
        (np.array(["cat", "dog"] * 32), r"str_ \(.*'cat'.*\)"),
        ([[1], [2, 3]] * 32, r"list \(\[1\]\)"),
    ],
)
def test_metrics_of_the_library_need_numbers(labels, found):
    with pytest.raises(lpot.DataError, match=rf"\[data\] .* {found}; the metric Accuracy needs numbers"):  # fmt: skip
        tuned(labels, "accuracy")


def test_metrics_that_compare_with_fp32_ignore_labels():
    assert tuned(["cat", "dog"] * 32, "agreement").baseline == 1.0
    assert tuned(["cat", "dog"] * 32, None).baseline == 1.0


@pytest.mark.parametrize("ragged_at", [0, 16, 63])
def test_labels_of_all_batches_are_objects_if_some_are_not_numbers(ragged_at):
    """Without the ragged sample, the labels of a batch form an array of numbers."""
    labels = [[i, i] for i in range(64)]
    labels[ragged_at] = [ragged_at]
    seen = []

    def score(outputs, given):
        seen.append([list(label) for label in given])
        return 1.0

    tuned(labels, score)
    assert seen[0] == labels


def test_labels_of_equal_shape_are_an_array():
    seen = []

    def score(outputs, labels):
        seen.append(labels)
        return 1.0

    tuned([[i, i] for i in range(64)], score)
    np.testing.assert_array_equal(seen[0], np.repeat(np.arange(64), 2).reshape(64, 2))
