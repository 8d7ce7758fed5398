"""One way through: a configuration, a model, data and functions of the user in, the quantized model out."""

import dataclasses
import json
import typing

from . import _core, interruptible, log
from .bridges import bridge_for
from .collect import Collected, collect, first, reusable
from .errors import ConfigError, Error, Interrupted
from .registry import METRICS, STRATEGIES, made, registered
from .saved import Folder


@dataclasses.dataclass
class Request:
    """What a user has said; what is None is as the configuration says."""

    model: typing.Any = None
    calib_dataloader: typing.Any = None
    eval_dataloader: typing.Any = None
    eval_func: typing.Callable | None = None
    q_func: typing.Callable | None = None
    metrics: list = dataclasses.field(default_factory=list)  # of metric.Maker
    postprocess: typing.Callable | None = None
    strategy: typing.Any = None
    resume: bool = False


def load_config(conf):
    """The configuration from one YAML file or several; later ones win."""
    files = (
        [str(conf)]
        if not isinstance(conf, (list, tuple))
        else [str(file) for file in conf]
    )
    return _core.load_config(files, registry=registered())


def quantize(config, request: Request):
    """Tunes, or quantizes once where nothing says how good a model is."""
    log.set_up()
    for warning in config.warnings:
        log.tell(2, warning)
    if request.model is None:
        raise ConfigError(
            "[quantize] no model: set .model to a module, a graph, a ModelProto or a path"
        )
    job, bridge = prepare(config, request)
    scores = request.eval_func or request.metrics or config.metrics or config.command
    if not scores:
        log.tell(
            1,
            "no eval_func and no metric: the model is quantized once and not evaluated",
        )
        answer = interruptible.run(lambda: _core.quantize(job), job.stop)
        return bridge.result(answer["model"].parent, answer["plan"], {})
    best = _Best(bridge)
    job.on_saved = best.keep
    try:
        answer = interruptible.run(lambda: _core.tune(job), job.stop)
    except KeyboardInterrupt:
        raise best.interrupted({}) from None
    return _result(answer, best)


def prepare(config, request: Request):
    """The job for the library, and the bridge that its model comes over."""
    calib = _loader(config.calibration_loader, request.calib_dataloader)
    evaluation = _loader(config.evaluation_loader, request.eval_dataloader)

    def example():
        return interruptible.call_on_main_thread(
            lambda: _example(config, request, calib, evaluation)
        )

    bridge = interruptible.run(lambda: bridge_for(request.model, config, example))
    if request.q_func is not None and calib is None:
        if not hasattr(bridge, "recorded"):
            raise ConfigError(
                "[quantize] q_func is for PyTorch modules; give a calib_dataloader instead"
            )
        calib = bridge.recorded(request.q_func)
    config = bridge.adjusted(config)
    job = _core.Job(
        config.without_metrics([name for name, _ in config.metrics if name in METRICS]),
        bridge.path,
    )
    _set_data(job, config, bridge, calib, evaluation, request)
    job.resume = request.resume
    job.on_log = log.tell
    job.on_trial = log.tell_trial
    job.on_saved = bridge.on_saved
    if request.eval_func is not None:
        job.name = getattr(request.eval_func, "__name__", "eval_func")

        def evaluate(candidate):
            model = bridge.fp32() if candidate.is_fp32 else bridge.candidate(candidate)
            return interruptible.call_on_main_thread(lambda: request.eval_func(model))

        job.evaluate = evaluate
    name, parameters = config.strategy
    if request.strategy is not None:
        job.strategy = _CalledBack(request.strategy)
    elif name in STRATEGIES:
        job.strategy = _CalledBack(made(STRATEGIES[name], parameters))
    return job, bridge


class _CalledBack:
    """A strategy of the user's, asked where the user's code runs."""

    def __init__(self, strategy):
        self._strategy = strategy

    def next(self, space, trials, goal):
        return interruptible.call_on_main_thread(
            lambda: self._strategy.next(space, trials, goal)
        )


def _set_data(job, config, bridge, calib, evaluation, request: Request) -> None:
    if calib is not None:
        # Some over: a list of sampling sizes is served by one pass, and a batch is not cut.
        kept = collect(
            calib, "calib_dataloader", bridge, config.sampling_size, with_labels=False
        )
        job.calibration, job.calibration_batch = kept.data, kept.batch_size
    kept = Collected(None)
    if evaluation is not None and request.eval_func is None:
        kept = collect(evaluation, "eval_dataloader", bridge)
        job.evaluation, job.evaluation_batch = kept.data, kept.batch_size
    if request.eval_func is not None:
        return
    makers = list(request.metrics)
    for name, parameters in config.metrics:
        if name in METRICS:
            from .metric import Maker

            makers.append(Maker(METRICS[name], name, parameters))
    job.metrics = [
        (maker.name, maker.bound(kept.labels, request.postprocess)) for maker in makers
    ]
    if request.postprocess is not None and not makers:
        from .metric import postprocess_arrays

        job.postprocess = [postprocess_arrays(request.postprocess, kept.labels)]


def _loader(configured, given):
    """The user's loader, or one for data or transforms that Python registered and the configuration names."""
    from .data import DATASETS, TRANSFORMS, DataLoader, Transformed, make_dataset

    if given is not None or configured is None or configured[0] is None:
        return reusable(given)
    (name, parameters), transforms, batch_size = configured
    if name not in DATASETS and not any(one in TRANSFORMS for one, _ in transforms):
        return None  # all of it is the library's
    dataset = (
        made(DATASETS[name], parameters)
        if name in DATASETS
        else make_dataset(name, **parameters)
    )
    return DataLoader(Transformed(dataset, transforms), batch_size=batch_size)


def _example(config, request: Request, calib, evaluation):
    """One input of the model, to trace it with."""
    for loader, name in ((calib, "calib_dataloader"), (evaluation, "eval_dataloader")):
        if loader is not None:
            return first(loader, name)[0]
    if request.q_func is not None:
        raise ConfigError(
            "[quantize] q_func alone does not say what the model's inputs look like; give a calib_dataloader"
        )
    return _core.first_inputs(config)


class _Best:
    """The best model so far. Its files are kept apart: the study may be replacing them when Ctrl-C comes."""

    def __init__(self, bridge):
        self._bridge = bridge
        self._kept = None  # its files, its plan, where it was saved

    def keep(self, candidate, plan, folder) -> None:
        self._bridge.on_saved(candidate, plan, folder)
        self._kept = Folder(folder), plan, folder

    def find(self, folder, plan) -> None:
        """The best may be one that an earlier run saved."""
        if self._kept is None:
            self._kept = Folder(folder), plan, folder

    def model(self, result: dict):
        files, plan, _ = self._kept
        return self._bridge.result(files.path, plan, result)

    def interrupted(self, result: dict) -> Interrupted:
        if self._kept is None:
            return Interrupted()
        return Interrupted(
            f"stopped on request; the best model so far is in {self._kept[-1]}",
            lambda: self.model(result),
        )


def _result(answer: dict, best: _Best):
    result = json.loads(answer["json"])
    result["trials"] = answer["trials"]
    if answer["plan"] is not None:
        best.find(answer["model"].parent, answer["plan"])
    if answer["interrupted"]:
        raise best.interrupted(result)
    if answer["plan"] is None:
        last = answer["trials"][-1].error if answer["trials"] else "there was none"
        raise Error(f"[tune] no trial succeeded; the last one: {last}")
    model = best.model(result)
    log.tell(1, answer["text"].split("\nRun it in")[0])
    if not result["goal_met"]:
        log.tell(2, "the goal was not met; this is the best model that was found")
    return model
