"""The interface of iLiT 1.0, the predecessor of LPOT.

tuner = ilit.Tuner("conf.yaml")
q_model = tuner.tune(model, dataloader, eval_func=eval_func)
"""

from typing import Any

from lpot.quantization import Quantization

from lpot import __version__

__all__ = ["Tuner", "__version__"]


class Tuner(Quantization):
    """Tunes a model with the settings of a YAML file."""

    def tune(
        self,
        model: Any,
        q_dataloader: Any = None,
        q_func: Any = None,
        eval_dataloader: Any = None,
        eval_func: Any = None,
        resume_file: Any = None,
    ) -> Any:
        """Returns the best quantized model. If `resume_file` is given, resumes the last study in the workspace."""
        self._experimental.resume = resume_file is not None
        return self(model, q_dataloader, q_func, eval_dataloader, eval_func)
