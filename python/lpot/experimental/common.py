"""Wrapper classes of LPOT 1.2 for models, data loaders, metrics and postprocessing."""

from typing import Any

from ..data.dataloader import DataLoader
from ..metric import MetricFactory

__all__ = ["DataLoader", "Metric", "Model", "Postprocess"]


class Model:
    """Wraps a model or its path."""

    def __init__(self, root: Any, **_options: Any) -> None:
        self._lpot_root = root

    @property
    def model(self) -> Any:
        return self._lpot_root


class Metric(MetricFactory):
    """Wraps a metric class, its name in the results and its constructor arguments."""

    def __init__(
        self,
        metric_cls: Any,
        name: str = "user_metric",
        **parameters: Any,
    ) -> None:
        super().__init__(metric_cls, name, parameters)


class Postprocess:
    """Wraps a class, or a function, that maps (predictions, labels) to the arguments of the metric."""

    def __init__(
        self,
        postprocess_cls: Any,
        name: str = "user_postprocess",
        **parameters: Any,
    ) -> None:
        self.name = name
        self._apply = (
            postprocess_cls(**parameters)
            if isinstance(postprocess_cls, type)
            else postprocess_cls
        )

    def __call__(self, sample: Any) -> Any:
        return self._apply(sample)
