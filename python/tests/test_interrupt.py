"""Ctrl-C in each phase. The phase blocks until the test releases it, so the interrupt always takes effect first."""

import logging
import pathlib
import signal
import threading

import pytest
import torch
from test_pytorch import calibrated_net

import lpot
from lpot import interruptible
from lpot.bridges.pytorch import TorchBridge
from lpot.experimental import Quantization


class Blocker:
    """Sends Ctrl-C and then blocks until release()."""

    def __init__(self):
        self._released = threading.Event()
        self.was_reached = False

    def __call__(self, press: bool = True):
        self.was_reached = True
        if press:
            signal.raise_signal(signal.SIGINT)
        self._released.wait()

    def release(self):
        self._released.set()
        for thread in threading.enumerate():
            if thread.name == "lpot":
                thread.join()


@pytest.fixture(autouse=True)
def ctrl_c():
    """Restores the default handler. Python ignores SIGINT in processes that a shell started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def blocker():
    blocker = Blocker()
    yield blocker
    blocker.release()


@pytest.fixture
def quantizer(conf, pictures):
    """A study with many trials, because no model meets the goal."""
    quantizer = Quantization(conf(tolerance="0.0001", trials=1000))
    quantizer.model, quantizer.calib_dataloader = calibrated_net(pictures), pictures()
    scores = iter([0.9])
    quantizer.eval_func = lambda model: next(scores, 0.1)
    return quantizer


def best_model() -> pathlib.Path:
    (file,) = pathlib.Path("lpot_workspace").glob("*/best/model.xml")
    return file.parent


def gives_the_same_outputs_as_the_saved_model(model, pictures) -> bool:
    x = torch.from_numpy(next(iter(pictures()))[0])
    return torch.equal(model(x), lpot.load(best_model())(x))


def test_run_executes_work_on_another_thread_and_returns_its_result():
    threads = []
    assert (
        interruptible.run(lambda: threads.append(threading.current_thread()) or 42)
        == 42
    )
    assert threads[0] is not threading.main_thread()
    with pytest.raises(KeyError, match="gone"):
        interruptible.run(lambda: {}["gone"])


def test_user_functions_run_on_the_main_thread():
    where = interruptible.run(
        lambda: interruptible.call_on_main_thread(threading.current_thread)
    )
    assert where is threading.current_thread()
    with pytest.raises(KeyError, match="gone"):
        interruptible.run(lambda: interruptible.call_on_main_thread(lambda: {}["gone"]))


def test_run_starts_no_thread_outside_the_main_thread():
    found = []
    thread = threading.Thread(
        target=lambda: found.append(interruptible.run(threading.current_thread))
    )
    thread.start()
    thread.join()
    assert found == [thread]


def test_ctrl_c_leaves_work_that_cannot_be_stopped(blocker):
    with pytest.raises(KeyboardInterrupt):
        interruptible.run(blocker)


def test_run_returns_the_result_of_work_that_stops_in_time():
    stopped = threading.Event()

    def work():
        signal.raise_signal(signal.SIGINT)
        stopped.wait()
        return "partial result"

    assert interruptible.run(work, stopped.set) == "partial result"


def test_abandoned_work_cannot_call_user_functions(blocker):
    calls = []

    def work():
        blocker()
        try:
            interruptible.call_on_main_thread(lambda: calls.append("called"))
        except lpot.Interrupted:
            calls.append("rejected")

    with pytest.raises(KeyboardInterrupt):
        interruptible.run(work, lambda: None)
    blocker.release()
    assert calls == ["rejected"]


def test_ctrl_c_while_a_loader_yields(quantizer, blocker):
    class Loader:
        def __iter__(self):
            blocker()

    quantizer.calib_dataloader = Loader()
    with pytest.raises(KeyboardInterrupt):
        quantizer()


def test_ctrl_c_while_a_module_is_traced(quantizer, blocker, pictures):
    class Slow(torch.nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def forward(self, x):
            blocker()
            return self.module(x)

    quantizer.model = Slow(quantizer.model).train()
    with pytest.raises(KeyboardInterrupt):
        quantizer()
    blocker.release()
    assert quantizer.model.training


def test_ctrl_c_in_eval_func(quantizer, blocker):
    quantizer.eval_func = lambda model: blocker()
    with pytest.raises(lpot.Interrupted) as stopped:
        quantizer()
    assert stopped.value.model is None


def test_ctrl_c_after_a_trial_returns_the_best_model(quantizer, pictures):
    class InterruptingHandler(logging.Handler):
        def emit(self, record):
            if record.getMessage().startswith("trial 1"):
                signal.raise_signal(signal.SIGINT)

    handler = InterruptingHandler()
    logging.getLogger("lpot").addHandler(handler)
    logging.getLogger("lpot").setLevel(logging.INFO)
    try:
        with pytest.raises(KeyboardInterrupt) as stopped:
            quantizer()
    finally:
        logging.getLogger("lpot").removeHandler(handler)
    assert f"the best model so far is in {best_model()}" in str(stopped.value)
    assert len(stopped.value.model.result["trials"]) == 1
    assert gives_the_same_outputs_as_the_saved_model(stopped.value.model, pictures)


def test_ctrl_c_while_the_library_works_returns_the_best_model(
    quantizer, blocker, monkeypatch, pictures
):
    """The second candidate blocks, like a compilation that does not end."""
    candidates = []
    original = TorchBridge.candidate

    def candidate(bridge, of):
        candidates.append(of)
        if len(candidates) == 2:
            blocker()
        return original(bridge, of)

    monkeypatch.setattr(TorchBridge, "candidate", candidate)
    with pytest.raises(
        lpot.Interrupted, match="the best model so far is in"
    ) as stopped:
        quantizer()
    assert gives_the_same_outputs_as_the_saved_model(stopped.value.model, pictures)
    blocker.release()
    assert len(candidates) == 2
    quantizer.eval_func = lambda model: 0.9  # the workspace is unlocked again
    assert quantizer().result["goal_met"]


def test_ctrl_c_while_the_best_model_is_saved(
    quantizer, blocker, monkeypatch, pictures
):
    saved = TorchBridge.on_saved

    def on_saved(bridge, *args):
        blocker()
        saved(bridge, *args)

    monkeypatch.setattr(TorchBridge, "on_saved", on_saved)
    with pytest.raises(lpot.Interrupted) as stopped:
        quantizer()
    blocker.release()
    assert gives_the_same_outputs_as_the_saved_model(
        stopped.value.model or lpot.load(best_model()), pictures
    )


def test_ctrl_c_while_a_model_is_compiled_for_new_shapes(
    quantizer, blocker, monkeypatch, pictures
):
    class Slow:
        def __init__(self, program):
            self._program = program

        def __getattr__(self, name):
            return getattr(self._program, name)

        def compile(self, arrays):
            blocker(press=not blocker.was_reached)
            self._program.compile(arrays)

    quantizer.eval_func = lambda model: 0.9
    model = quantizer()
    x = torch.from_numpy(next(iter(pictures()))[0])
    expected = model(x)
    model._program = Slow(lpot.saved.load_program(model.ir))
    with pytest.raises(KeyboardInterrupt):
        model(x)
    blocker.release()
    assert torch.equal(model(x), expected)


def test_ctrl_c_during_quantization_without_evaluation(quantizer, blocker, monkeypatch):
    quantizer.eval_func = None
    original = TorchBridge.on_saved

    def on_saved(bridge, *args):
        blocker()
        original(bridge, *args)

    monkeypatch.setattr(TorchBridge, "on_saved", on_saved)
    with pytest.raises(KeyboardInterrupt):
        quantizer()
    blocker.release()
    (folder,) = pathlib.Path("lpot_workspace").glob("*/quantized")
    assert lpot.load(folder).state  # the files are complete
