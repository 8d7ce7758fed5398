"""Data sets, transforms, metrics and strategies that Python code registers, so that a YAML file may name them."""

import functools
import inspect
import json
import os

from . import _core
from .errors import ConfigError

_KINDS = {bool: "flag", int: "integer", float: "number", str: "text"}


class Registry(dict):
    """Classes by the names that they were registered with. As in LPOT, DATASETS("tensorflow")["dummy"] finds the library's
    as well: one table serves all frameworks."""

    def __init__(self, kind: str):
        super().__init__()
        self.kind = kind
        self.library = None  # (name, *args, **parameters) -> object, where the library has such components

    def __call__(self, framework: str = "", process: str = ""):
        return _WithLibrary(self)


class _WithLibrary:
    def __init__(self, registry: Registry):
        self._registry = registry

    def __getitem__(self, name: str):
        if name in self._registry:
            return self._registry[name]
        registry = self._registry
        if (
            registry.library is None
            or _core.parameter_names(registry.kind, name) is None
        ):
            raise KeyError(f"no {registry.kind} is called {name!r}")
        return functools.partial(registry.library, name)


DATASETS = Registry("dataset")
METRICS = Registry("metric")
STRATEGIES = Registry("strategy")
TRANSFORMS = Registry("transform")
FILTERS = Registry("filter")


def component_text(kind: str, name: str, args: tuple, parameters: dict) -> str:
    """A component of the library as a configuration names it; values without a name take the table's order."""
    names = _core.parameter_names(kind, name) or []
    if len(args) > len(names):
        raise ConfigError(
            f"[{name}] {len(args)} values were given, it takes {len(names)}: {', '.join(names)}"
        )
    given = {**dict(zip(names, args)), **parameters}
    return json.dumps({name: given}, default=_plain)


def _plain(value):
    """What JSON does not know: paths as text, arrays as lists."""
    return str(value) if isinstance(value, os.PathLike) else value.tolist()


def registrar(table: Registry):
    """A decorator that keeps a class in `table` under the name that it is given: the first value, or dataset_type="name" and
    the like. Frameworks and processes, which LPOT asks for as well, make no difference."""

    def named(name: str | None = None, *_others, **more):
        def keep(cls):
            table[name or more.get(f"{table.kind}_type") or cls.__name__] = cls
            return cls

        return keep

    return named


def _parameters(cls) -> list:
    """Name, kind and default of what a class is made with, as a YAML file may set it."""
    found = []
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        text = (
            ""
            if default is None
            else str(default).lower()
            if isinstance(default, bool)
            else str(default)
        )
        found.append((parameter.name, _KINDS.get(type(default), "text"), text))
    return found


def registered() -> dict:
    """For the library, which checks the names and parameters of a configuration."""
    return {
        table.kind: [
            _core.Registered(name, _parameters(cls)) for name, cls in table.items()
        ]
        for table in (DATASETS, TRANSFORMS, METRICS, STRATEGIES)
    }


def made(cls, parameters: dict):
    """An object of a registered class with the parameters of the configuration."""
    known = {name for name, _, _ in _parameters(cls)}
    try:
        return cls(
            **{name: value for name, value in parameters.items() if name in known}
        )
    except TypeError as error:
        raise ConfigError(
            f"[{cls.__name__}] cannot be made with {parameters}: {error}"
        ) from error
