"""lpot.benchmark.Benchmark: everything in one call."""

from .data.dataloader import DataLoader
from .experimental.benchmark import Benchmark as _Benchmark
from .experimental.common import Metric, Postprocess


class Benchmark:
    """benchmark = Benchmark("conf.yaml"); results = benchmark(model, b_dataloader=loader)"""

    def __init__(self, conf):
        self._benchmark = _Benchmark(conf)

    def __call__(
        self, model, b_dataloader=None, b_func=None, mode: str = "performance"
    ) -> dict:
        self._benchmark.model = model
        self._benchmark.b_dataloader = b_dataloader
        self._benchmark.b_func = b_func
        return self._benchmark(mode)

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
        self._benchmark.metric = Metric(metric_cls, name, **kwargs)

    def postprocess(self, name: str, postprocess_cls, **kwargs) -> None:
        self._benchmark.postprocess = Postprocess(postprocess_cls, name, **kwargs)
