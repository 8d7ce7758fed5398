"""Fixtures: a temporary working folder, generated images, and the folder with real data."""

import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / "examples" / "pytorch" / name) for name in ("blendcnn", "bert")
]


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def data() -> pathlib.Path:
    """The folder with real models and data sets. A test fails if it is missing."""
    folder = pathlib.Path(
        os.environ.get("LPOT_TEST_DATA", ROOT / ".." / "shared" / "data")
    )
    assert folder.is_dir(), (
        f"{folder}: not found; set LPOT_TEST_DATA to the folder with the data sets"
    )
    return folder


CONF = """
model: {name: net, framework: %s}
quantization: {calibration: {sampling_size: 32}, recipes: {kernel_variants: plain}}
tuning: {accuracy_criterion: {relative: %s}, exit_policy: {max_trials: %d}}
%s
"""


def write_conf(framework="pytorch", tolerance="0.05", trials=3, rest="") -> str:
    pathlib.Path("conf.yaml").write_text(CONF % (framework, tolerance, trials, rest))
    return "conf.yaml"


@pytest.fixture
def conf():
    return write_conf


class Picture:
    """A loader of (input, label) batches of 8 images. The two classes differ slightly in brightness."""

    def __init__(self, batches=6, seed=0):
        self._batches, self._seed = batches, seed

    def __iter__(self):
        random = np.random.default_rng(self._seed)
        for _ in range(self._batches):
            labels = random.integers(0, 2, 8)
            pictures = (
                random.normal(0, 1, (8, 3, 16, 16)) + 0.08 * labels[:, None, None, None]
            )
            yield pictures.astype(np.float32), labels


@pytest.fixture
def pictures():
    return Picture
