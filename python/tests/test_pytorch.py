"""Quantizes PyTorch modules to int8 models with the same call interface."""

import collections

import numpy as np
import pytest
import torch
from conftest import Picture
from torch import nn

import ilit
import lpot
from lpot.experimental import Benchmark, Quantization, common


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.convolution = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.linear = nn.Linear(8, 2)
        with torch.no_grad():  # class 1 is brighter
            self.convolution.weight.abs_()
            self.linear.weight[:] = torch.tensor([[-1.0] * 8, [1.0] * 8])
            self.linear.bias[:] = torch.tensor([17.0, -17.0])

    def forward(self, x):
        return self.linear(torch.relu(self.norm(self.convolution(x))).sum((2, 3)) / 64)


def calibrated_net(pictures):
    net = Net().eval()
    with torch.no_grad():
        scores = torch.cat([net(torch.from_numpy(x)) for x, _ in pictures()])
        net.linear.bias -= scores.mean(0)
    return net


def accuracy_of(loader):
    def eval_func(model):
        right = [
            (model(torch.from_numpy(x)).argmax(1).numpy() == y).mean()
            for x, y in loader
        ]
        return float(np.mean(right))

    return eval_func


@pytest.fixture
def net(pictures):
    return calibrated_net(pictures)


def quantizer_of(net, conf, pictures):
    quantizer = Quantization(conf())
    quantizer.model = net
    quantizer.calib_dataloader = pictures()
    quantizer.eval_func = accuracy_of(pictures(seed=1))
    return quantizer


def test_eval_func_receives_the_module_and_then_int8_models(net, conf, pictures):
    quantizer = quantizer_of(net, conf, pictures)
    score, seen = quantizer.eval_func, []
    quantizer.eval_func = lambda model: (seen.append(model), score(model))[1]
    q_model = quantizer()
    assert seen[0] is net
    assert all(model is not net for model in seen[1:]) and len(seen) >= 2
    assert q_model.result["baseline"]["accuracy"] == pytest.approx(score(net))
    assert q_model.result["best"]["accuracy"] == pytest.approx(score(q_model))


def test_int8_outputs_are_close_to_fp32_but_not_equal(net, conf, pictures):
    q_model = quantizer_of(net, conf, pictures)()
    x = torch.from_numpy(next(iter(pictures()))[0])
    expected, got = net(x).detach(), q_model(x)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    spread = expected.std().item()
    assert 0 < (got - expected).abs().max().item() < 0.2 * spread
    assert "int8" in {op["precision"] for op in q_model.state["ops"].values()}
    assert q_model.eval() is q_model


def test_loaders_from_python_with_metric_from_yaml(net, conf, pictures):
    quantizer = Quantization(conf(rest="evaluation: {accuracy: {metric: {topk: 1}}}"))
    quantizer.model = common.Model(net)
    quantizer.calib_dataloader = pictures()
    quantizer.eval_dataloader = pictures(seed=1)
    q_model = quantizer()
    assert q_model.result["baseline"]["metrics"]["topk 1"] == pytest.approx(
        accuracy_of(pictures(seed=1))(net)
    )


def test_data_and_metric_from_yaml(net, conf):
    loader = "dataloader: {batch_size: 4, dataset: {dummy_v2: {input_shape: [3, 16, 16], label_shape: [1], sample_size: 16}}}"
    rest = f"evaluation: {{accuracy: {{metric: {{Agreement: {{}}}}, {loader}}}}}"
    quantizer = Quantization(conf(tolerance="0.5", rest=rest))
    quantizer.model = net
    assert quantizer().result["baseline"]["accuracy"] == 1.0


def test_without_eval_func_and_metric_it_quantizes_once(net, conf, pictures):
    quantizer = Quantization(conf())
    quantizer.model, quantizer.calib_dataloader = net, pictures()
    q_model = quantizer()
    assert q_model.result == {}
    assert q_model(torch.from_numpy(next(iter(pictures()))[0])).shape == (8, 2)


def test_load_reads_what_save_wrote(net, conf, pictures):
    q_model = quantizer_of(net, conf, pictures)()
    q_model.save("int8")
    again = lpot.load("int8")
    x = torch.from_numpy(next(iter(pictures()))[0])
    assert torch.equal(again(x), q_model(x))
    assert again.state == q_model.state and again.framework() == "pytorch"


def test_load_reads_the_best_model_of_a_workspace(net, conf, pictures):
    q_model = quantizer_of(net, conf, pictures)()
    best = lpot.load("lpot_workspace/net-pytorch/best")
    x = torch.from_numpy(next(iter(pictures()))[0])
    assert torch.equal(best(x), q_model(x))
    assert best.state == q_model.state and best.framework() == "pytorch"


def test_quantization_preserves_mode_and_weights_of_the_module(net, conf, pictures):
    net.train()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    quantizer = Quantization(conf())
    quantizer.model, quantizer.calib_dataloader = net, pictures()
    quantizer()
    assert net.training
    assert all(
        torch.equal(value, before[name]) for name, value in net.state_dict().items()
    )


Pair = collections.namedtuple("Pair", ["total", "parts"])


class Structured(nn.Module):
    """Takes tensors by name, in a tuple and in a dict. Returns a namedtuple that contains a dict."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.linear = nn.Linear(8, 8)

    def forward(self, first, pair, extra=None, unused=None):
        mixed = self.linear(first + pair[0] * pair[1])
        if extra is not None:
            mixed = mixed + self.linear(extra["more"])
        return Pair(mixed.sum(1), {"mixed": mixed, "none": None})


def structured_batches():
    random = np.random.default_rng(0)
    for _ in range(4):
        a, b, c, d = (random.normal(0, 1, (4, 8)).astype(np.float32) for _ in range(4))
        yield (
            {
                "first": a,
                "pair": (b, c),
                "extra": {"more": torch.from_numpy(d)},
                "unused": None,
            },
            None,
        )


def test_preserves_nested_inputs_and_outputs(conf):
    module = Structured().eval()
    quantizer = Quantization(conf())
    quantizer.model, quantizer.calib_dataloader = module, list(structured_batches())
    q_model = quantizer()
    inputs = next(structured_batches())[0]
    tensors = {"first": torch.from_numpy(inputs["first"]), "extra": inputs["extra"]}
    tensors["pair"] = tuple(torch.from_numpy(part) for part in inputs["pair"])
    got, expected = q_model(**tensors), module(**tensors)
    assert (
        isinstance(got, Pair)
        and set(got.parts) == {"mixed", "none"}
        and got.parts["none"] is None
    )
    assert torch.allclose(got.parts["mixed"], expected.parts["mixed"], atol=0.2)
    by_place = q_model(tensors["first"], tensors["pair"], tensors["extra"])
    assert torch.equal(by_place.total, got.total)
    with pytest.raises(lpot.DataError, match="'first' is missing"):
        q_model(pair=tensors["pair"], extra=tensors["extra"])


def test_q_func_provides_calibration_data(net, conf, pictures):
    quantizer = lpot.Quantization(conf())
    sizes = []

    def q_func(model):
        for x, _ in pictures():
            sizes.append(len(model(torch.from_numpy(x))))

    q_model = quantizer(net, q_func=q_func, eval_dataloader=pictures())
    assert sizes == [8] * 6
    assert q_model(torch.from_numpy(next(iter(pictures()))[0])).shape == (8, 2)


def test_benchmark_measures_speed_and_accuracy(net, conf, pictures):
    q_model = quantizer_of(net, conf, pictures)()
    benchmark = Benchmark(conf(rest="evaluation: {accuracy: {metric: {topk: 1}}}"))
    benchmark.model, benchmark.b_dataloader = q_model, pictures(seed=1)
    benchmark("accuracy")
    results = benchmark("performance")
    assert results["accuracy"]["topk 1"] == pytest.approx(
        accuracy_of(pictures(seed=1))(q_model)
    )
    assert (
        results["performance"]["batch_size"] == 8
        and results["performance"]["throughput"] > 0
    )


def tuned_by_ilit(net, conf, trials: int, **options):
    """Runs a study that never meets its goal. Returns the trial numbers and the number of evaluated models."""
    evaluated = []

    def eval_func(model):
        evaluated.append(model)
        return 0.9 if model is net else 0.1

    tuner = ilit.Tuner(conf(tolerance="0.0001", trials=trials))
    result = tuner.tune(net, Picture(), eval_func=eval_func, **options).result
    return [trial.number for trial in result["trials"]], len(evaluated)


def test_resume_file_resumes_the_last_study(net, conf, pictures):
    assert tuned_by_ilit(net, conf, 2) == ([1, 2], 3)
    assert tuned_by_ilit(net, conf, 3, resume_file="./snapshot") == ([1, 2, 3], 1)
    same = calibrated_net(pictures)
    assert tuned_by_ilit(same, conf, 4, resume_file="./snapshot") == ([1, 2, 3, 4], 1)
    with torch.no_grad():
        net.linear.bias += 1
    with pytest.raises(lpot.StoreError, match="the model has changed"):
        tuned_by_ilit(net, conf, 5, resume_file="./snapshot")
    assert tuned_by_ilit(net, conf, 1) == ([1], 2)
