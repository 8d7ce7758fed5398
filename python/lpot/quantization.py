"""lpot.quantization.Quantization, the interface of LPOT 1.0 and 1.1: all inputs are arguments of one call."""

from typing import Any

from .experimental.quantization import Quantization as _Quantization
from .legacy_api import LegacyApi
from .types import ConfFiles


class Quantization(LegacyApi):
    """quantizer = Quantization("conf.yaml"); q_model = quantizer(model, q_dataloader=..., eval_func=...)"""

    def __init__(self, conf: ConfFiles) -> None:
        super().__init__(_Quantization(conf))

    def __call__(
        self,
        model: Any,
        q_dataloader: Any = None,
        q_func: Any = None,
        eval_dataloader: Any = None,
        eval_func: Any = None,
    ) -> Any:
        quantization = self._experimental
        quantization.model = model
        quantization.calib_dataloader = q_dataloader
        quantization.q_func = q_func
        quantization.eval_dataloader = eval_dataloader
        quantization.eval_func = eval_func
        return quantization()

    def dataset(self, dataset_type: str, *args: Any, **kwargs: Any) -> Any:
        return self._experimental.dataset(dataset_type, *args, **kwargs)
