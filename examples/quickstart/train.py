"""Train the Fashion-MNIST classifier of the quickstart and export it as fashion_cnn.onnx.

The network is a small CNN (68,362 parameters): a 3x3 stem, three blocks of a depthwise and a pointwise
convolution, a residual block with a regular 3x3 convolution, global average pooling and a linear layer. Each
convolution is followed by a batch norm, which is exported as a BatchNormalization node (opset 17). The quantization
tool folds it.

Input "image": float32 [batch, 1, 28, 28], (pixel / 255 - 0.2860) / 0.3530. Output "logits": float32 [batch, 10].

Needs: Python 3.11, the Debian package dataset-fashion-mnist (or its four *-ubyte.gz files in the folder --data), and
    pip install torch==2.13.0 numpy==2.4.6 onnx==1.23.2 openvino==2026.4.1

Run:
    python train.py

10 epochs with seed 1 took 562 s on 2 CPU cores and gave 92.04% on the 10,000 test images, with PyTorch and with the
exported model in OpenVINO. The test images are used only for this final figure. The seed fixes the initial weights
and the order of the images; the last digits can differ between CPUs.
"""

import argparse
import gzip
import time
from pathlib import Path

import numpy as np
import onnx
import openvino as ov
import torch
from torch import nn
from torch.nn import functional as F

MEAN, STD = 0.2860, 0.3530
DEFAULT_DATA = Path("/usr/share/datasets/fashion-mnist")
DEFAULT_OUTPUT = Path(__file__).resolve().parent / "fashion_cnn.onnx"


class ConvBnRelu(nn.Module):
    """Convolution without bias, batch norm and (unless relu=False) ReLU; the padding keeps the size."""

    def __init__(self, cin, cout, kernel, stride=1, groups=1, relu=True):
        super().__init__()
        self.conv = nn.Conv2d(
            cin, cout, kernel, stride, kernel // 2, groups=groups, bias=False
        )
        self.bn = nn.BatchNorm2d(cout)
        self.relu = nn.ReLU() if relu else nn.Identity()

    def forward(self, x):
        return self.relu(self.bn(self.conv(x)))


class Separable(nn.Sequential):
    """MobileNet block: a depthwise 3x3 convolution, then a pointwise 1x1 convolution."""

    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.add_module("dw", ConvBnRelu(cin, cin, 3, stride, groups=cin))
        self.add_module("pw", ConvBnRelu(cin, cout, 1))


class Residual(nn.Module):
    """Regular 3x3 convolution and batch norm with a skip connection around them."""

    def __init__(self, channels):
        super().__init__()
        self.conv = ConvBnRelu(channels, channels, 3, relu=False)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(x + self.conv(x))


class FashionCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = ConvBnRelu(1, 32, 3)  # 28x28
        self.block1 = Separable(32, 64, stride=2)  # 14x14
        self.block2 = Residual(64)
        self.block3 = Separable(64, 128, stride=2)  # 7x7
        self.block4 = Separable(128, 128)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.fc = nn.Linear(128, 10)

    def forward(self, x):
        x = self.stem(x)
        x = self.block4(self.block3(self.block2(self.block1(x))))
        return self.fc(self.flatten(self.pool(x)))


def load_split(folder, split):
    """Return the images [n,1,28,28], normalized, and the labels of one split ("train" or "t10k")."""
    images = gzip.decompress((folder / f"{split}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((folder / f"{split}-labels-idx1-ubyte.gz").read_bytes())
    images = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 1, 28, 28)
    labels = np.frombuffer(labels, np.uint8, offset=8)
    images = (images.astype(np.float32) / 255 - MEAN) / STD
    return torch.from_numpy(images.astype(np.float32)), torch.from_numpy(
        labels.astype(np.int64)
    )


def augment(images, max_shift=2):
    """Mirror half of the images and shift each image by up to max_shift pixels."""
    n = len(images)
    flip = torch.rand(n) < 0.5
    images = torch.where(flip.view(-1, 1, 1, 1), images.flip(3), images)
    padded = F.pad(images, [max_shift] * 4, value=-MEAN / STD)[:, 0]
    steps = torch.arange(28)
    rows = torch.randint(0, 2 * max_shift + 1, (n, 1, 1)) + steps.view(1, 28, 1)
    cols = torch.randint(0, 2 * max_shift + 1, (n, 1, 1)) + steps.view(1, 1, 28)
    return padded[torch.arange(n).view(-1, 1, 1), rows, cols].unsqueeze(1)


def train(model, images, labels, epochs, batch):
    """Train with SGD, a one-cycle learning rate and label smoothing."""
    steps = len(images) // batch
    optimizer = torch.optim.SGD(
        model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.2, epochs=epochs, steps_per_epoch=steps
    )
    model.train()
    for epoch in range(epochs):
        start, total = time.perf_counter(), 0.0
        order = torch.randperm(len(images))
        for step in range(steps):
            index = order[step * batch : (step + 1) * batch]
            loss = F.cross_entropy(
                model(augment(images[index])), labels[index], label_smoothing=0.05
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        seconds = time.perf_counter() - start
        print(
            f"epoch {epoch + 1}/{epochs}: loss {total / steps:.4f}, {seconds:.0f} s",
            flush=True,
        )


def accuracy(predict, images, labels, batch=500):
    """Return the percentage of images whose largest logit is that of the label."""
    hits = sum(
        int((predict(x).argmax(1) == y).sum())
        for x, y in zip(images.split(batch), labels.split(batch), strict=True)
    )
    return 100 * hits / len(images)


def export(model, path):
    """Write the model as ONNX, batch norms unfused.

    TrainingMode.EVAL would fold each batch norm into its convolution. PRESERVE keeps the graph of the module. The module
    is in eval mode, so the batch norms are exported in inference form.
    """
    torch.onnx.export(
        model.eval(),
        (torch.zeros(2, 1, 28, 28),),
        path,
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
        opset_version=17,
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
        dynamo=False,
    )
    graph = onnx.load(path)
    onnx.checker.check_model(graph, full_check=True)
    norms = [node for node in graph.graph.node if node.op_type == "BatchNormalization"]
    expected = sum(isinstance(module, nn.BatchNorm2d) for module in model.modules())
    if len(norms) != expected or any(len(node.output) != 1 for node in norms):
        raise RuntimeError(
            f"{path}: found {len(norms)} batch norms; expected {expected} in inference form"
        )


def main():
    parser = argparse.ArgumentParser(
        description="Train the quickstart model and export it as ONNX."
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=DEFAULT_DATA,
        help="folder of the *-ubyte.gz files (%(default)s)",
    )
    parser.add_argument(
        "--output", type=Path, default=DEFAULT_OUTPUT, help="ONNX file to write"
    )
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    train_images, train_labels = load_split(args.data, "train")
    test_images, test_labels = load_split(args.data, "t10k")
    model = FashionCnn().to(memory_format=torch.channels_last)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")

    start = time.perf_counter()
    train(model, train_images, train_labels, args.epochs, args.batch)
    print(f"trained in {time.perf_counter() - start:.0f} s")

    model.eval()
    with torch.inference_mode():
        print(
            f"test accuracy, PyTorch: {accuracy(model, test_images, test_labels):.2f}%"
        )

    export(model.to(memory_format=torch.contiguous_format), str(args.output))
    precision = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = ov.Core().compile_model(str(args.output), "CPU", precision)
    score = accuracy(
        lambda x: torch.from_numpy(compiled(x.numpy())[0]), test_images, test_labels
    )
    print(f"test accuracy, {args.output.name} with OpenVINO: {score:.2f}%")
    print(f"{args.output}: {args.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
