"""lpot.experimental.Quantization."""

from ..data import make_dataset
from ..engine import Request, load_config, quantize
from ..metric import Maker


def maker_of(metric):
    return metric if metric is None or isinstance(metric, Maker) else Maker(metric)


class Quantization:
    """Set what the configuration does not say, then call it.

    model             torch.nn.Module, tf.Graph, GraphDef, tf.keras.Model, onnx.ModelProto, a path, or common.Model
    calib_dataloader  any iterable of (input, label)
    eval_dataloader   the same, for the metric
    eval_func         scores a model by itself: eval_func(model) -> accuracy
    metric            common.Metric, or a class or object with update, reset and result
    postprocess       common.Postprocess, or a function of (predictions, labels)
    q_func            calls the module with calibration data (PyTorch)
    strategy          an object as lpot.strategy.Strategy
    """

    def __init__(self, conf):
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

    def dataset(self, dataset_type: str, *args, **kwargs):
        """A data set that Python registered, else one of the library's."""
        return make_dataset(dataset_type, *args, **kwargs)

    def __call__(self):
        """Tunes and returns the best quantized model; without eval_func and metric, quantizes once."""
        metric = maker_of(self.metric)
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
