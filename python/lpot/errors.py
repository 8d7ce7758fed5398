"""Exceptions of lpot. Errors of the C++ library are raised as these classes, with the same messages."""

import collections.abc
from typing import Any


class Error(Exception):
    """Base class of all errors of lpot."""


class ConfigError(Error):
    """The configuration is invalid or cannot be applied."""


class ModelError(Error):
    """A model cannot be read, traced, converted, compiled or run."""


class DataError(Error):
    """Data cannot be read, or do not fit the model or the metric."""


class StoreError(Error):
    """A workspace or an output file cannot be written or read."""


class CallerError(Error):
    """A user function (eval_func, a metric, a strategy) failed. `__cause__` is its exception."""


class MissingFramework(Error, ImportError):
    """A required framework is not installed. The message names the pip extra that installs it."""


class Interrupted(KeyboardInterrupt):
    """Raised on Ctrl-C. Not an error: the results so far are saved."""

    def __init__(
        self,
        message: str = "stopped on request",
        make_model: collections.abc.Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(message)
        self._make_model = make_model
        self._model: Any = None

    @property
    def model(self) -> Any:
        """The best model so far, or None. It is loaded on first access, so that Ctrl-C returns at once."""
        if self._make_model is not None:
            self._model, self._make_model = self._make_model(), None
        return self._model
