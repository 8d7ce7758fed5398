"""Tunes the quick start's network from Python, with images in memory. Part of tests/wheel/in_root.sh."""

import gzip
import pathlib

import numpy

from lpot.experimental import Quantization

DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
pathlib.Path("conf.yaml").write_text(
    "model: {name: net, framework: onnxrt_qlinearops}\n"
    "evaluation: {accuracy: {metric: {topk: 1}}}\n"
    "tuning: {accuracy_criterion: {relative: 0.01}}\n"
)
images = numpy.frombuffer(
    gzip.open(DATA / "t10k-images-idx3-ubyte.gz").read(), numpy.uint8, offset=16
)
labels = numpy.frombuffer(
    gzip.open(DATA / "t10k-labels-idx1-ubyte.gz").read(), numpy.uint8, offset=8
)
inputs = (images.reshape(-1, 20, 1, 28, 28)[:20] / 255 - 0.286).astype("f4") / 0.353
loader = list(zip(inputs.astype("f4"), labels.reshape(-1, 20)[:20].astype("i8")))

quantizer = Quantization("conf.yaml")
quantizer.model = "fashion_cnn.onnx"
quantizer.calib_dataloader = quantizer.eval_dataloader = loader
result = quantizer().result
assert result["goal_met"], result
