"""Ctrl-C in every phase. What is under way waits for an event that the test sets only afterwards: so the stop came first."""

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


class Hold:
    """What is under way stands still here until the test is over; Ctrl-C is pressed when it does."""

    def __init__(self):
        self._go_on = threading.Event()
        self.was_reached = False

    def __call__(self, press: bool = True):
        self.was_reached = True
        if press:
            signal.raise_signal(signal.SIGINT)
        self._go_on.wait()

    def release(self):
        self._go_on.set()
        for thread in threading.enumerate():
            if thread.name == "lpot":
                thread.join()


@pytest.fixture(autouse=True)
def ctrl_c():
    """Python takes no notice of it in a process that a script put into the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def hold():
    hold = Hold()
    yield hold
    hold.release()


@pytest.fixture
def quantizer(conf, pictures):
    """A study with many trials: nothing is good enough."""
    quantizer = Quantization(conf(tolerance="0.0001", trials=1000))
    quantizer.model, quantizer.calib_dataloader = calibrated_net(pictures), pictures()
    scores = iter([0.9])
    quantizer.eval_func = lambda model: next(scores, 0.1)
    return quantizer


def best_model() -> pathlib.Path:
    (file,) = pathlib.Path("lpot_workspace").glob("*/best/model.xml")
    return file.parent


def answers_like_the_saved_one(model, pictures) -> bool:
    x = torch.from_numpy(next(iter(pictures()))[0])
    return torch.equal(model(x), lpot.load(best_model())(x))


def test_work_is_done_beside_and_answers():
    threads = []
    assert (
        interruptible.run(lambda: threads.append(threading.current_thread()) or 42)
        == 42
    )
    assert threads[0] is not threading.main_thread()
    with pytest.raises(KeyError, match="gone"):
        interruptible.run(lambda: {}["gone"])


def test_functions_of_the_user_run_on_the_users_thread():
    where = interruptible.run(
        lambda: interruptible.call_on_main_thread(threading.current_thread)
    )
    assert where is threading.current_thread()
    with pytest.raises(KeyError, match="gone"):
        interruptible.run(lambda: interruptible.call_on_main_thread(lambda: {}["gone"]))


def test_on_other_threads_nothing_is_put_aside():
    found = []
    thread = threading.Thread(
        target=lambda: found.append(interruptible.run(threading.current_thread))
    )
    thread.start()
    thread.join()
    assert found == [thread]


def test_work_that_cannot_be_stopped_is_left(hold):
    with pytest.raises(KeyboardInterrupt):
        interruptible.run(hold)


def test_work_that_stops_in_time_has_the_last_word():
    stopped = threading.Event()

    def work():
        signal.raise_signal(signal.SIGINT)
        stopped.wait()
        return "what there was"

    assert interruptible.run(work, stopped.set) == "what there was"


def test_work_that_was_left_cannot_call_back(hold):
    ended = []

    def work():
        hold()
        try:
            interruptible.call_on_main_thread(lambda: ended.append("was called"))
        except lpot.Interrupted:
            ended.append("was not called")

    with pytest.raises(KeyboardInterrupt):
        interruptible.run(work, lambda: None)
    hold.release()
    assert ended == ["was not called"]


def test_while_a_loader_yields(quantizer, hold):
    class Loader:
        def __iter__(self):
            hold()

    quantizer.calib_dataloader = Loader()
    with pytest.raises(KeyboardInterrupt):
        quantizer()


def test_while_a_module_is_traced(quantizer, hold, pictures):
    class Slow(torch.nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def forward(self, x):
            hold()
            return self.module(x)

    quantizer.model = Slow(quantizer.model).train()
    with pytest.raises(KeyboardInterrupt):
        quantizer()
    hold.release()
    assert quantizer.model.training


def test_in_eval_func(quantizer, hold):
    quantizer.eval_func = lambda model: hold()
    with pytest.raises(lpot.Interrupted) as stopped:
        quantizer()
    assert stopped.value.model is None


def test_after_a_trial(quantizer, pictures):
    class Presser(logging.Handler):
        def emit(self, record):
            if record.getMessage().startswith("trial 1"):
                signal.raise_signal(signal.SIGINT)

    presser = Presser()
    logging.getLogger("lpot").addHandler(presser)
    logging.getLogger("lpot").setLevel(logging.INFO)
    try:
        with pytest.raises(KeyboardInterrupt) as stopped:
            quantizer()
    finally:
        logging.getLogger("lpot").removeHandler(presser)
    assert f"the best model so far is in {best_model()}" in str(stopped.value)
    assert len(stopped.value.model.result["trials"]) == 1
    assert answers_like_the_saved_one(stopped.value.model, pictures)


def test_while_the_library_works(quantizer, hold, monkeypatch, pictures):
    """As long as a compilation that does not end: the best model until then is what is left."""
    candidates = []
    made = TorchBridge.candidate

    def candidate(bridge, of):
        candidates.append(of)
        if len(candidates) == 2:
            hold()
        return made(bridge, of)

    monkeypatch.setattr(TorchBridge, "candidate", candidate)
    with pytest.raises(
        lpot.Interrupted, match="the best model so far is in"
    ) as stopped:
        quantizer()
    assert answers_like_the_saved_one(stopped.value.model, pictures)
    hold.release()
    assert len(candidates) == 2
    quantizer.eval_func = lambda model: 0.9  # the workspace is free again
    assert quantizer().result["goal_met"]


def test_while_the_best_model_is_saved(quantizer, hold, monkeypatch, pictures):
    saved = TorchBridge.on_saved

    def on_saved(bridge, *args):
        hold()
        saved(bridge, *args)

    monkeypatch.setattr(TorchBridge, "on_saved", on_saved)
    with pytest.raises(lpot.Interrupted) as stopped:
        quantizer()
    hold.release()
    assert answers_like_the_saved_one(
        stopped.value.model or lpot.load(best_model()), pictures
    )


def test_while_a_model_is_compiled_for_new_shapes(
    quantizer, hold, monkeypatch, pictures
):
    class Slow:
        def __init__(self, program):
            self._program = program

        def __getattr__(self, name):
            return getattr(self._program, name)

        def compile(self, arrays):
            hold(press=not hold.was_reached)
            self._program.compile(arrays)

    quantizer.eval_func = lambda model: 0.9
    model = quantizer()
    x = torch.from_numpy(next(iter(pictures()))[0])
    expected = model(x)
    model._program = Slow(lpot.saved.program(model.ir))
    with pytest.raises(KeyboardInterrupt):
        model(x)
    hold.release()
    assert torch.equal(model(x), expected)


def test_a_quantization_without_evaluation(quantizer, hold, monkeypatch):
    quantizer.eval_func = None
    arrange = TorchBridge.on_saved

    def on_saved(bridge, *args):
        hold()
        arrange(bridge, *args)

    monkeypatch.setattr(TorchBridge, "on_saved", on_saved)
    with pytest.raises(KeyboardInterrupt):
        quantizer()
    hold.release()
    (folder,) = pathlib.Path("lpot_workspace").glob("*/quantized")
    assert lpot.load(folder).state  # it was written to its end
