"""Base class of the LPOT 1.0 and 1.1 interfaces, which have methods for loaders, metrics and postprocessing."""

from typing import Any

from .data.dataloader import DataLoader
from .experimental.common import Metric, Postprocess


class LegacyApi:
    """Forwards everything to an object of lpot.experimental."""

    def __init__(self, experimental: Any) -> None:
        self._experimental = experimental

    def dataloader(
        self,
        dataset: Any,
        batch_size: int = 1,
        collate_fn: Any = None,
        last_batch: str = "rollover",
        **options: Any,
    ) -> Any:
        return DataLoader(dataset, batch_size, collate_fn, last_batch, **options)

    def metric(self, name: str, metric_cls: Any, **kwargs: Any) -> None:
        self._experimental.metric = Metric(metric_cls, name, **kwargs)

    def postprocess(self, name: str, postprocess_cls: Any, **kwargs: Any) -> None:
        self._experimental.postprocess = Postprocess(postprocess_cls, name, **kwargs)
