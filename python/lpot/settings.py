"""Builds the configuration of tune() and quantize() from their arguments.

There are three layers: defaults, the `config` argument, and the other arguments. Later layers override earlier ones.
"""

import collections.abc
import dataclasses
import json
import numbers
import os
import typing
from typing import Any

from . import _core
from .bridges import describe
from .errors import ConfigError
from .registry import STRATEGIES, registered_components

Config: typing.TypeAlias = (
    str
    | os.PathLike[str]
    | collections.abc.Mapping[str, Any]
    | collections.abc.Sequence[str | os.PathLike[str]]
)
_Layer: typing.TypeAlias = tuple[
    str, str | None
]  # name in messages; YAML, or None: the name is a file

SAMPLING_SIZE = 300


@dataclasses.dataclass
class TuneSettings:
    """The arguments of tune() that are keys of a configuration. None: not given."""

    metric: dict[str, Any] | None = None
    max_loss: float | None = None
    criterion: str = "relative"
    higher_is_better: bool | None = None
    max_trials: int | None = None
    timeout: float | None = None
    strategy: str | None = None

    def check(self) -> None:
        """Raises ConfigError if an argument is invalid."""
        _check_choice("criterion", self.criterion, ["relative", "absolute"])
        if self.max_loss is None and self.criterion != "relative":
            raise ConfigError(
                f"[tune] criterion: got {self.criterion!r} without max_loss; pass max_loss too"
            )
        if self.max_loss is not None:
            most = 1.0 if self.criterion == "relative" else float("inf")
            _check_number("max_loss", self.max_loss, 0, most)
        if self.max_trials is not None:
            _check_number("max_trials", self.max_trials, 1, kind=numbers.Integral)
        if self.timeout is not None:
            _check_number("timeout", self.timeout, 0)
        if self.strategy is not None:
            known = [*_core.component_names("strategy"), *STRATEGIES]
            _check_choice("strategy", self.strategy, known)

    def tree(self) -> dict[str, Any]:
        """Returns the keys of the given arguments as a configuration."""
        criterion: dict[str, Any] = {}
        if self.max_loss is not None:
            criterion[self.criterion] = float(self.max_loss)
        if self.higher_is_better is not None:
            criterion["higher_is_better"] = self.higher_is_better
        exit_policy = {
            "max_trials": None if self.max_trials is None else int(self.max_trials),
            "timeout": None if self.timeout is None else float(self.timeout),
        }
        tuning = {
            "accuracy_criterion": criterion,
            "exit_policy": {
                key: value for key, value in exit_policy.items() if value is not None
            },
            "strategy": {"name": self.strategy} if self.strategy is not None else {},
        }
        tree: dict[str, Any] = {
            "tuning": {key: value for key, value in tuning.items() if value}
        }
        if self.metric is not None:
            tree["evaluation"] = {"accuracy": {"metric": self.metric}}
        return tree


def load_settings(
    model: Any, config: Config | None, settings: TuneSettings | None = None
) -> _core.Config:
    """Loads the configuration of one call."""
    layers = [_defaults(model), *_config_layers(config)]
    if settings is not None:
        layers.append(("the arguments of tune()", _json(settings.tree())))
    return _core.load_config(layers, registry=registered_components())


def _defaults(model: Any) -> _Layer:
    name, framework = describe(model)
    tree = {
        "model": {"name": name, "framework": framework},
        "quantization": {"calibration": {"sampling_size": SAMPLING_SIZE}},
        "tuning": {"strategy": {"name": "auto"}},
    }
    return "the defaults of tune()", _json(tree)


def _config_layers(config: Config | None) -> list[_Layer]:
    if config is None:
        return []
    if isinstance(config, (str, os.PathLike)):
        return [(os.fspath(config), None)]
    if isinstance(config, collections.abc.Mapping):
        return [("config", _json(dict(config)))]
    if isinstance(config, collections.abc.Sequence):
        return [(os.fspath(file), None) for file in config]
    raise ConfigError(
        f"[tune] config: got a {type(config).__name__}; expected the path of a YAML file, or a dict with its keys"
    )


def _json(tree: dict[str, Any]) -> str:
    """Formats a configuration as JSON, which is also YAML."""
    try:
        return json.dumps(tree, default=os.fspath, indent=1)
    except TypeError as error:
        raise ConfigError(
            f"[tune] config: {error}; expected strings, numbers, lists and dicts"
        ) from error


def _check_choice(name: str, value: object, known: list[str]) -> None:
    if value not in known:
        raise ConfigError(
            f"[tune] {name}: got {value!r}; expected one of: {', '.join(known)}"
        )


def _check_number(
    name: str,
    value: object,
    least: float,
    most: float = float("inf"),
    kind: type = numbers.Real,
) -> None:
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if is_number and least <= typing.cast(float, value) <= most:
        return
    noun = "an integer" if kind is numbers.Integral else "a number"
    bounds = f"from {least:g} to {most:g}" if most < float("inf") else f">= {least:g}"
    raise ConfigError(f"[tune] {name}: got {value!r}; expected {noun} {bounds}")
