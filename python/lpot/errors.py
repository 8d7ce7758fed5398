"""What goes wrong, as exceptions. The messages are those of the C++ library."""


class Error(Exception):
    """Anything that lpot cannot do."""


class ConfigError(Error):
    """A configuration that cannot be carried out."""


class ModelError(Error):
    """A model that cannot be read, traced, converted, compiled or run."""


class DataError(Error):
    """Data that cannot be read or do not fit the model or metric."""


class StoreError(Error):
    """A workspace or an output file that cannot be written or read back."""


class CallerError(Error):
    """A function of the caller's (eval_func, a metric, a strategy) failed; `__cause__` is its exception."""


class MissingFramework(Error, ImportError):
    """A framework that is needed here is not installed; the message names the extra that brings it."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. Not an error: what was reached until then is saved."""

    def __init__(self, message: str = "stopped on request", make_model=None):
        super().__init__(message)
        self._make_model = make_model
        self._model = None

    @property
    def model(self):
        """The best model so far, or None. It is read when it is first asked for, so that Ctrl-C need not wait for it."""
        if self._make_model is not None:
            self._model, self._make_model = self._make_model(), None
        return self._model
