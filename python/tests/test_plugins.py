"""Metrics, data sets, postprocessing and strategies written in Python."""

import numpy as np
import pytest
import torch
from test_pytorch import accuracy_of, calibrated_net

import lpot
from lpot.data import (
    DATALOADERS,
    DATASETS,
    TRANSFORMS,
    dataset_registry,
    transform_registry,
)
from lpot.experimental import Quantization, common
from lpot.metric import METRICS, BaseMetric, metric_registry
from lpot.strategy import Strategy, strategy_registry


class ErrorRate(BaseMetric):
    """The share of wrong predictions; lower is better."""

    higher_is_better = False

    def __init__(self, add=0.0):
        self.add = add
        self.reset()

    def reset(self):
        self.wrong = self.count = 0

    def update(self, preds, labels, sample_weight=None):
        self.wrong += int((np.argmax(preds, 1) != labels).sum())
        self.count += len(labels)

    def result(self):
        return self.wrong / self.count + self.add


def test_user_metric_with_parameters(conf, pictures):
    net = calibrated_net(pictures)
    quantizer = Quantization(conf())
    quantizer.model = net
    quantizer.calib_dataloader, quantizer.eval_dataloader = pictures(), pictures(seed=1)
    quantizer.metric = common.Metric(ErrorRate, "wrong", add=0.5)
    q_model = quantizer()
    expected = 1.5 - accuracy_of(pictures(seed=1))(net)
    assert q_model.result["baseline"]["metrics"] == {"wrong": pytest.approx(expected)}
    assert not q_model.result["best"]["accuracy"] < expected - 0.5


def test_user_postprocessing_before_a_library_metric(conf, pictures):
    seen = []

    def flip_labels(sample):
        preds, labels = sample
        seen.append((preds.shape, labels.shape))
        return preds, 1 - labels

    net = calibrated_net(pictures)
    quantizer = Quantization(
        conf(tolerance="0.9", rest="evaluation: {accuracy: {metric: {topk: 1}}}")
    )
    quantizer.model = net
    quantizer.calib_dataloader, quantizer.eval_dataloader = pictures(), pictures(seed=1)
    quantizer.postprocess = common.Postprocess(flip_labels)
    q_model = quantizer()
    assert q_model.result["baseline"]["accuracy"] == pytest.approx(
        1 - accuracy_of(pictures(seed=1))(net)
    )
    assert seen[0] == ((8, 2), (8,))


def test_text_labels_reach_the_metric(conf, pictures):
    class Named(ErrorRate):
        def update(self, preds, labels, sample_weight=None):
            super().update(
                preds, np.array([["dark", "bright"].index(label) for label in labels])
            )

    def named():
        for x, y in pictures(seed=1):
            yield x, [("dark", "bright")[label] for label in y]

    net = calibrated_net(pictures)
    quantizer = Quantization(conf(tolerance="0.9"))
    quantizer.model, quantizer.calib_dataloader, quantizer.eval_dataloader = (
        net,
        pictures(),
        named(),
    )
    quantizer.metric = Named()
    assert quantizer().result["baseline"]["accuracy"] == pytest.approx(
        1 - accuracy_of(pictures(seed=1))(net)
    )


def test_user_strategy_chooses_the_plans(conf, pictures):
    class Twice(Strategy):
        def next(self, space, trials, goal):
            assert goal.baseline > 0
            if not trials:
                return space.plan(fallback=[space.ops[0]])
            return space.plan() if len(trials) == 1 else None

    quantizer = Quantization(conf(rest="", trials=10))
    quantizer.model, quantizer.calib_dataloader = calibrated_net(pictures), pictures()
    scores = iter([1.0, 0.1, 0.2])
    quantizer.eval_func = lambda model: next(scores)
    quantizer.strategy = Twice()
    q_model = quantizer()
    assert [len(trial.plan.fallback) for trial in q_model.result["trials"]] == [1, 0]
    for trial in q_model.result["trials"]:
        assert trial.fp32_latency_ms == pytest.approx(trial.latency_ms * trial.speedup)
    assert q_model.result["best"]["trial"] == 2


def test_yaml_can_name_registered_components(conf, pictures):
    @dataset_registry("bright_pictures")
    class Bright:
        def __init__(self, seed=0):
            self.samples = [pair for x, y in pictures(seed=seed) for pair in zip(x, y)]

        def __getitem__(self, index):
            return self.samples[index]

        def __len__(self):
            return len(self.samples)

    metric_registry("wrong_share")(ErrorRate)

    @strategy_registry("only_one")
    class OnlyOne(Strategy):
        def next(self, space, trials, goal):
            return None if trials else space.plan()

    rest = (
        "evaluation: {accuracy: {metric: {wrong_share: {add: 0.25}}, "
        "dataloader: {batch_size: 8, dataset: {bright_pictures: {seed: 1}}}}}"
    )
    text = (
        open(conf(tolerance="0.0001", rest=rest))
        .read()
        .replace("tuning: {", "tuning: {strategy: {name: only_one}, ")
    )
    text = text.replace(
        "sampling_size: 32",
        "sampling_size: 32, dataloader: {dataset: {bright_pictures: {}}}",
    )
    open("conf.yaml", "w").write(text)
    net = calibrated_net(pictures)
    quantizer = Quantization("conf.yaml")
    quantizer.model = net
    result = quantizer().result
    assert result["baseline"]["accuracy"] == pytest.approx(
        1.25 - accuracy_of(pictures(seed=1))(net)
    )
    assert len(result["trials"]) == 1


def test_yaml_transforms_apply_to_a_python_data_set(conf, pictures):
    @dataset_registry(dataset_type="bytes_of_pictures", framework="pytorch")
    class Bytes:
        def __getitem__(self, index):
            picture = np.random.default_rng(index).integers(0, 256, (16, 16, 3))
            return picture.astype(np.uint8), index % 2

        def __len__(self):
            return 32

    @transform_registry(
        transform_type="Stretch", process="preprocess", framework="pytorch"
    )
    class Stretch:
        def __init__(self, by=1.0):
            self.by = by

        def __call__(self, sample):
            picture, label = sample
            return picture * np.float32(self.by), label

    @metric_registry(metric_type="first_output", framework="pytorch")
    class FirstOutput(ErrorRate):
        def update(self, preds, labels, sample_weight=None):
            self.wrong += float(preds[:, 0].sum())
            self.count += len(labels)

    net = calibrated_net(pictures)
    text = "dataloader: {batch_size: 8, dataset: {bytes_of_pictures: {}}, transform: {ToTensor: {}, Stretch: {by: 3.0}}}"
    rest = f"evaluation: {{accuracy: {{metric: {{first_output: {{}}}}, {text}}}}}"
    quantizer = Quantization(conf(tolerance="0.9", rest=rest))
    quantizer.model = net
    data = Bytes()
    inputs = np.stack([data[i][0].transpose(2, 0, 1) / 255 * 3 for i in range(32)])
    with torch.no_grad():
        expected = net(torch.from_numpy(inputs.astype(np.float32)))[:, 0].mean().item()
    assert quantizer().result["baseline"]["accuracy"] == pytest.approx(
        expected, rel=1e-4
    )


def test_lpot_tables_contain_library_components(conf, pictures):
    data = DATASETS("tensorflow")["dummy"]((6, 8, 8, 3), label=True)
    batches = list(DATALOADERS["tensorflow"](data, 4))
    assert [inputs[0].shape for inputs, _ in batches] == [(4, 8, 8, 3), (2, 8, 8, 3)]
    resize = TRANSFORMS("pytorch", "preprocess")["Resize"](size=4)
    picture, label = resize((np.zeros((8, 8, 3), np.uint8), 1))
    assert picture.shape == (4, 4, 3) and label == 1
    metric = METRICS("tensorflow")["topk"](k=2)
    metric.update(np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]), [1, 2])
    assert metric.result() == 0.5
    metric.reset()
    metric.update(torch.tensor([[0.1, 0.2, 0.7]]), torch.tensor([1]))
    assert metric.result() == 1.0
    with pytest.raises(KeyError, match="unknown metric 'nothing'"):
        METRICS("pytorch")["nothing"]
    with pytest.raises(lpot.ConfigError, match="k"):
        METRICS("pytorch")["topk"](k="many")

    net = calibrated_net(pictures)
    quantizer = Quantization(conf())
    quantizer.model = net
    quantizer.calib_dataloader, quantizer.eval_dataloader = pictures(), pictures(seed=1)
    quantizer.metric = METRICS("pytorch")["topk"]()
    assert quantizer().result["baseline"]["accuracy"] == pytest.approx(
        accuracy_of(pictures(seed=1))(net)
    )


def test_rejects_strategy_that_returns_no_plan(conf, pictures):
    class Odd(Strategy):
        def next(self, space, trials, goal):
            return "int8"

    quantizer = Quantization(conf())
    quantizer.model, quantizer.calib_dataloader = calibrated_net(pictures), pictures()
    quantizer.eval_func, quantizer.strategy = lambda model: 1.0, Odd()
    with pytest.raises(lpot.CallerError, match="next\\(\\) returned a str"):
        quantizer()
