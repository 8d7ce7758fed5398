"""Shows the progress of tune() and quantize(): one line in a terminal, or a bar in a notebook."""

import html
import shutil
import sys
import time
import typing
from typing import Any

from . import _core, interruptible
from .log import LogListener

_BAR_WIDTH = 20


class Display(typing.Protocol):
    """Shows one line of text that is replaced by the next."""

    def show(self, text: str, fraction: float | None) -> None: ...
    def clear(self) -> None: ...
    def finish(self, text: str) -> None: ...


class TerminalDisplay:
    """Writes one line and returns to its beginning with a carriage return."""

    def __init__(self, stream: typing.TextIO):
        self._stream = stream
        self._length = 0

    def show(self, text: str, fraction: float | None) -> None:
        if fraction is not None:
            filled = round(fraction * _BAR_WIDTH)
            text = f"[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {text}"
        self._write(text[: shutil.get_terminal_size().columns - 1])

    def clear(self) -> None:
        if self._length:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def finish(self, text: str) -> None:
        self._write(text)
        self._stream.write("\n")
        self._stream.flush()
        self._length = 0

    def _write(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._length))
        self._stream.flush()
        self._length = len(text)


class NotebookDisplay:
    """Updates one output of a notebook cell."""

    def __init__(self, display: Any):
        self._display = display  # the module IPython.display
        self._handle: Any = None

    def show(self, text: str, fraction: float | None) -> None:
        bar = "" if fraction is None else f' value="{fraction:.3f}"'
        self._update(f"<progress{bar}></progress> {html.escape(text)}")

    def clear(self) -> None:
        if self._handle is not None:
            self._update("")

    def finish(self, text: str) -> None:
        self._update(html.escape(text))

    def _update(self, markup: str) -> None:
        content = self._display.HTML(markup)
        if self._handle is None:
            self._handle = self._display.display(content, display_id=True)
        else:
            self._handle.update(content)


def create_display() -> Display | None:
    """Returns the display for this program, or None if it runs neither in a notebook nor in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if hasattr(shell, "kernel"):  # a notebook; the terminal version of IPython has none
        import IPython.display

        return NotebookDisplay(IPython.display)
    if sys.stderr is not None and sys.stderr.isatty():
        return TerminalDisplay(sys.stderr)
    return None


class ProgressListener(LogListener):
    """Logs messages and shows the progress on a display."""

    def __init__(self, display: Display | None):
        self._display = display
        self.shows_progress = display is not None
        self._start = time.monotonic()
        self._trial = 0
        self._goal = ""
        self._best = ""

    def log(self, level: int, message: str) -> None:
        self._call(lambda display: display.clear())
        super().log(level, message)

    def baseline(self, goal: _core.Goal) -> None:
        self._trial = 1
        self._goal = f"fp32 {goal.baseline:.4f}"

    def trial(self, trial: _core.Trial, is_best: bool) -> None:
        self._trial = trial.number + 1
        if is_best and trial.accuracy is not None and trial.speedup is not None:
            self._best = f"best {trial.accuracy:.4f}, {trial.speedup:.2f} x"
        self._call(lambda display: display.clear())
        super().trial(trial, is_best)

    def progress(self, stage: str, done: int, total: int) -> None:
        parts = [f"trial {self._trial}" if self._trial else "", stage]
        parts += [f"{done}/{total}", self._goal, self._best]
        parts.append(f"{time.monotonic() - self._start:.0f} s")
        text = " | ".join(part for part in parts if part)
        fraction = min(1.0, done / total) if total else None
        self._call(lambda display: display.show(text, fraction))

    def close(self, summary: str = "") -> None:
        """Replaces the progress by a summary, or removes it."""
        if summary:
            self._call(lambda display: display.finish(summary))
        else:
            self._call(lambda display: display.clear())

    def _call(self, use: typing.Callable[[Display], None]) -> None:
        display = self._display
        if display is not None:
            interruptible.call_on_main_thread(lambda: use(display))
