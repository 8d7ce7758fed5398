"""The progress line in terminals, the bar in notebooks, and silence elsewhere."""

import io
import sys
import types

import pytest
from test_pytorch import calibrated_net
from test_tune import PLAIN

import lpot
from lpot import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def lines(self) -> list[str]:
        """Returns all texts that the line had."""
        return [line.strip() for line in self.getvalue().split("\r") if line.strip()]


def open_terminal(monkeypatch) -> Terminal:
    """Replaces stderr. Not a fixture, because pytest replaces stderr after the fixtures."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "80")
    return stream


def tune(pictures, **options):
    net = calibrated_net(pictures)
    return lpot.tune(
        net, pictures(), metric="accuracy", max_loss=0.5, config=PLAIN, **options
    )


def test_terminal_shows_stages_and_a_summary(monkeypatch, pictures):
    terminal = open_terminal(monkeypatch)
    result = tune(pictures)
    lines = terminal.lines()
    assert any("calibrate | 48/48" in line for line in lines), lines
    assert any(line.startswith("[####################] trial 1 | evaluate | 48/48") for line in lines)  # fmt: skip
    assert lines[-1] == result.summary()
    assert terminal.getvalue().endswith("\n")
    assert all(len(line) < 80 for line in lines[:-1])
    assert "goal met" in result.summary()


def test_no_progress_on_request(monkeypatch, pictures):
    terminal = open_terminal(monkeypatch)
    tune(pictures, progress=False)
    assert terminal.lines() == []


def test_no_progress_if_stderr_is_a_file(monkeypatch, pictures):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert progress.create_display() is None
    tune(pictures)
    assert stream.getvalue() == ""


def test_an_error_removes_the_line(monkeypatch, pictures):
    terminal = open_terminal(monkeypatch)
    with pytest.raises(lpot.CallerError):
        lpot.tune(
            calibrated_net(pictures), pictures(), metric=lambda outputs, labels: 1 / 0, config=PLAIN
        )  # fmt: skip
    shown = terminal.getvalue().split("\r")
    assert terminal.lines() and shown[-1] == "" and shown[-2].strip() == ""


def test_a_shorter_line_replaces_all_of_a_longer_one():
    terminal = Terminal()
    display = progress.TerminalDisplay(terminal)
    display.show("a long line", None)
    display.show("short", None)
    assert terminal.getvalue() == "\ra long line\rshort      "
    display.clear()
    assert terminal.getvalue().endswith("\r     \r")


class Handle:
    def __init__(self, shown: list[str]):
        self._shown = shown

    def update(self, content) -> None:
        self._shown.append(content)


def fake_ipython(monkeypatch, shell) -> list[str]:
    shown: list[str] = []
    ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: shell
    ipython.display = display
    display.HTML = str
    display.display = lambda content, display_id: (
        shown.append(content),
        Handle(shown),
    )[1]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_notebook_updates_one_output(monkeypatch, pictures):
    shown = fake_ipython(monkeypatch, types.SimpleNamespace(kernel=object()))
    result = tune(pictures)
    assert any(
        line.startswith('<progress value="1.000"></progress> trial 1 | evaluate')
        for line in shown
    )
    assert shown[-1] == result.summary().replace(">", "&gt;")


def test_ipython_in_a_terminal_shows_the_line(monkeypatch):
    open_terminal(monkeypatch)
    fake_ipython(monkeypatch, types.SimpleNamespace())
    assert isinstance(progress.create_display(), progress.TerminalDisplay)
