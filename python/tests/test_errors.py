"""Error cases and their messages."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from test_pytorch import calibrated_net

import lpot
from lpot.experimental import Quantization


@pytest.fixture
def quantizer(conf, pictures):
    quantizer = Quantization(conf(tolerance="0.0001", trials=10))
    quantizer.model, quantizer.calib_dataloader = calibrated_net(pictures), pictures()
    return quantizer


def test_invalid_configuration_names_file_line_and_key(in_own_folder):
    (in_own_folder / "bad.yaml").write_text(
        "model: {name: net}\ntuning: {accuracy_criterion: {relative: abc}}\n"
    )
    with pytest.raises(
        lpot.ConfigError,
        match=r"bad.yaml:2: tuning.accuracy_criterion.relative: .* got 'abc'",
    ):
        Quantization("bad.yaml")
    assert issubclass(lpot.ConfigError, lpot.Error)


def test_untraceable_module_reports_inputs_and_reason(quantizer):
    class Lists(torch.nn.Module):
        def forward(self, x):
            return len([row for row in x.tolist() if row]) + self.missing

    quantizer.model = Lists()
    with pytest.raises(lpot.ModelError) as error:
        quantizer()
    for part in (
        "cannot trace Lists",
        "x [8, 3, 16, 16]",
        "AttributeError",
        "missing",
        "export the module to ONNX",
    ):
        assert part in str(error.value)


def test_rejects_module_without_quantizable_ops(quantizer):
    quantizer.model = torch.nn.ReLU()
    with pytest.raises(lpot.ModelError, match="quantiz"):
        quantizer()


@pytest.mark.parametrize("loader", [[], iter(())])
def test_rejects_empty_loader(quantizer, loader):
    quantizer.calib_dataloader = loader
    with pytest.raises(
        lpot.DataError, match=r"\[calib_dataloader\] the loader yields nothing"
    ):
        quantizer()


def test_rejects_data_that_do_not_fit_the_model(quantizer):
    quantizer.calib_dataloader = [
        (np.zeros((4, 3, 16, 16), np.float32), 0),
        (np.zeros((4, 5, 16, 16), np.float32), 0),
    ]
    quantizer.eval_func = lambda model: 1.0
    with pytest.raises(lpot.DataError, match="do not match the model"):
        quantizer()


def failing_after_fp32(failure):
    calls = []

    def eval_func(model):
        calls.append(model)
        return 0.5 if len(calls) == 1 else failure()

    return eval_func, calls


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (
            lambda: "0.5",
            r"\[eval_func\] returned '0.5' \(str\); expected the accuracy as a number",
        ),
        (lambda: None, r"\[eval_func\] returned None \(NoneType\)"),
        (lambda: float("nan"), r"\[eval_func\] returned a number that is not finite"),
        (lambda: {}["acc"], r"\[eval_func\] raised KeyError: 'acc'"),
    ],
)
def test_three_consecutive_eval_func_failures_end_the_study(
    quantizer, failure, message
):
    quantizer.eval_func, calls = failing_after_fp32(failure)
    with pytest.raises(lpot.Error, match=r"no trial succeeded. Last error: " + message):
        quantizer()
    assert len(calls) == 1 + 3


def test_single_eval_func_failures_are_recorded_and_the_study_continues(
    quantizer,
):
    answers = iter([0.5, None, 0.2, "0.3", None, 0.5])
    quantizer.eval_func = lambda model: next(answers)
    trials = quantizer().result["trials"]
    assert [trial.accuracy for trial in trials] == [None, 0.2, None, None, 0.5]
    assert "'0.3'" in trials[2].error


def test_eval_func_failure_on_the_fp32_model_is_raised(quantizer):
    def eval_func(model):
        raise ValueError("the labels are gone")

    quantizer.eval_func = eval_func
    with pytest.raises(
        lpot.CallerError, match="raised ValueError: the labels are gone"
    ) as error:
        quantizer()
    assert isinstance(error.value.__cause__, ValueError)


def test_rejects_unsupported_model_types(quantizer):
    quantizer.model = 42
    with pytest.raises(lpot.ModelError, match="unsupported model type builtins.int"):
        quantizer()


@pytest.mark.parametrize(
    ("name", "extra"),
    [("torch", "torch"), ("tensorflow", "tensorflow"), ("onnx", "onnx")],
)
def test_missing_framework_error_names_the_pip_extra(name, extra):
    code = f"""
        import sys
        sys.modules["{name}"] = None
        import lpot
        from lpot.frameworks import require
        try:
            require("{name}")
        except lpot.MissingFramework as error:
            assert isinstance(error, lpot.Error) and isinstance(error, ImportError)
            print(error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    assert f"pip install 'lpot[{extra}]'" in run.stdout, run.stderr


def test_importing_lpot_imports_no_framework():
    code = """
        import sys, lpot, ilit, lpot.experimental
        print({"torch", "tensorflow", "onnx", "openvino", "numpy"} & set(sys.modules))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    assert run.stdout.strip() == "set()", run.stderr
