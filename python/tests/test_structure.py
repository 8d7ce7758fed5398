"""Structures of inputs and outputs, as they are written to python.json."""

import collections
import dataclasses
import sys

import numpy as np
import pytest

from lpot.bridges.structure import flatten, rebuild


@dataclasses.dataclass
class Result:
    logits: object
    scale: float


class Named(collections.OrderedDict):
    pass


Pair = collections.namedtuple("Pair", ["first", "second"])


def is_tensor(value) -> bool:
    return isinstance(value, np.ndarray)


@pytest.mark.parametrize(
    "value",
    [
        Result(np.ones(2), 0.5),
        Named(logits=np.ones(2)),
        collections.OrderedDict(a=np.ones(1)),
        Pair(np.zeros(1), [np.ones(1), None]),
        {"a": (np.ones(1), 3), "b": "text"},
    ],
    ids=lambda value: type(value).__name__,
)
def test_rebuild_is_the_inverse_of_flatten(value):
    tensors: list = []
    structure = flatten(value, is_tensor, tensors)
    again = rebuild(structure, tensors)
    assert type(again) is type(value)
    assert repr(again) == repr(value)


@pytest.mark.parametrize(
    "name",
    [
        "subprocess:Popen",
        "builtins:exec",
        "os:system",
        "shelve:DbfilenameShelf",
        "numpy:save",
        "numpy.lib.npyio:NpzFile",
        "test_structure:np.ndarray",
        "test_structure:missing",
        "test_structure:is_tensor",
        "transformers:no_such_class",
        "transformers.no_such_module:Popen",
        "",
    ],
)
def test_other_objects_become_dicts(name):
    structure = {"object": name, "fields": {"args": {"value": "touch ran"}}}
    assert rebuild(structure, []) == {"args": "touch ran"}


def test_modules_are_not_imported(in_own_folder, monkeypatch):
    monkeypatch.syspath_prepend(in_own_folder)
    (in_own_folder / "not_imported.py").write_text("open('ran', 'w')")
    structure = {"object": "not_imported:Result", "fields": {"a": {"value": 1}}}
    assert rebuild(structure, []) == {"a": 1}
    assert "not_imported" not in sys.modules and not (in_own_folder / "ran").exists()
