"""The `metric` argument of tune(): a name, a function, or a class with update and result."""

import collections.abc
import inspect
import re
import typing
from typing import Any

from .. import _core
from .. import lazy_numpy as np
from ..errors import ConfigError
from ..registry import METRICS
from . import BaseMetric, MetricFactory

EvalFunc: typing.TypeAlias = collections.abc.Callable[[Any], float]
MetricFunction: typing.TypeAlias = collections.abc.Callable[[Any, Any], float]
Metric: typing.TypeAlias = (
    str
    | collections.abc.Mapping[str, Any]
    | EvalFunc
    | MetricFunction
    | BaseMetric
    | type[BaseMetric]
)


class ResolvedMetric(typing.NamedTuple):
    """One of the three is set."""

    component: dict[str, Any] | None = None  # evaluation.accuracy.metric
    factory: MetricFactory | None = None
    eval_func: EvalFunc | None = None


def resolve_metric(metric: Metric) -> ResolvedMetric:
    """Decides what kind of metric was given. Raises ConfigError if it is none."""
    if isinstance(metric, str):
        return ResolvedMetric(component=_component(metric))
    if isinstance(metric, collections.abc.Mapping):
        return ResolvedMetric(component=dict(metric))
    if hasattr(metric, "update") and hasattr(metric, "result"):
        return ResolvedMetric(factory=MetricFactory(metric))
    if not callable(metric):
        raise ConfigError(
            f"[tune] metric: got a {type(metric).__name__}; expected a name, a function metric(outputs, labels), "
            "a function eval_func(model), or a class with update and result"
        )
    if _required_parameters(metric) == 1:
        return ResolvedMetric(eval_func=typing.cast(EvalFunc, metric))
    function = typing.cast(MetricFunction, metric)
    name = getattr(metric, "__name__", type(metric).__name__)
    name = "metric" if name == "<lambda>" else name
    return ResolvedMetric(factory=MetricFactory(lambda: FunctionMetric(function), name))


def metric_names() -> list[str]:
    """Returns the names that `metric` accepts: those of the library in lower case, and registered classes."""
    names = [
        "top1, top5, ..." if name == "topk" else name.lower()
        for name in _core.component_names("metric")
    ]
    return [*names, *METRICS]


def _component(name: str) -> dict[str, Any]:
    if name in METRICS:
        return {name: {}}
    top = re.fullmatch(r"top-?(\d+)", name.lower())
    if top:
        return {"topk": {"k": int(top[1])}}
    for known in _core.component_names("metric"):
        if known.lower() == name.lower():
            return {known: {}}
    raise ConfigError(
        f"[tune] metric: unknown name {name!r}; expected one of: {', '.join(metric_names())}"
    )


def _required_parameters(function: collections.abc.Callable[..., Any]) -> int:
    """Returns 1 for eval_func(model) and 2 for metric(outputs, labels)."""
    count = None
    try:
        parameters = inspect.signature(function).parameters.values()
        count = sum(
            parameter.default is parameter.empty
            and parameter.kind
            in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            for parameter in parameters
        )
    except (TypeError, ValueError):  # a function that is not written in Python
        pass
    if count not in (1, 2):
        raise ConfigError(
            f"[tune] metric: the function has {'unknown' if count is None else count} required parameters; expected "
            "1, eval_func(model), or 2, metric(outputs, labels). Wrap it in a lambda."
        )
    return count


class FunctionMetric(BaseMetric):
    """Calls function(outputs, labels) once, with the outputs and labels of all batches."""

    def __init__(self, function: MetricFunction):
        self._function = function
        self.reset()

    def reset(self) -> None:
        self._outputs: list[Any] = []
        self._labels: list[Any] = []

    def update(self, preds: Any, labels: Any, sample_weight: Any = None) -> None:
        self._outputs.append(preds)
        self._labels.append(labels)

    def result(self) -> float:
        value = self._function(_join_outputs(self._outputs), _join_labels(self._labels))
        if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
            raise TypeError(
                f"the metric returned {value!r} ({type(value).__name__}); expected a number"
            )
        return float(value)


def _join_outputs(batches: list[Any]) -> Any:
    """Joins the outputs of all batches: an array, or a list with one array per output of the model."""
    if isinstance(batches[0], list):
        return [_join_rows(parts) for parts in zip(*batches)]
    return _join_rows(batches)


def _join_rows(batches: collections.abc.Sequence[Any]) -> Any:
    """Concatenates arrays. Rows of different shapes become a list of arrays."""
    if len({batch.shape[1:] for batch in batches}) == 1:
        return np.concatenate(batches)
    return [row for batch in batches for row in batch]


def _join_labels(batches: list[Any]) -> Any:
    """Joins labels to an array, or to a list if they are not arrays. Returns None if there are no labels."""
    if all(isinstance(batch, np.ndarray) for batch in batches):
        return _join_rows(batches)
    labels = [label for batch in batches for label in batch]
    return None if all(label is None for label in labels) else labels
