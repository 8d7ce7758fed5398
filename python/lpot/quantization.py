"""lpot.quantization.Quantization, the interface of LPOT 1.0 and 1.1: everything is given in one call."""

from .data.dataloader import DataLoader
from .experimental.common import Metric, Postprocess
from .experimental.quantization import Quantization as _Quantization


class Quantization:
    """quantizer = Quantization("conf.yaml"); q_model = quantizer(model, q_dataloader=..., eval_func=...)"""

    def __init__(self, conf):
        self._quantization = _Quantization(conf)

    def __call__(
        self,
        model,
        q_dataloader=None,
        q_func=None,
        eval_dataloader=None,
        eval_func=None,
    ):
        quantization = self._quantization
        quantization.model = model
        quantization.calib_dataloader = q_dataloader
        quantization.q_func = q_func
        quantization.eval_dataloader = eval_dataloader
        quantization.eval_func = eval_func
        return quantization()

    def dataloader(
        self,
        dataset,
        batch_size: int = 1,
        collate_fn=None,
        last_batch: str = "rollover",
        **options,
    ):
        return DataLoader(dataset, batch_size, collate_fn, last_batch, **options)

    def dataset(self, dataset_type: str, *args, **kwargs):
        return self._quantization.dataset(dataset_type, *args, **kwargs)

    def metric(self, name: str, metric_cls, **kwargs) -> None:
        self._quantization.metric = Metric(metric_cls, name, **kwargs)

    def postprocess(self, name: str, postprocess_cls, **kwargs) -> None:
        self._quantization.postprocess = Postprocess(postprocess_cls, name, **kwargs)
