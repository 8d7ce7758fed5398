"""The type stub of the extension lists everything that the extension has, and nothing else."""

import ast
import inspect
import pathlib

import pytest

from lpot import _core

STUB = ast.parse(pathlib.Path(_core.__file__).with_name("_core.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def declared(body) -> dict[str, ast.stmt]:
    """Returns the public names that a module or class of the stub declares, and their nodes."""
    names = {}
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = node
    return {name: node for name, node in names.items() if is_checked(name)}


def is_checked(name: str) -> bool:
    return not name.startswith("_") or name in ("__version__", "__len__", "__getitem__")


def test_module():
    assert set(declared(STUB.body)) == {
        name for name in vars(_core) if is_checked(name)
    }


@pytest.mark.parametrize("name", CLASSES)
def test_members_of_class(name):
    members = declared(CLASSES[name].body)
    existing = {each: value for each, value in vars(getattr(_core, name)).items() if is_checked(each)}  # fmt: skip
    assert set(members) == set(existing)
    for member, node in members.items():
        is_property = inspect.isdatadescriptor(existing[member])
        assert isinstance(node, ast.AnnAssign) == is_property, member


def functions():
    for owner, body in [(_core, STUB.body)] + [
        (getattr(_core, name), node.body) for name, node in CLASSES.items()
    ]:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                yield pytest.param(owner, node, id=f"{owner.__name__}.{node.name}")


@pytest.mark.parametrize(("owner", "node"), functions())
def test_number_of_parameters(owner, node):
    """pybind11 writes the signature into the first line of the docstring."""
    signature = getattr(owner, node.name).__doc__.splitlines()[0]
    tree = ast.parse(f"def {signature.replace('lpot._core.', '')}: ...".replace("__init__(self: ", "__init__(self_: "))  # fmt: skip
    (found,) = tree.body
    assert len(found.args.args) == len(node.args.args), signature
    assert len(found.args.defaults) == len(node.args.defaults), signature
