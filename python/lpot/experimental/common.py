"""What models, data, metrics and postprocessing may be wrapped in."""

from ..data.dataloader import DataLoader
from ..metric import Maker

__all__ = ["DataLoader", "Metric", "Model", "Postprocess"]


class Model:
    """A model, or the path of one."""

    def __init__(self, root, **_options):
        self._lpot_root = root

    @property
    def model(self):
        return self._lpot_root


class Metric(Maker):
    """A metric's class, the name that it has in results, and what it is made with."""

    def __init__(self, metric_cls, name: str = "user_metric", **parameters):
        super().__init__(metric_cls, name, parameters)


class Postprocess:
    """A class whose objects turn (predictions, labels) into what the metric counts."""

    def __init__(self, postprocess_cls, name: str = "user_postprocess", **parameters):
        self.name = name
        self._apply = (
            postprocess_cls(**parameters)
            if isinstance(postprocess_cls, type)
            else postprocess_cls
        )

    def __call__(self, sample):
        return self._apply(sample)
