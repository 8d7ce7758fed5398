"""Metrics. A user-defined metric is a class with update(preds, labels), result() and, if it is reused, reset()."""

import copy
from typing import Any

from .. import _core, interruptible
from .. import lazy_numpy as np
from ..collect import as_array
from ..registry import METRICS, component_text, registrar

__all__ = [
    "METRICS",
    "BaseMetric",
    "LibraryMetric",
    "MetricFactory",
    "metric_registry",
    "postprocess_arrays",
]

metric_registry = registrar(METRICS)


class BaseMetric:
    """Base class of metrics. Deriving from it is optional: any class with these methods works."""

    higher_is_better = True

    def update(self, preds: Any, labels: Any, sample_weight: Any = None) -> Any:
        raise NotImplementedError

    def reset(self) -> Any:
        raise NotImplementedError

    def result(self) -> Any:
        raise NotImplementedError


class LibraryMetric(BaseMetric):
    """A metric of the C++ library: LibraryMetric("topk", k=5). Predictions of several outputs are a list of arrays."""

    def __init__(self, name: str, *args: Any, **parameters: Any) -> None:
        self._metric = _core.metric(component_text("metric", name, args, parameters))
        self.higher_is_better = self._metric.higher_is_better

    def __deepcopy__(self, memo: Any) -> Any:
        copied = copy.copy(self)
        copied.reset()
        return copied

    def reset(self) -> None:
        self._metric = self._metric.fresh()

    def update(self, preds: Any, labels: Any, sample_weight: Any = None) -> None:
        several = isinstance(preds, (tuple, list)) and np.ndim(preds[0]) > 1
        outputs = [as_array(one) for one in (preds if several else [preds])]
        self._metric.update(outputs, [as_array(label) for label in labels])

    def result(self) -> float:
        return self._metric.result()


METRICS.library = LibraryMetric


def _restore_labels(labels: list[Any], label_objects: list[Any]) -> Any:
    """Returns the labels of a batch as the user's loader yielded them: an array, or a list of objects."""
    if label_objects:
        return [label_objects[int(label)] for label in labels]
    if not labels or any(label is None for label in labels):
        return labels
    shapes = {label.shape for label in labels}
    return np.stack(labels) if len(shapes) == 1 else labels


def _predictions(outputs: list[Any]) -> Any:
    return outputs[0] if len(outputs) == 1 else outputs


class _MetricAdapter:
    """Adapts a user metric to the C++ library, which passes outputs and labels as lists of arrays."""

    def __init__(
        self,
        metric: Any,
        label_objects: list[Any],
        postprocess: Any,
    ) -> None:
        self._metric = metric
        self._label_objects = label_objects
        self._postprocess = postprocess
        self.higher_is_better = bool(getattr(metric, "higher_is_better", True))

    def update(self, outputs: Any, labels: Any) -> None:
        interruptible.call_on_main_thread(lambda: self._update(outputs, labels))

    def _update(self, outputs: Any, labels: Any) -> None:
        preds = _predictions(outputs)
        labels = _restore_labels(labels, self._label_objects)
        if self._postprocess is not None:
            preds, labels = self._postprocess((preds, labels))
        self._metric.update(preds, labels)

    def result(self) -> Any:
        return float(interruptible.call_on_main_thread(self._metric.result))


class MetricFactory:
    """Creates metrics from a class, or as copies of an object."""

    def __init__(
        self,
        metric: Any,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self._metric = metric
        self._parameters = parameters or {}
        self.name: str = name or str(getattr(metric, "__name__", type(metric).__name__))

    def create(self) -> Any:
        if isinstance(self._metric, type) or not hasattr(self._metric, "update"):
            return self._metric(**self._parameters)
        metric = copy.deepcopy(self._metric)
        if hasattr(metric, "reset"):
            metric.reset()
        return metric

    def bind(self, label_objects: list[Any], postprocess: Any) -> Any:
        """Returns a function that creates metrics for the C++ library."""
        return lambda: _MetricAdapter(
            interruptible.call_on_main_thread(self.create), label_objects, postprocess
        )


def postprocess_arrays(postprocess: Any, label_objects: list[Any]) -> Any:
    """Wraps a Python postprocessing function so that its results are arrays, as metrics of the C++ library require."""

    def apply(outputs: Any, labels: Any) -> Any:
        given = _predictions(outputs), _restore_labels(labels, label_objects)
        preds, labels = interruptible.call_on_main_thread(lambda: postprocess(given))
        preds = list(preds) if isinstance(preds, (list, tuple)) else [preds]
        return [np.asarray(pred) for pred in preds], [
            np.asarray(label) for label in labels
        ]

    return apply
