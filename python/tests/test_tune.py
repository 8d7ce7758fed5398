"""lpot.tune and lpot.quantize: one call with a model and data."""

import logging
import pathlib
import re
import textwrap

import numpy as np
import pytest
import torch
from test_pytorch import Net, calibrated_net

import lpot
from lpot.strategy import Strategy

PLAIN = {"quantization": {"recipes": {"kernel_variants": "plain"}}}


@pytest.fixture
def net(pictures) -> Net:
    return calibrated_net(pictures)


def accuracy(outputs, labels) -> float:
    return float((outputs.argmax(1) == labels).mean())


def expected_accuracy(model, loader) -> float:
    with torch.no_grad():
        return float(
            np.mean(
                [accuracy(model(torch.from_numpy(x)).numpy(), y) for x, y in loader]
            )
        )


@pytest.fixture
def result(net, pictures) -> lpot.TuneResult:
    return lpot.tune(net, pictures(), metric="accuracy", max_loss=0.2, config=PLAIN)


def test_result_has_the_measurements_of_both_models(result, net, pictures):
    assert result.baseline == pytest.approx(expected_accuracy(net, pictures()))
    assert result.accuracy == pytest.approx(expected_accuracy(result.model, pictures()))
    assert result.goal_met and "0.2" not in result.metric
    low, high = result.speedup_interval
    assert 0 < low <= result.speedup <= high
    table = result.compare()
    assert table["int8"]["size_bytes"] > 0
    assert table["fp32"]["accuracy"] == result.baseline
    assert table["fp32"]["latency_ms"] == pytest.approx(
        table["int8"]["latency_ms"] * result.speedup
    )


def test_trials_are_flat_rows(result):
    assert [row["trial"] for row in result.trials] == list(
        range(1, len(result.trials) + 1)
    )
    (best,) = [row for row in result.trials if row["is_best"]]
    assert best["accuracy"] == result.accuracy and best["meets_goal"]
    assert best["speedup"] == result.speedup and best["error"] == ""
    for row in result.trials:
        assert row.keys() == best.keys()
        plain = (bool, int, float, str, type(None))
        assert all(isinstance(value, plain) for value in row.values())


def test_result_is_shown_as_text_and_as_html(result):
    text = repr(result)
    assert re.search(r"Accuracy +\d\.\d{4} +\d\.\d{4} +[+-]\d", text), text
    assert "latency, batch 1" in text and ": met" in text
    markup = result._repr_html_()
    assert markup.count("<tr>") == 4 and "<td>Accuracy</td>" in markup
    result._result["goal"] = "<script>"
    assert "<script>" not in result._repr_html_()


def test_report_is_a_page_in_the_workspace(result, monkeypatch):
    path = result.report()
    assert path.is_absolute() and path.name == "report.html"
    assert path.parent.name == "Net-pytorch"
    assert "<html" in path.read_text()
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert result.report(open_browser=True) == path
    assert opened == [path.as_uri()]
    path.unlink()
    with pytest.raises(lpot.StoreError, match="report.html: file not found"):
        result.report()


def test_save_writes_a_folder_that_load_reads(result, pictures):
    result.save("int8")
    x = torch.from_numpy(next(iter(pictures()))[0])
    assert torch.equal(lpot.load("int8")(x), result.model(x))


def test_output_is_the_folder_of_the_best_model(net, pictures):
    result = lpot.tune(net, pictures(), output="best", max_loss=0.5, config=PLAIN)
    x = torch.from_numpy(next(iter(pictures()))[0])
    assert torch.equal(lpot.load("best")(x), result.model(x))


def test_without_a_metric_it_compares_with_the_fp32_model(net, pictures):
    unlabelled = (x for x, _ in pictures())  # a generator, which can be read once
    result = lpot.tune(net, unlabelled, max_loss=0.5, config=PLAIN)
    assert result.metric == "Agreement" and result.baseline == 1.0
    with torch.no_grad():
        agrees = [
            net(x).argmax(1) == result.model(x).argmax(1)
            for x in (torch.from_numpy(x) for x, _ in pictures())
        ]
    assert result.accuracy == pytest.approx(torch.cat(agrees).float().mean().item())


def test_metric_function_gets_all_outputs_and_labels(net, pictures):
    shapes = []

    def score(outputs, labels):
        shapes.append((outputs.shape, labels.shape))
        return accuracy(outputs, labels)

    result = lpot.tune(net, pictures(), metric=score, max_loss=0.2, config=PLAIN)
    assert shapes[0] == ((48, 2), (48,))
    assert result.metric == "score"
    assert result.baseline == pytest.approx(expected_accuracy(net, pictures()))


def test_eval_func_gets_models(net, pictures):
    seen = []

    def evaluate(model):
        seen.append(model)
        return expected_accuracy(model, pictures())

    result = lpot.tune(net, pictures(), metric=evaluate, max_loss=0.2, config=PLAIN)
    assert seen[0] is net and len(seen) > 1
    assert result.accuracy == pytest.approx(expected_accuracy(result.model, pictures()))


def test_functions_can_measure_an_error(net, pictures):
    result = lpot.tune(
        net,
        pictures(),
        metric=lambda outputs, labels: 1 - accuracy(outputs, labels),
        higher_is_better=False,
        criterion="absolute",
        max_loss=0.2,
        config=PLAIN,
    )
    assert result.goal_met and result.accuracy <= result.baseline + 0.2
    assert result.goal.startswith("at most")


@pytest.mark.parametrize(
    ("name", "shown"),
    [("top1", "topk 1"), ("f1", "F1"), ("ACCURACY", "Accuracy"), ("cosine", "Cosine")],
)
def test_metrics_by_name(net, pictures, name, shown):
    result = lpot.tune(
        net, pictures(), metric=name, max_loss=0.9, max_trials=1, config=PLAIN
    )
    assert result.metric == shown


def test_metric_classes_and_parameters(net, pictures):
    result = lpot.tune(
        net, pictures(), metric={"topk": {"k": 2}}, max_trials=1, config=PLAIN
    )
    assert result.baseline == 1.0

    class Half(lpot.metric.BaseMetric):
        def reset(self):
            pass

        def update(self, preds, labels, sample_weight=None):
            pass

        def result(self):
            return 0.5

    result = lpot.tune(net, pictures(), metric=Half, max_trials=1, config=PLAIN)
    assert (result.metric, result.accuracy) == ("Half", 0.5)


class Samples(torch.utils.data.Dataset):
    def __init__(self, inputs, labels):
        self._inputs, self._labels = inputs, labels

    def __len__(self):
        return len(self._inputs)

    def __getitem__(self, index):
        return self._inputs[index], int(self._labels[index])


@pytest.mark.parametrize("kind", ["arrays", "tensors", "samples", "loader", "list"])
def test_kinds_of_data(net, pictures, kind):
    batches = list(pictures())
    x, y = (np.concatenate(part) for part in zip(*batches))
    data = {
        "arrays": (x, y),
        "tensors": (torch.from_numpy(x), list(y)),
        "samples": Samples(x, y),
        "loader": torch.utils.data.DataLoader(Samples(x, y), batch_size=12),
        "list": batches,
    }[kind]
    result = lpot.tune(
        net, data, metric="accuracy", max_loss=0.9, max_trials=1, config=PLAIN
    )
    assert result.baseline == pytest.approx(expected_accuracy(net, batches))


class Masked(torch.nn.Module):
    """Two inputs of equal shape."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(16, 4)

    def forward(self, x, mask):
        return self.layer(x * mask)


@pytest.mark.parametrize("kind", ["tuple", "dict", "list of labels", "batches"])
def test_several_inputs_with_one_row_per_sample(kind):
    module = Masked().eval()
    x, mask = torch.randn(96, 16), torch.rand(96, 16).round()
    labels = module(x, mask).argmax(1)
    data = {
        "tuple": ((x, mask), labels),
        "dict": ({"x": x, "mask": mask}, labels),
        "list of labels": ((x, mask), labels.tolist()),
        "batches": [((x[:48], mask[:48]), labels[:48]), ((x[48:], mask[48:]), labels[48:])],
    }[kind]  # fmt: skip
    counts = []

    def score(outputs, given):
        counts.append(len(given))
        return accuracy(outputs, np.asarray(given))

    result = lpot.tune(module, data, metric=score, max_loss=0.9, max_trials=1, config=PLAIN)  # fmt: skip
    assert result.baseline == 1.0 and counts[0] == 96


def test_a_pair_of_batches_is_not_inputs_and_labels(net, pictures):
    first, second = list(pictures(2))
    result = lpot.tune(net, (first, second), metric="accuracy", max_loss=0.9, max_trials=1, config=PLAIN)  # fmt: skip
    assert result.baseline == pytest.approx(expected_accuracy(net, [first, second]))


def test_arguments_override_the_configuration(net, pictures, conf):
    path = conf(tolerance="0.0001", trials=7, rest="evaluation: {accuracy: {metric: {topk: 2}}}")  # fmt: skip
    result = lpot.tune(net, pictures(), config=path, max_loss=0.3)
    assert result.metric == "topk 2"
    assert "less 30% relative" in result.goal
    assert result.workspace == pathlib.Path("lpot_workspace/net-pytorch")
    result = lpot.tune(
        net, pictures(), config=path, metric=lambda model: float(model is net), max_trials=2
    )  # fmt: skip
    assert len(result.trials) == 2 and not result.goal_met
    assert result.stopped_because == "max_trials is reached"


def test_configuration_can_name_the_data(net):
    loader = "dataset: {dummy_v2: {input_shape: [3, 16, 16], label_shape: [1], sample_size: 16}}"
    pathlib.Path("conf.yaml").write_text(
        "model: {name: net}\n"
        "quantization: {calibration: {sampling_size: 16, dataloader: {" + loader + "}}}\n"
        "evaluation: {accuracy: {metric: {Agreement: {}}, dataloader: {" + loader + "}}}\n"
    )  # fmt: skip
    result = lpot.tune(net, config=["conf.yaml"], max_loss=0.9)
    assert result.baseline == 1.0


def test_calibration_can_be_other_data(net, pictures, caplog):
    caplog.set_level(logging.WARNING, "lpot")
    lpot.tune(net, pictures(), calibration=pictures(seed=3), max_loss=0.5, config=PLAIN)
    assert "same data set" not in caplog.text
    # 48 samples are fewer than the default sampling size, which the user has not set.
    assert "sampling_size" not in caplog.text


def test_strategies_can_be_objects(net, pictures):
    class OnlyFp32Ends(Strategy):
        def next(self, space, trials, goal):
            return None if trials else space.plan(fallback=[space.ops[-1]])

    result = lpot.tune(net, pictures(), strategy=OnlyFp32Ends(), max_loss=0.9, config=PLAIN)  # fmt: skip
    assert result.trials[0]["ops_not_int8"] == 1


def test_quantize_returns_a_model(net, pictures):
    q_model = lpot.quantize(net, pictures(), output="int8", config=PLAIN)
    x = torch.from_numpy(next(iter(pictures()))[0])
    with torch.no_grad():
        spread = net(x).std().item()
        assert 0 < (q_model(x) - net(x)).abs().max().item() < 0.2 * spread
    assert torch.equal(lpot.load("int8")(x), q_model(x))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"metric": "acuracy"}, lpot.ConfigError, r"unknown name 'acuracy'; expected one of: top1, top5, ..., accuracy, f1"),
        ({"metric": 3}, lpot.ConfigError, r"\[tune\] metric: got a int; expected a name"),
        ({"metric": lambda a, b, c: 0}, lpot.ConfigError, "has 3 required parameters"),
        ({"metric": {"topk": {"q": 1}}}, lpot.ConfigError, r"the arguments of tune\(\):\d+: evaluation.accuracy.metric.topk.q: unknown key"),
        ({"max_loss": 2}, lpot.ConfigError, r"\[tune\] max_loss: got 2; expected a number from 0 to 1"),
        ({"criterion": "both"}, lpot.ConfigError, "criterion: got 'both'; expected one of: relative, absolute"),
        ({"criterion": "absolute"}, lpot.ConfigError, "criterion: got 'absolute' without max_loss; pass max_loss"),
        ({"max_trials": 0}, lpot.ConfigError, "max_trials: got 0; expected an integer >= 1"),
        ({"max_trials": 1.5}, lpot.ConfigError, "max_trials: got 1.5; expected an integer"),
        ({"timeout": -1}, lpot.ConfigError, "timeout: got -1; expected a number >= 0"),
        ({"strategy": "best"}, lpot.ConfigError, "strategy: got 'best'; expected one of: basic, auto"),
        ({"strategy": 3}, lpot.ConfigError, r"expected a name or an object with next\(\)"),
        ({"config": 3}, lpot.ConfigError, "config: got a int"),
        ({"config": {"tunning": {}}}, lpot.ConfigError, r"config:\d+: tunning.*tuning"),
        ({"config": "none.yaml"}, lpot.ConfigError, "none.yaml.*no such file"),
        ({"data": None}, lpot.DataError, r"\[tune\] no data: expected an iterable of batches"),
        ({"data": []}, lpot.DataError, r"\[data\] the loader yields nothing"),
        ({"data": 3}, lpot.DataError, r"\[tune\] data: got a int; expected an iterable"),
        ({"data": "images"}, lpot.DataError, r"\[tune\] data: got the path 'images'"),
        ({"data": (np.zeros((4, 3)), np.zeros(3))}, lpot.DataError, "4 inputs and 3 labels"),
        ({"data": np.zeros((4, 3), np.float32)}, lpot.ModelError, r"cannot trace Net .*\(x \[4, 3\]\)"),
        ({"model": None}, lpot.ModelError, "the model is None"),
        ({"model": 42}, lpot.ModelError, "unsupported model type builtins.int"),
    ],
)  # fmt: skip
def test_wrong_arguments(net, pictures, arguments, error, message):
    assert issubclass(error, lpot.Error)
    given = {"model": net, "data": pictures(), **arguments}
    with pytest.raises(error, match=message):
        lpot.tune(**given)


def test_metric_function_must_return_a_number(net, pictures):
    with pytest.raises(lpot.CallerError, match=r"returned 'high' \(str\)"):
        lpot.tune(net, pictures(), metric=lambda outputs, labels: "high", config=PLAIN)


def test_functions_and_submodules_have_different_names():
    import importlib
    import pkgutil

    for module in pkgutil.iter_modules(lpot.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"lpot.{module.name}")
    assert callable(lpot.tune) and callable(lpot.quantize) and callable(lpot.load)


@pytest.mark.parametrize("function", [lpot.tune, lpot.quantize])
def test_examples_of_docstrings_run(function):
    indented = function.__doc__.split("Example:\n\n")[1]
    space: dict = {}
    exec(compile(textwrap.dedent(indented), function.__name__, "exec"), space)
    assert space["outputs"].shape[1] == 10
