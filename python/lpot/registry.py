"""Data sets, metrics and strategies that Python code registers, so that a YAML file may name them."""

import inspect

from . import _core
from .errors import ConfigError

DATASETS: dict = {}
METRICS: dict = {}
STRATEGIES: dict = {}
TRANSFORMS: dict = {}
FILTERS: dict = {}

_KINDS = {bool: "flag", int: "integer", float: "number", str: "text"}


def registrar(table: dict, lower: bool = False):
    """A decorator that keeps a class in `table` under the name that it is given."""

    def named(name: str | None = None, *_others, **_more):
        def keep(cls):
            table[
                (name or cls.__name__).lower() if lower else (name or cls.__name__)
            ] = cls
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
    tables = {"dataset": DATASETS, "metric": METRICS, "strategy": STRATEGIES}
    return {
        kind: [_core.Registered(name, _parameters(cls)) for name, cls in table.items()]
        for kind, table in tables.items()
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
