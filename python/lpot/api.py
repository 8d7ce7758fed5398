"""lpot.tune and lpot.quantize: one call with a model and data."""

import typing
from typing import Any

from . import _core
from .batches import EXPECTED, Data, batches_of
from .collect import reusable
from .engine import Request, quantize_once
from .engine import tune as run_tuning
from .errors import ConfigError, DataError, ModelError
from .metric.named import Metric, ResolvedMetric, resolve_metric
from .progress import ProgressListener, create_display
from .result import TuneResult
from .saved import Quantized
from .settings import SAMPLING_SIZE, Config, TuneSettings, load_settings
from .strategy import Strategy
from .types import StrPath


def tune(
    model: Any,
    data: Data | None = None,
    *,
    metric: Metric | None = None,
    max_loss: float | None = None,
    criterion: typing.Literal["relative", "absolute"] = "relative",
    higher_is_better: bool | None = None,
    calibration: Data | None = None,
    max_trials: int | None = None,
    timeout: float | None = None,
    strategy: str | Strategy | None = None,
    output: StrPath | None = None,
    config: Config | None = None,
    progress: bool = True,
) -> TuneResult:
    """Finds the fastest int8 model that meets an accuracy goal.

    Args:
        model: A torch.nn.Module, tf.keras.Model, tf.Graph, GraphDef or onnx.ModelProto, or the path of an ONNX file,
            a SavedModel, a frozen graph, an OpenVINO IR, a TensorFlow Lite or a Paddle model.
        data: Evaluation data: any iterable of batches (input, label) or (input), for example a PyTorch DataLoader or a
            tf.data.Dataset. Or the arrays (inputs, labels) with one row per sample. Or a data set of single samples.
            An input is a tensor, or a tuple or dict of tensors. Data of the `config` need no argument.
        metric: What to measure.
            A name: "accuracy", "top5", "f1", "mse" and others; a wrong name raises an error that lists all.
            A function metric(outputs, labels) -> float, which gets NumPy arrays with the rows of all batches.
            A function eval_func(model) -> float, which evaluates a model of the framework.
            A class with update(outputs, labels) and result(), such as lpot.metric.BaseMetric.
            A dict with parameters: {"MSE": {"compare_label": False}}.
            None: the metric of the `config`, or one that compares with the fp32 model and needs no labels: the share
            of equal classes, the agreement of boxes, the cosine of embeddings, or the squared difference of other
            values. The outputs of the fp32 model show which one fits.
        max_loss: The allowed loss, 0.01 by default: 1% of the fp32 accuracy. For metrics that measure an error it is
            the allowed increase.
        criterion: "relative": max_loss is a fraction of the fp32 accuracy. "absolute": it is in units of the metric.
        higher_is_better: False for functions that measure an error. Named metrics know it.
        calibration: Calibration data, like `data`. Default: the first 300 samples of `data`.
        max_trials: The maximum number of trials, 100 by default.
        timeout: Time limit in seconds. The search then goes on for faster models until the time is over. Default: stop
            at the first model that meets the goal.
        strategy: The name of a search strategy, or an object with the interface of lpot.strategy.Strategy. Default:
            "auto".
        output: A folder for the best model. Default: only the workspace, `lpot_workspace/NAME-FRAMEWORK/best`.
        config: Everything else: the path of a YAML file (or a list of paths), or a dict with the keys of one. The
            other arguments override it.
        progress: Show the progress in terminals and notebooks.

    Returns:
        The best model and its measurements. If no model meets the goal, `goal_met` is False and the model is the most
        accurate one that was found.

    Raises:
        lpot.Error: An argument, the model or the data cannot be used.
        lpot.Interrupted: Ctrl-C; its `model` is the best one so far.

    Example:

        import torch, lpot

        module = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
        batches = [(x, module(x).argmax(1)) for x in torch.randn(16, 32, 64)]
        result = lpot.tune(module, batches, metric="accuracy", max_loss=0.02)
        print(result)
        outputs = result.model(batches[0][0])
    """
    _check_model(model, "tune")
    resolved = ResolvedMetric() if metric is None else resolve_metric(metric)
    settings = TuneSettings(
        metric=resolved.component,
        max_loss=max_loss,
        criterion=criterion,
        higher_is_better=higher_is_better,
        max_trials=max_trials,
        timeout=timeout,
        strategy=strategy if isinstance(strategy, str) else None,
    )
    settings.check()
    configured = load_settings(model, config)
    compares_with_fp32 = (
        metric is None and not configured.metrics and not configured.command
    )
    if compares_with_fp32:
        settings.metric = {"Agreement": {}}  # replaced by one that fits the outputs
    request = Request(
        model=model,
        metrics=[resolved.factory] if resolved.factory else [],
        eval_func=resolved.eval_func,
        strategy=_strategy(strategy),
        output=output,
        compares_with_fp32=compares_with_fp32,
        calib_name="data" if calibration is None else "calibration",
        eval_name="data",
        has_default_sampling_size=configured.sampling_size == SAMPLING_SIZE,
    )
    _set_data(request, configured, data, calibration)
    return _run_tune(load_settings(model, config, settings), request, progress)


def quantize(
    model: Any,
    data: Data | None = None,
    *,
    output: StrPath | None = None,
    config: Config | None = None,
    progress: bool = True,
) -> Any:
    """Quantizes a model once, without evaluating it, and returns the int8 model.

    Args:
        model: As for tune().
        data: Calibration data, as for tune(). Labels are ignored. 300 samples are used.
        output: A folder for the int8 model. Default: only the workspace.
        config: The path of a YAML file, or a dict with the keys of one.
        progress: Show the progress in terminals and notebooks.

    Returns:
        The int8 model. It is called in the same way as the original, and has save(path).

    Raises:
        lpot.Error: An argument, the model or the data cannot be used.

    Example:

        import torch, lpot

        module = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
        q_model = lpot.quantize(module, torch.randn(512, 64))
        q_model.save("int8")
        outputs = lpot.load("int8")(torch.randn(8, 64))
    """
    _check_model(model, "quantize")
    loaded = load_settings(model, config)
    listener = ProgressListener(create_display() if progress else None)
    request = Request(
        model=model,
        output=output,
        listener=listener,
        calib_name="data",
        has_default_sampling_size=loaded.sampling_size == SAMPLING_SIZE,
    )
    if data is not None:
        request.calib_dataloader = batches_of(data, "[quantize] data")
    elif loaded.calibration_loader is None and not loaded.is_dynamic:
        raise DataError(f"[quantize] no data: {EXPECTED}")
    try:
        return typing.cast(Quantized, quantize_once(loaded, request))
    finally:
        listener.close()


def _check_model(model: object, operation: str) -> None:
    if model is None:
        raise ModelError(
            f"[{operation}] the model is None; expected a module, a graph, an onnx.ModelProto or a path"
        )


def _strategy(strategy: str | Strategy | None) -> Strategy | None:
    if strategy is None or isinstance(strategy, str):
        return None
    if not hasattr(strategy, "next"):
        raise ConfigError(
            f"[tune] strategy: got a {type(strategy).__name__}; expected a name or an object with next()"
        )
    return strategy


def _set_data(
    request: Request,
    configured: _core.Config,
    data: Data | None,
    calibration: Data | None,
) -> None:
    """Sets the loaders. Without arguments, the data of the configuration are used."""
    if data is not None:
        # A generator is read twice, for calibration and for evaluation.
        batches = reusable(batches_of(data, "[tune] data"))
        request.calib_dataloader = batches
        if request.eval_func is None:
            request.eval_dataloader = batches
    elif _needs_evaluation_data(request, configured):
        raise DataError(f"[tune] no data: {EXPECTED}")
    if calibration is not None:
        request.calib_dataloader = batches_of(calibration, "[tune] calibration")
    has_calibration = request.calib_dataloader is not None
    if not has_calibration and not _configures_calibration(configured):
        raise DataError(f"[tune] no calibration data: {EXPECTED}")


def _needs_evaluation_data(request: Request, configured: _core.Config) -> bool:
    is_function = request.eval_func is not None or bool(configured.command)
    return not is_function and configured.evaluation_loader is None


def _configures_calibration(configured: _core.Config) -> bool:
    return configured.calibration_loader is not None or configured.is_dynamic


def _run_tune(config: _core.Config, request: Request, progress: bool) -> TuneResult:
    listener = ProgressListener(create_display() if progress else None)
    request.listener = listener
    summary = ""
    try:
        result = TuneResult(run_tuning(config, request))
        summary = result.summary()
        return result
    finally:
        listener.close(summary)
