"""Runs C++ work on a worker thread so that Ctrl-C on the main thread takes effect at once.

    result = interruptible.run(lambda: _core.tune(job), stop=job.stop)

Python handles signals only between bytecodes of the main thread, so a call into the library or OpenVINO would delay
Ctrl-C until it returns, and a compilation cannot be cancelled. The main thread therefore waits in Python. User
functions (eval_func, metrics, log handlers) run on the main thread through call_on_main_thread, so Ctrl-C interrupts
them too.
"""

import collections.abc
import concurrent.futures
import math
import queue
import threading
import time
import typing
from typing import Any

from .errors import Interrupted

STOP_TIMEOUT_SECONDS = 0.4  # how long run() waits for the work to end after stop()
# A signal may be caught on another thread, so the wait is not endless.
_POLL_SECONDS = 0.1

_of_thread = threading.local()
_Result = typing.TypeVar("_Result")
_Function: typing.TypeAlias = collections.abc.Callable[[], Any]
_Future: typing.TypeAlias = "concurrent.futures.Future[Any]"


class _CallQueue:
    """Function calls that the worker thread requests and the main thread executes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: queue.SimpleQueue[tuple[_Function, _Future]] = queue.SimpleQueue()
        self._pending: list[_Future] = []
        self.is_open = True

    def call(self, function: _Function) -> Any:
        """Returns function(), executed by the main thread. Raises Interrupted if the queue is closed."""
        result: _Future = concurrent.futures.Future()
        with self._lock:
            if not self.is_open:
                raise Interrupted
            self._pending = [each for each in self._pending if not each.done()]
            self._pending.append(result)
            self._calls.put((function, result))
        return result.result()

    def wake(self) -> None:
        """Ends the wait of run_next()."""
        self._calls.put((lambda: None, concurrent.futures.Future()))

    def run_next(self) -> None:
        """Executes the next call if one arrives within _POLL_SECONDS. Raises KeyboardInterrupt on Ctrl-C."""
        try:
            function, result = self._calls.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            return
        try:
            result.set_result(function())
        except BaseException as error:
            result.set_exception(error)
            if isinstance(error, KeyboardInterrupt):
                raise

    def close(self) -> None:
        """Rejects further calls and fails the pending ones with Interrupted."""
        with self._lock:
            self.is_open = False
            for result in self._pending:
                if not result.done():
                    result.set_exception(Interrupted())


def run(
    work: collections.abc.Callable[[], _Result],
    stop: collections.abc.Callable[[], None] | None = None,
) -> _Result:
    """Returns what work() returns, or raises what it raises.

    On Ctrl-C, run() calls stop() and waits STOP_TIMEOUT_SECONDS for the work to end. If it ends in time, its result is
    returned. Otherwise, and always without `stop`, KeyboardInterrupt is raised. The worker thread then continues in the
    background until its next check for cancellation.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()  # Python delivers signals only to the main thread
    calls = _CallQueue()
    done: concurrent.futures.Future[_Result] = concurrent.futures.Future()

    def run_work() -> None:
        _of_thread.calls = calls
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)
        calls.wake()

    try:
        # Not a daemon thread: the process must not exit while OpenVINO is still running.
        thread = threading.Thread(target=run_work, name="lpot")
        _wait(thread, calls, done, stop)
        return done.result()
    finally:
        calls.close()
        if stop is not None:
            stop()


def _wait(
    thread: threading.Thread,
    calls: _CallQueue,
    done: _Future,
    stop: collections.abc.Callable[[], None] | None,
) -> None:
    try:
        thread.start()  # start() also waits, so Ctrl-C can arrive here
        _run_calls(calls, done)
    except KeyboardInterrupt:
        if stop is None:
            raise
        stop()
        _run_calls(calls, done, STOP_TIMEOUT_SECONDS)


def _run_calls(
    calls: _CallQueue, done: _Future, timeout_seconds: float = math.inf
) -> None:
    end = time.monotonic() + timeout_seconds
    while not done.done():
        if time.monotonic() > end:
            raise KeyboardInterrupt
        calls.run_next()


def call_on_main_thread(function: collections.abc.Callable[[], _Result]) -> _Result:
    """Returns function(), executed on the thread that waits in run().

    Outside of run() it calls the function directly. Raises Interrupted if run() has already ended.
    """
    calls = getattr(_of_thread, "calls", None)
    return function() if calls is None else typing.cast(_Result, calls.call(function))


def raise_if_cancelled() -> None:
    """Raises Interrupted if the run() that started this work has already ended."""
    calls = getattr(_of_thread, "calls", None)
    if calls is not None and not calls.is_open:
        raise Interrupted
