"""lpot.experimental.Quantization: quantizes and tunes a model."""

from typing import Any

from ..data import make_dataset
from ..engine import Request, load_config, quantize
from ..metric import MetricFactory
from ..types import ConfFiles


def metric_factory(metric: Any) -> Any:
    """Wraps a metric class or object. Returns None for None."""
    return (
        metric
        if metric is None or isinstance(metric, MetricFactory)
        else MetricFactory(metric)
    )


class Quantization:
    """Set the attributes that the configuration does not cover, then call the object.

    model             torch.nn.Module, tf.Graph, GraphDef, tf.keras.Model, onnx.ModelProto, a path, or common.Model
    calib_dataloader  any iterable of (input, label)
    eval_dataloader   the same, for the metric
    eval_func         evaluates a model: eval_func(model) -> accuracy
    metric            common.Metric, or a class or object with update, reset and result
    postprocess       common.Postprocess, or a function of (predictions, labels)
    q_func            runs the module on calibration data (PyTorch only)
    strategy          an object with the interface of lpot.strategy.Strategy
    """

    def __init__(self, conf: ConfFiles) -> None:
        self.conf = conf
        self._config = load_config(conf)
        self.model = None
        self.calib_dataloader = None
        self.eval_dataloader = None
        self.eval_func = None
        self.metric = None
        self.postprocess = None
        self.q_func = None
        self.strategy = None
        self.resume = False

    def dataset(self, dataset_type: str, *args: Any, **kwargs: Any) -> Any:
        """Creates a data set by name: a registered Python data set, or one of the C++ library."""
        return make_dataset(dataset_type, *args, **kwargs)

    def __call__(self) -> Any:
        """Tunes the model and returns the best quantized one. Without eval_func and metric, quantizes once."""
        metric = metric_factory(self.metric)
        return quantize(
            self._config,
            Request(
                model=self.model,
                calib_dataloader=self.calib_dataloader,
                eval_dataloader=self.eval_dataloader,
                eval_func=self.eval_func,
                q_func=self.q_func,
                metrics=[metric] if metric else [],
                postprocess=self.postprocess,
                strategy=self.strategy,
                resume=self.resume,
            ),
        )
