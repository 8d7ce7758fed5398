"""Work on a thread of its own, while the thread that asked for it hears Ctrl-C.

    answer = beside.run(lambda: _core.tune(job), stop=job.stop)

A thread inside the library, or inside OpenVINO's, hears nothing until it comes back, and a compilation cannot be ended.
So the work is done beside the main thread, which waits where signals reach it. Functions of the user's are brought back
to it (call_back): they run where the user's program runs, and Ctrl-C ends them too.
"""

import concurrent.futures
import math
import queue
import threading
import time

from .errors import Interrupted

PATIENCE = 0.4  # seconds that work has, after it was asked to stop, to come to an end by itself
_LOOK = 0.1  # seconds between two looks for signals that were caught on another thread

_of_thread = threading.local()


class _Desk:
    """Where work asks for functions to be called, and the thread that waits for it calls them."""

    def __init__(self):
        self._lock = threading.Lock()
        self._calls = queue.SimpleQueue()
        self._answers = []
        self.is_open = True

    def ask(self, function):
        answer = concurrent.futures.Future()
        with self._lock:
            if not self.is_open:
                raise Interrupted
            self._answers = [one for one in self._answers if not one.done()] + [answer]
            self._calls.put((function, answer))
        return answer.result()

    def wake(self) -> None:
        self._calls.put((lambda: None, concurrent.futures.Future()))

    def serve(self) -> None:
        """Calls a function, if there is one soon. Raises KeyboardInterrupt."""
        try:
            function, answer = self._calls.get(timeout=_LOOK)
        except queue.Empty:
            return
        try:
            answer.set_result(function())
        except BaseException as error:
            answer.set_exception(error)
            if isinstance(error, KeyboardInterrupt):
                raise

    def close(self) -> None:
        with self._lock:
            self.is_open = False
            for answer in self._answers:
                if not answer.done():
                    answer.set_exception(Interrupted())


def run(work, stop=None):
    """What `work()` returns or raises.

    Ctrl-C calls stop(), and what the work then comes to is the answer. Without `stop`, or when that takes too long,
    KeyboardInterrupt is raised; the work is left alone, and ends where it next looks whether it is wanted.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()  # signals come to the main thread alone
    desk, done = _Desk(), concurrent.futures.Future()

    def on_own_thread():
        _of_thread.desk = desk
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)
        desk.wake()

    try:
        # Not a daemon: a process does not end under OpenVINO's feet.
        thread = threading.Thread(target=on_own_thread, name="lpot")
        _wait(thread, desk, done, stop)
        return done.result()
    finally:
        desk.close()
        if stop is not None:
            stop()


def _wait(thread, desk, done, stop) -> None:
    try:
        thread.start()  # waits until it runs, and Ctrl-C may come then too
        _serve(desk, done)
    except KeyboardInterrupt:
        if stop is None:
            raise
        stop()
        _serve(desk, done, PATIENCE)


def _serve(desk, done, seconds: float = math.inf) -> None:
    end = time.monotonic() + seconds
    while not done.done():
        if time.monotonic() > end:
            raise KeyboardInterrupt
        desk.serve()


def call_back(function):
    """function(), on the thread that waits for the work of this one. Raises Interrupted when none does any more."""
    desk = getattr(_of_thread, "desk", None)
    return function() if desk is None else desk.ask(function)


def check() -> None:
    """Raises Interrupted in work that is not wanted any more."""
    desk = getattr(_of_thread, "desk", None)
    if desk is not None and not desk.is_open:
        raise Interrupted
