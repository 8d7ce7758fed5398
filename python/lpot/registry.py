"""Registers Python data sets, transforms, metrics and strategies, so that a YAML file can name them."""

import collections.abc
import functools
import inspect
import json
import os
from typing import Any

from . import _core
from .errors import ConfigError

_KINDS = {bool: "flag", int: "integer", float: "number", str: "text"}


class Registry(dict[str, Any]):
    """Registered classes by name.

    As in LPOT, DATASETS("tensorflow")["dummy"] also finds the components of the C++ library. All frameworks share one
    table.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        # (name, *args, **parameters) -> component of the C++ library
        self.library: collections.abc.Callable[..., Any] | None = None

    def __call__(self, framework: str = "", process: str = "") -> Any:
        return _WithLibrary(self)


class _WithLibrary:
    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __getitem__(self, name: str) -> Any:
        if name in self._registry:
            return self._registry[name]
        registry = self._registry
        if (
            registry.library is None
            or _core.parameter_names(registry.kind, name) is None
        ):
            raise KeyError(f"unknown {registry.kind} {name!r}")
        return functools.partial(registry.library, name)


DATASETS = Registry("dataset")
METRICS = Registry("metric")
STRATEGIES = Registry("strategy")
TRANSFORMS = Registry("transform")
FILTERS = Registry("filter")


def component_text(
    kind: str,
    name: str,
    args: tuple[Any, ...],
    parameters: dict[str, Any],
) -> str:
    """Formats a component as YAML. Positional arguments are in the order of the component's parameters."""
    names = _core.parameter_names(kind, name) or []
    if len(args) > len(names):
        raise ConfigError(
            f"[{name}] got {len(args)} arguments; expected at most {len(names)}: {', '.join(names)}"
        )
    given = {**dict(zip(names, args)), **parameters}
    return json.dumps({name: given}, default=_to_json)


def _to_json(value: Any) -> Any:
    """Converts what JSON does not support: paths to text, arrays to lists."""
    return str(value) if isinstance(value, os.PathLike) else value.tolist()


def registrar(table: Registry) -> Any:
    """Returns a decorator that registers a class in `table`.

    The name is the first argument, or a keyword such as dataset_type="name". The framework and process arguments of
    LPOT are accepted and ignored.
    """

    def named(name: str | None = None, *_others: Any, **more: Any) -> Any:
        def register(cls: Any) -> Any:
            table[name or more.get(f"{table.kind}_type") or cls.__name__] = cls
            return cls

        return register

    return named


def _parameters(cls: Any) -> list[Any]:
    """Returns (name, kind, default) of each constructor parameter that a YAML file can set."""
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


def registered_components() -> dict[str, Any]:
    """Returns all registered components by kind. The C++ library checks a configuration against them."""
    return {
        table.kind: [
            _core.Registered(name, _parameters(cls)) for name, cls in table.items()
        ]
        for table in (DATASETS, TRANSFORMS, METRICS, STRATEGIES)
    }


def create_component(cls: Any, parameters: dict[str, Any]) -> Any:
    """Creates an object of a registered class with the parameters of the configuration."""
    known = {name for name, _, _ in _parameters(cls)}
    try:
        return cls(
            **{name: value for name, value in parameters.items() if name in known}
        )
    except TypeError as error:
        raise ConfigError(
            f"[{cls.__name__}] the constructor rejected the parameters {parameters}: {error}"
        ) from error
