"""What the library tells goes to the logger `lpot`."""

import logging

from . import interruptible

logger = logging.getLogger("lpot")
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING)


def set_up() -> None:
    """A program that has set up no logging sees what happens; one that has decides for itself."""
    if logger.hasHandlers():
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False  # OpenVINO's converter gives the root logger a handler, which would tell all again


def tell(level: int, message: str) -> None:
    interruptible.call_on_main_thread(lambda: logger.log(_LEVELS[level], message))


def tell_trial(trial, is_best: bool) -> None:
    interruptible.call_on_main_thread(lambda: _tell_trial(trial, is_best))


def _tell_trial(trial, is_best: bool) -> None:
    if trial.error:
        logger.warning("trial %d failed: %s", trial.number, trial.error)
        return
    logger.info(
        "trial %d: accuracy %.4f, %.2f x, %d ops in fp32%s",
        trial.number,
        trial.accuracy,
        trial.speedup,
        len(trial.plan.fallback),
        ", the best so far" if is_best else "",
    )
