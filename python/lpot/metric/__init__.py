"""Metrics in Python. One's own is a class with update(preds, labels), result() and, where it is used again, reset()."""

import copy

from .. import _core, interruptible
from .. import lazy_numpy as np
from ..collect import as_array
from ..registry import METRICS, component_text, registrar

__all__ = [
    "METRICS",
    "BaseMetric",
    "LibraryMetric",
    "Maker",
    "metric_registry",
    "postprocess_arrays",
]

metric_registry = registrar(METRICS)


class BaseMetric:
    """To derive from; any class with these methods will do as well."""

    higher_is_better = True

    def update(self, preds, labels, sample_weight=None):
        raise NotImplementedError

    def reset(self):
        raise NotImplementedError

    def result(self):
        raise NotImplementedError


class LibraryMetric(BaseMetric):
    """A metric of the library: LibraryMetric("topk", k=5). Several outputs come as a list of arrays."""

    def __init__(self, name: str, *args, **parameters):
        self._metric = _core.metric(component_text("metric", name, args, parameters))
        self.higher_is_better = self._metric.higher_is_better

    def __deepcopy__(self, memo):
        copied = copy.copy(self)
        copied.reset()
        return copied

    def reset(self):
        self._metric = self._metric.fresh()

    def update(self, preds, labels, sample_weight=None):
        several = isinstance(preds, (tuple, list)) and np.ndim(preds[0]) > 1
        outputs = [as_array(one) for one in (preds if several else [preds])]
        self._metric.update(outputs, [as_array(label) for label in labels])

    def result(self) -> float:
        return self._metric.result()


METRICS.library = LibraryMetric


def _joined(labels: list, kept: list):
    """Labels of a batch as the user's loader gave them: one array, or a list of what is no number."""
    if kept:
        return [kept[int(label)] for label in labels]
    if not labels or any(label is None for label in labels):
        return labels
    shapes = {label.shape for label in labels}
    return np.stack(labels) if len(shapes) == 1 else labels


def _predictions(outputs: list):
    return outputs[0] if len(outputs) == 1 else outputs


class _Bound:
    """A metric as the library asks for it: outputs and labels come as lists of arrays."""

    def __init__(self, metric, kept: list, postprocess):
        self._metric = metric
        self._kept = kept
        self._postprocess = postprocess
        self.higher_is_better = bool(getattr(metric, "higher_is_better", True))

    def update(self, outputs, labels):
        interruptible.call_on_main_thread(lambda: self._update(outputs, labels))

    def _update(self, outputs, labels):
        preds, labels = _predictions(outputs), _joined(labels, self._kept)
        if self._postprocess is not None:
            preds, labels = self._postprocess((preds, labels))
        self._metric.update(preds, labels)

    def result(self):
        return float(interruptible.call_on_main_thread(self._metric.result))


class Maker:
    """Makes fresh metrics: of a class, or as copies of an object that has nothing counted yet."""

    def __init__(self, metric, name: str | None = None, parameters: dict | None = None):
        self._metric = metric
        self._parameters = parameters or {}
        self.name = name or getattr(metric, "__name__", type(metric).__name__)

    def make(self):
        if isinstance(self._metric, type) or not hasattr(self._metric, "update"):
            return self._metric(**self._parameters)
        metric = copy.deepcopy(self._metric)
        if hasattr(metric, "reset"):
            metric.reset()
        return metric

    def bound(self, kept: list, postprocess):
        return lambda: _Bound(
            interruptible.call_on_main_thread(self.make), kept, postprocess
        )


def postprocess_arrays(postprocess, kept: list):
    """Postprocessing in Python in front of a metric of the library, which wants arrays."""

    def apply(outputs, labels):
        given = _predictions(outputs), _joined(labels, kept)
        preds, labels = interruptible.call_on_main_thread(lambda: postprocess(given))
        preds = list(preds) if isinstance(preds, (list, tuple)) else [preds]
        return [np.asarray(pred) for pred in preds], [
            np.asarray(label) for label in labels
        ]

    return apply
