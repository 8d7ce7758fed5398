"""iLiT, the name that LPOT had first: tuner = ilit.Tuner("conf.yaml"); tuner.tune(model, dataloader, eval_func=...)."""

from lpot import __version__
from lpot.quantization import Quantization

__all__ = ["Tuner", "__version__"]


class Tuner(Quantization):
    """Tunes a model as the configuration says."""

    def tune(
        self,
        model,
        q_dataloader=None,
        q_func=None,
        eval_dataloader=None,
        eval_func=None,
        resume_file=None,
    ):
        """The best quantized model. `resume_file`: given, the last study in the workspace goes on."""
        self._experimental.resume = resume_file is not None
        return self(model, q_dataloader, q_func, eval_dataloader, eval_func)
