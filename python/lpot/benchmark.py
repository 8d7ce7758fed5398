"""lpot.benchmark.Benchmark, the interface of LPOT 1.0 and 1.1: all inputs are arguments of one call."""

from .experimental.benchmark import Benchmark as _Benchmark
from .legacy_api import LegacyApi


class Benchmark(LegacyApi):
    """benchmark = Benchmark("conf.yaml"); results = benchmark(model, b_dataloader=loader)"""

    def __init__(self, conf):
        super().__init__(_Benchmark(conf))

    def __call__(
        self, model, b_dataloader=None, b_func=None, mode: str = "performance"
    ) -> dict:
        self._experimental.model = model
        self._experimental.b_dataloader = b_dataloader
        self._experimental.b_func = b_func
        return self._experimental(mode)
