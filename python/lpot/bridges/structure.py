"""Separates nested inputs and outputs of a module into a structure and a flat list of tensors.

Tuples, lists, dicts and objects such as Hugging Face's model outputs are supported. A structure consists of plain
values, so that it can be written as JSON. It may come from a file of somebody else, so rebuild() only creates objects
of the kinds that flatten() writes, and runs no other code.
"""

import collections
import collections.abc
import dataclasses
import importlib
import sys
from typing import Any


def flatten(value: Any, is_tensor: Any, tensors: list[Any]) -> Any:
    """Returns the structure of `value` and appends its tensors to `tensors`. Unsupported values become None."""
    if is_tensor(value):
        tensors.append(value)
        return {"tensor": len(tensors) - 1}
    if isinstance(value, collections.abc.Mapping):
        fields = {
            str(key): flatten(item, is_tensor, tensors) for key, item in value.items()
        }
        return (
            {"dict": fields}
            if type(value) is dict
            else {"object": _name(value), "fields": fields}
        )
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a namedtuple
        fields = {
            key: flatten(item, is_tensor, tensors)
            for key, item in zip(value._fields, value)
        }
        return {"object": _name(value), "fields": fields}
    if isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [flatten(item, is_tensor, tensors) for item in value]}
    if dataclasses.is_dataclass(value):
        fields = {
            field.name: flatten(getattr(value, field.name), is_tensor, tensors)
            for field in dataclasses.fields(value)
        }
        return {"object": _name(value), "fields": fields}
    return {"value": value if isinstance(value, (bool, int, float, str)) else None}


def rebuild(structure: dict[str, Any], tensors: Any) -> Any:
    """Returns the value that has this structure and these tensors; the inverse of flatten()."""
    if "tensor" in structure:
        return tensors[structure["tensor"]]
    if "dict" in structure:
        return {key: rebuild(item, tensors) for key, item in structure["dict"].items()}
    if "tuple" in structure:
        return tuple(rebuild(item, tensors) for item in structure["tuple"])
    if "list" in structure:
        return [rebuild(item, tensors) for item in structure["list"]]
    if "object" in structure:
        fields = {
            key: rebuild(item, tensors) for key, item in structure["fields"].items()
        }
        kind = _find(structure["object"])
        return kind(**fields) if kind else fields
    return structure["value"]


def _name(value: Any) -> str:
    return _name_of_class(type(value))


def _name_of_class(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _find(name: str) -> Any:
    """Returns the class of that name if flatten() writes objects of it, else None; rebuild() then returns a dict."""
    module, _, path = name.partition(":")
    found: Any = _module(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    is_class = isinstance(found, type) and _name_of_class(found) == name
    return found if is_class and _is_structure(found) else None


def _module(name: str) -> Any:
    """Returns a module that is imported already, or one of transformers, or None."""
    package = name.partition(".")[0]
    if package in sys.stdlib_module_names and package != "collections":
        return None
    if package == "transformers" and name not in sys.modules:
        try:
            return importlib.import_module(name)
        except ImportError:
            return None
    return sys.modules.get(name)


def _is_structure(kind: type) -> bool:
    # Other mappings than dicts may open files when they are created.
    return (
        dataclasses.is_dataclass(kind)
        or issubclass(kind, (dict, collections.UserDict))
        or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    )
