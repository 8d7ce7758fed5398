"""lpot.benchmark.Benchmark, the interface of LPOT 1.0 and 1.1: all inputs are arguments of one call."""

from typing import Any

from .experimental.benchmark import Benchmark as _Benchmark
from .legacy_api import LegacyApi
from .types import ConfFiles


class Benchmark(LegacyApi):
    """benchmark = Benchmark("conf.yaml"); results = benchmark(model, b_dataloader=loader)"""

    def __init__(self, conf: ConfFiles) -> None:
        super().__init__(_Benchmark(conf))

    def __call__(
        self,
        model: Any,
        b_dataloader: Any = None,
        b_func: Any = None,
        mode: str = "performance",
    ) -> dict[str, Any]:
        self._experimental.model = model
        self._experimental.b_dataloader = b_dataloader
        self._experimental.b_func = b_func
        return dict(self._experimental(mode))
