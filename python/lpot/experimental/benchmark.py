"""lpot.experimental.Benchmark: measures latency, throughput and accuracy of a model."""

import itertools
import logging
import statistics
import time
from typing import Any

from .. import _core, interruptible, log
from ..engine import Request, load_config, prepare
from ..errors import ConfigError
from ..saved import Quantized, infer, load_program
from ..types import ConfFiles
from .quantization import metric_factory


class Benchmark:
    """benchmark = Benchmark("conf.yaml"); benchmark.model = q_model; benchmark.b_dataloader = loader; benchmark()"""

    def __init__(self, conf: ConfFiles) -> None:
        self._config = load_config(conf)
        self.model = None
        self.b_dataloader = None
        self.b_func = None
        self.metric = None
        self.postprocess = None
        self.results: dict[str, Any] = {}

    def __call__(self, mode: str = "performance") -> dict[str, Any]:
        """Returns {"performance": {latency_ms, throughput, batch_size}, "accuracy": {metric: value}}.

        Modes that were not run are missing.
        latency_ms is the median time of a batch divided by the batch size. The keys of evaluation.performance apply:
        dataloader (if b_dataloader is not set), warmup, iteration, and the cores of one instance.
        """
        if mode not in ("performance", "accuracy"):
            raise ConfigError(
                f"[Benchmark] mode: expected performance or accuracy, got {mode!r}"
            )
        log.set_up()
        if self.b_func is not None:
            self.results[mode] = self.b_func(self.model)
        else:
            self.results[mode] = (
                self._speed() if mode == "performance" else self._accuracy()
            )
        return self.results

    bench = __call__

    def _job(self, config: _core.Config, metric: Any = None) -> Any:
        model = self.model.ir if isinstance(self.model, Quantized) else self.model
        request = Request(
            model=model,
            eval_dataloader=self.b_dataloader,
            metrics=[metric] if metric else [],
            postprocess=self.postprocess,
        )
        return prepare(config, request)

    def _accuracy(self) -> dict[str, Any]:
        job, _bridge = self._job(self._config, metric_factory(self.metric))
        return dict(interruptible.run(lambda: _core.evaluate(job), job.stop))

    def _speed(self) -> dict[str, Any]:
        settings = self._config.performance
        if settings["instances"] > 1:
            logging.getLogger("lpot").warning(
                "evaluation.performance.configs.num_of_instance is %d; Python measures one instance. "
                "'lpot bench --config' measures several.",
                settings["instances"],
            )
        job, bridge = self._job(self._config.with_performance_data())
        model, inputs = (
            load_program(bridge.path, settings["threads"]),
            interruptible.run(lambda: _core.batches(job, 8)),
        )
        for arrays in inputs:  # compiles each shape
            infer(model, arrays)
        endless = itertools.cycle(inputs)
        for _ in range(settings["warmup"] - len(inputs)):
            infer(model, next(endless))
        times: list[float] = []
        while not _is_enough(times, settings["iteration"]):
            arrays = next(endless)
            start = time.perf_counter()
            infer(model, arrays)
            times.append(time.perf_counter() - start)
        seconds = statistics.median(times)
        count = len(inputs[0][0])
        return {
            "latency_ms": seconds / count * 1000,
            "throughput": count / seconds,
            "batch_size": count,
        }


def _is_enough(times: list[float], iteration: int) -> bool:
    """Whether there are `iteration` runs, or if that is not set, runs for two seconds."""
    if iteration > 0:
        return len(times) >= iteration
    return len(times) >= 3 and (sum(times) >= 2 or len(times) >= 1000)
