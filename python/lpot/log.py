"""Messages of the C++ library, sent to the Python logger `lpot`."""

import logging

from . import _core, interruptible

logger = logging.getLogger("lpot")
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING)


def set_up() -> None:
    """Prints messages to stderr if the program has not configured logging."""
    if logger.hasHandlers():
        return
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    # OpenVINO's converter adds a handler to the root logger, which would print each message twice.
    logger.propagate = False


def report(level: int, message: str) -> None:
    """Logs a message. Levels: 0 debug, 1 info, 2 warning."""
    interruptible.call_on_main_thread(lambda: logger.log(_LEVELS[level], message))


def report_trial(trial: _core.Trial, is_best: bool) -> None:
    interruptible.call_on_main_thread(lambda: _log_trial(trial, is_best))


class LogListener:
    """Receives the events of a tuning run and logs them. `progress` is called only if `shows_progress` is set."""

    shows_progress = False

    def log(self, level: int, message: str) -> None:
        report(level, message)

    def baseline(self, goal: _core.Goal) -> None:
        """Called when the fp32 model was evaluated."""

    def trial(self, trial: _core.Trial, is_best: bool) -> None:
        report_trial(trial, is_best)

    def progress(self, stage: str, done: int, total: int) -> None:
        """Called at the start and the end of a stage, and at most every 0.1 s."""


def _log_trial(trial: _core.Trial, is_best: bool) -> None:
    if trial.error:
        logger.warning("trial %d failed: %s", trial.number, trial.error)
        return
    logger.info(
        "trial %d: accuracy %.4f, fp32 %.3f ms, int8 %.3f ms, %.2f x%s, %d ops not in int8%s",
        trial.number,
        trial.accuracy,
        trial.fp32_latency_ms,
        trial.latency_ms,
        trial.speedup,
        " ({:.2f}-{:.2f})".format(*trial.speedup_spread)
        if trial.speedup_spread
        else "",
        len(trial.plan.fallback),
        ", the best so far" if is_best else "",
    )
