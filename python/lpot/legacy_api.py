"""Base class of the LPOT 1.0 and 1.1 interfaces, which have methods for loaders, metrics and postprocessing."""

from .data.dataloader import DataLoader
from .experimental.common import Metric, Postprocess


class LegacyApi:
    """Forwards everything to an object of lpot.experimental."""

    def __init__(self, experimental):
        self._experimental = experimental

    def dataloader(
        self,
        dataset,
        batch_size: int = 1,
        collate_fn=None,
        last_batch: str = "rollover",
        **options,
    ):
        return DataLoader(dataset, batch_size, collate_fn, last_batch, **options)

    def metric(self, name: str, metric_cls, **kwargs) -> None:
        self._experimental.metric = Metric(metric_cls, name, **kwargs)

    def postprocess(self, name: str, postprocess_cls, **kwargs) -> None:
        self._experimental.postprocess = Postprocess(postprocess_cls, name, **kwargs)
