"""Quantizes and tunes a model: connects the user's model, data and functions to the C++ library."""

import dataclasses
import json
import reprlib
import typing
from typing import Any

from . import _core, interruptible, log
from .bridges import Bridge, bridge_for
from .collect import Collected, collect, first_sample, reusable
from .errors import ConfigError, DataError, Error, Interrupted
from .registry import (
    METRICS,
    STRATEGIES,
    component_text,
    create_component,
    registered_components,
)
from .saved import Folder
from .types import ConfFiles, StrPath

if typing.TYPE_CHECKING:
    from .metric import MetricFactory


@dataclasses.dataclass
class Request:
    """Inputs that the user set in Python. Where a value is None, the configuration applies."""

    model: Any = None
    calib_dataloader: Any = None
    eval_dataloader: Any = None
    eval_func: typing.Callable[..., Any] | None = None
    q_func: typing.Callable[..., Any] | None = None
    metrics: list["MetricFactory"] = dataclasses.field(default_factory=list)
    postprocess: typing.Callable[..., Any] | None = None
    strategy: Any = None
    resume: bool = False
    # The metric compares with the fp32 model. The outputs of that model show which one fits.
    compares_with_fp32: bool = False
    # Folder for the best model; None: the workspace.
    output: StrPath | None = None
    # Names of the loaders in messages.
    calib_name: str = "calib_dataloader"
    eval_name: str = "eval_dataloader"
    # sampling_size is a default: fewer samples need no warning.
    has_default_sampling_size: bool = False
    listener: log.LogListener = dataclasses.field(default_factory=log.LogListener)


def load_config(conf: ConfFiles) -> _core.Config:
    """Loads a configuration from one or several YAML files. Later files override earlier ones."""
    files = conf if isinstance(conf, (list, tuple)) else [conf]
    return _core.load_config(
        [(str(file), None) for file in files], registry=registered_components()
    )


def quantize(config: _core.Config, request: Request) -> Any:
    """Tunes the model. Without an eval_func and a metric, quantizes it once."""
    log.set_up()
    if request.model is None:
        raise ConfigError(
            "[quantize] no model is set. Set .model to a module, a graph, an onnx.ModelProto or a path."
        )
    if request.eval_func or request.metrics or config.metrics or config.command:
        return tune(config, request)
    request.listener.log(
        1, "no eval_func and no metric: the model is quantized once, without evaluation"
    )
    return quantize_once(config, request)


def quantize_once(config: _core.Config, request: Request) -> Any:
    """Quantizes the model without evaluation."""
    _report_warnings(config, request)
    job, bridge = prepare(config, request)
    answer = interruptible.run(lambda: _core.quantize(job), job.stop)
    return bridge.result(answer["model"].parent, answer["plan"], {})


def tune(config: _core.Config, request: Request) -> Any:
    """Tunes the model and returns the best one."""
    _report_warnings(config, request)
    job, bridge = prepare(config, request)
    best = _Best(bridge)
    job.on_saved = best.store
    try:
        answer = interruptible.run(lambda: _core.tune(job), job.stop)
    except KeyboardInterrupt:
        raise best.interrupted({}) from None
    return _result(answer, best, request.listener)


def _report_warnings(config: _core.Config, request: Request) -> None:
    for warning in config.warnings:
        request.listener.log(2, warning)


def prepare(config: _core.Config, request: Request) -> tuple[_core.Job, Bridge]:
    """Builds the job for the C++ library and the bridge to the framework of the model."""
    calib = _loader(config.calibration_loader, request.calib_dataloader)
    evaluation = _loader(config.evaluation_loader, request.eval_dataloader)

    def example() -> Any:
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
    calibration = None
    if calib is not None:
        # sampling_size is the largest configured size, so that one pass serves all of them.
        size = config.sampling_size
        calibration = collect(calib, request.calib_name, bridge, size, False)
    if calibration is not None and request.has_default_sampling_size:
        config = config.with_sampling_size(
            min(config.sampling_size, len(calibration.data))
        )
    job = _core.Job(
        config.without_metrics([name for name, _ in config.metrics if name in METRICS]),
        bridge.path,
    )
    if calibration is not None:
        job.calibration = calibration.data
        job.calibration_batch = calibration.batch_size
    _set_evaluation(job, config, _Evaluation(bridge, evaluation, request))
    job.resume = request.resume
    job.compares_with_fp32 = request.compares_with_fp32
    if request.output is not None:
        job.output = request.output
    _set_listener(job, request.listener)
    job.on_saved = bridge.on_saved
    _set_strategy(job, config, request)
    return job, bridge


def _set_strategy(job: _core.Job, config: _core.Config, request: Request) -> None:
    name, parameters = config.strategy
    if request.strategy is not None:
        job.strategy = _MainThreadStrategy(request.strategy)
    elif name in STRATEGIES:
        job.strategy = _MainThreadStrategy(
            create_component(STRATEGIES[name], parameters)
        )


def _set_listener(job: Any, listener: log.LogListener) -> None:
    job.on_log = listener.log
    job.on_baseline = listener.baseline
    job.on_trial = listener.trial
    if listener.shows_progress:
        job.on_progress = listener.progress


class _MainThreadStrategy:
    """Calls the user's strategy on the main thread."""

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy

    def next(self, space: Any, trials: Any, goal: Any) -> Any:
        return interruptible.call_on_main_thread(
            lambda: self._strategy.next(space, trials, goal)
        )


class _Evaluation(typing.NamedTuple):
    """What a model is evaluated with: eval_func, or a loader and metrics."""

    bridge: Bridge
    loader: Any
    request: Request

    def call_eval_func(self, candidate: _core.Candidate) -> Any:
        eval_func = self.request.eval_func
        assert eval_func is not None
        is_fp32 = candidate.is_fp32
        model = self.bridge.fp32() if is_fp32 else self.bridge.candidate(candidate)
        return interruptible.call_on_main_thread(lambda: eval_func(model))


def _set_evaluation(
    job: _core.Job, config: _core.Config, evaluation: _Evaluation
) -> None:
    request = evaluation.request
    if request.eval_func is not None:
        job.name = getattr(request.eval_func, "__name__", "eval_func")
        job.evaluate = evaluation.call_eval_func
        return
    collected = Collected(None)
    if evaluation.loader is not None:
        collected = collect(evaluation.loader, request.eval_name, evaluation.bridge)
        job.evaluation = collected.data
        job.evaluation_batch = collected.batch_size
    factories = list(request.metrics)
    for name, parameters in config.metrics:
        if name in METRICS:
            from .metric import MetricFactory

            factories.append(MetricFactory(METRICS[name], name, parameters))
        elif collected.labels and request.postprocess is None:
            _check_ignores_labels(name, parameters, collected.labels, request.eval_name)
    job.metrics = [
        (factory.name, factory.bind(collected.labels, request.postprocess))
        for factory in factories
    ]
    if request.postprocess is not None and not factories:
        from .metric import postprocess_arrays

        job.postprocess = [postprocess_arrays(request.postprocess, collected.labels)]


def _check_ignores_labels(
    name: str, parameters: dict[str, Any], labels: list[Any], place: str
) -> None:
    """Raises DataError if a metric of the C++ library reads the labels, which are not numbers."""
    if _core.metric(component_text("metric", name, (), parameters)).labels_are_baseline:
        return
    example = reprlib.repr(labels[0])
    raise DataError(
        f"[{place}] the labels are not numbers of equal shape: the first one is a {type(labels[0]).__name__} "
        f"({example}); the metric {name} needs numbers. Pass numbers, such as those of the classes, or a function "
        "metric(outputs, labels), which gets the labels unchanged."
    )


def _loader(configured: Any, given: Any) -> Any:
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


def _example(
    config: _core.Config, request: Request, calib: Any, evaluation: Any
) -> Any:
    """Returns one model input for tracing."""
    for loader, name in (
        (calib, request.calib_name),
        (evaluation, request.eval_name),
    ):
        if loader is not None:
            return first_sample(loader, name)[0]
    if request.q_func is not None:
        raise ConfigError(
            "[quantize] tracing the model needs an example input, which q_func does not provide. Set calib_dataloader."
        )
    return _core.first_inputs(config)


class _Best:
    """The best model so far. Its files are copied, because the study may replace them when Ctrl-C arrives."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        # Files, plan, and the folder that it was saved to.
        self._stored: tuple[Folder, _core.Plan | None, Any] | None = None

    def store(
        self, candidate: _core.Candidate, plan: _core.Plan | None, folder: Any
    ) -> None:
        self._bridge.on_saved(candidate, plan, folder)
        self._stored = Folder(folder), plan, folder

    def store_if_empty(self, folder: Any, plan: _core.Plan | None) -> None:
        """Stores the model of an earlier run if this run found no better one."""
        if self._stored is None:
            self._stored = Folder(folder), plan, folder

    def model(self, result: dict[str, Any]) -> Any:
        assert self._stored is not None
        files, plan, _ = self._stored
        return self._bridge.result(files.path, plan, result)

    def interrupted(self, result: dict[str, Any]) -> Interrupted:
        if self._stored is None:
            return Interrupted()
        return Interrupted(
            f"stopped on request; the best model so far is in {self._stored[-1]}",
            lambda: self.model(result),
        )


def _result(answer: dict[str, Any], best: _Best, listener: log.LogListener) -> Any:
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
    listener.log(1, answer["text"].split("\nRun it in")[0])
    if not result["goal_met"]:
        listener.log(2, "the accuracy goal was not met; returning the best model found")
    return model
