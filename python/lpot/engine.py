"""Quantizes and tunes a model: connects the user's model, data and functions to the C++ library."""

import dataclasses
import json
import typing

from . import _core, interruptible, log
from .bridges import bridge_for
from .collect import Collected, collect, first_sample, reusable
from .errors import ConfigError, Error, Interrupted
from .registry import METRICS, STRATEGIES, create_component, registered_components
from .saved import Folder


@dataclasses.dataclass
class Request:
    """Inputs that the user set in Python. Where a value is None, the configuration applies."""

    model: typing.Any = None
    calib_dataloader: typing.Any = None
    eval_dataloader: typing.Any = None
    eval_func: typing.Callable | None = None
    q_func: typing.Callable | None = None
    metrics: list = dataclasses.field(default_factory=list)  # of metric.MetricFactory
    postprocess: typing.Callable | None = None
    strategy: typing.Any = None
    resume: bool = False


def load_config(conf):
    """Loads a configuration from one or several YAML files. Later files override earlier ones."""
    files = (
        [str(conf)]
        if not isinstance(conf, (list, tuple))
        else [str(file) for file in conf]
    )
    return _core.load_config(files, registry=registered_components())


def quantize(config, request: Request):
    """Tunes the model. Without an eval_func and a metric, quantizes it once."""
    log.set_up()
    for warning in config.warnings:
        log.report(2, warning)
    if request.model is None:
        raise ConfigError(
            "[quantize] no model is set. Set .model to a module, a graph, an onnx.ModelProto or a path."
        )
    job, bridge = prepare(config, request)
    scores = request.eval_func or request.metrics or config.metrics or config.command
    if not scores:
        log.report(
            1,
            "no eval_func and no metric: the model is quantized once, without evaluation",
        )
        answer = interruptible.run(lambda: _core.quantize(job), job.stop)
        return bridge.result(answer["model"].parent, answer["plan"], {})
    best = _Best(bridge)
    job.on_saved = best.store
    try:
        answer = interruptible.run(lambda: _core.tune(job), job.stop)
    except KeyboardInterrupt:
        raise best.interrupted({}) from None
    return _result(answer, best)


def prepare(config, request: Request):
    """Builds the job for the C++ library and the bridge to the framework of the model."""
    calib = _loader(config.calibration_loader, request.calib_dataloader)
    evaluation = _loader(config.evaluation_loader, request.eval_dataloader)

    def example():
        return interruptible.call_on_main_thread(
            lambda: _example(config, request, calib, evaluation)
        )

    bridge = interruptible.run(lambda: bridge_for(request.model, config, example))
    if request.q_func is not None and calib is None:
        if not hasattr(bridge, "record_inputs"):
            raise ConfigError(
                "[quantize] q_func works only with PyTorch modules. Set calib_dataloader instead."
            )
        calib = bridge.record_inputs(request.q_func)
    config = bridge.adapt_config(config)
    job = _core.Job(
        config.without_metrics([name for name, _ in config.metrics if name in METRICS]),
        bridge.path,
    )
    _set_data(job, config, bridge, calib, evaluation, request)
    job.resume = request.resume
    job.on_log = log.report
    job.on_trial = log.report_trial
    job.on_saved = bridge.on_saved
    if request.eval_func is not None:
        job.name = getattr(request.eval_func, "__name__", "eval_func")

        def evaluate(candidate):
            model = bridge.fp32() if candidate.is_fp32 else bridge.candidate(candidate)
            return interruptible.call_on_main_thread(lambda: request.eval_func(model))

        job.evaluate = evaluate
    name, parameters = config.strategy
    if request.strategy is not None:
        job.strategy = _MainThreadStrategy(request.strategy)
    elif name in STRATEGIES:
        job.strategy = _MainThreadStrategy(
            create_component(STRATEGIES[name], parameters)
        )
    return job, bridge


class _MainThreadStrategy:
    """Calls the user's strategy on the main thread."""

    def __init__(self, strategy):
        self._strategy = strategy

    def next(self, space, trials, goal):
        return interruptible.call_on_main_thread(
            lambda: self._strategy.next(space, trials, goal)
        )


def _set_data(job, config, bridge, calib, evaluation, request: Request) -> None:
    if calib is not None:
        # sampling_size is the largest configured size, so that one pass serves all of them.
        collected = collect(
            calib, "calib_dataloader", bridge, config.sampling_size, with_labels=False
        )
        job.calibration = collected.data
        job.calibration_batch = collected.batch_size
    collected = Collected(None)
    if evaluation is not None and request.eval_func is None:
        collected = collect(evaluation, "eval_dataloader", bridge)
        job.evaluation = collected.data
        job.evaluation_batch = collected.batch_size
    if request.eval_func is not None:
        return
    factories = list(request.metrics)
    for name, parameters in config.metrics:
        if name in METRICS:
            from .metric import MetricFactory

            factories.append(MetricFactory(METRICS[name], name, parameters))
    job.metrics = [
        (factory.name, factory.bind(collected.labels, request.postprocess))
        for factory in factories
    ]
    if request.postprocess is not None and not factories:
        from .metric import postprocess_arrays

        job.postprocess = [postprocess_arrays(request.postprocess, collected.labels)]


def _loader(configured, given):
    """Returns the user's loader, or a loader for registered Python components that the configuration names."""
    from .data import DATASETS, TRANSFORMS, DataLoader, Transformed, make_dataset

    if given is not None or configured is None or configured[0] is None:
        return reusable(given)
    (name, parameters), transforms, batch_size = configured
    if name not in DATASETS and not any(one in TRANSFORMS for one, _ in transforms):
        return None  # the C++ library reads these data itself
    dataset = (
        create_component(DATASETS[name], parameters)
        if name in DATASETS
        else make_dataset(name, **parameters)
    )
    return DataLoader(Transformed(dataset, transforms), batch_size=batch_size)


def _example(config, request: Request, calib, evaluation):
    """Returns one model input for tracing."""
    for loader, name in ((calib, "calib_dataloader"), (evaluation, "eval_dataloader")):
        if loader is not None:
            return first_sample(loader, name)[0]
    if request.q_func is not None:
        raise ConfigError(
            "[quantize] tracing the model needs an example input, which q_func does not provide. Set calib_dataloader."
        )
    return _core.first_inputs(config)


class _Best:
    """The best model so far. Its files are copied, because the study may replace them when Ctrl-C arrives."""

    def __init__(self, bridge):
        self._bridge = bridge
        self._stored = None  # (files, plan, folder it was saved to)

    def store(self, candidate, plan, folder) -> None:
        self._bridge.on_saved(candidate, plan, folder)
        self._stored = Folder(folder), plan, folder

    def store_if_empty(self, folder, plan) -> None:
        """Stores the model of an earlier run if this run found no better one."""
        if self._stored is None:
            self._stored = Folder(folder), plan, folder

    def model(self, result: dict):
        files, plan, _ = self._stored
        return self._bridge.result(files.path, plan, result)

    def interrupted(self, result: dict) -> Interrupted:
        if self._stored is None:
            return Interrupted()
        return Interrupted(
            f"stopped on request; the best model so far is in {self._stored[-1]}",
            lambda: self.model(result),
        )


def _result(answer: dict, best: _Best):
    result = json.loads(answer["json"])
    result["trials"] = answer["trials"]
    if answer["plan"] is not None:
        best.store_if_empty(answer["model"].parent, answer["plan"])
    if answer["interrupted"]:
        raise best.interrupted(result)
    if answer["plan"] is None:
        if not answer["trials"]:
            raise Error(
                "[tune] no trial was run: the strategy returned no plan, or tuning.exit_policy.timeout is too short"
            )
        last = answer["trials"][-1].error
        raise Error(f"[tune] no trial succeeded. Last error: {last}")
    model = best.model(result)
    log.report(1, answer["text"].split("\nRun it in")[0])
    if not result["goal_met"]:
        log.report(2, "the accuracy goal was not met; returning the best model found")
    return model
