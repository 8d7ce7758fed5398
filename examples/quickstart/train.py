"""Train the Fashion-MNIST classifier of the quickstart and export it as fashion_cnn.onnx.

TODO
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
        self.conv = nn.Conv2d(cin, cout, kernel, stride, kernel // 2, groups=groups, bias=False)
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
    """Two regular 3x3 convolutions and a skip connection."""

    def __init__(self, channels):
        super().__init__()
        self.conv1 = ConvBnRelu(channels, channels, 3)
        self.conv2 = ConvBnRelu(channels, channels, 3, relu=False)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(x + self.conv2(self.conv1(x)))


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
    return torch.from_numpy(images.astype(np.float32)), torch.from_numpy(labels.astype(np.int64))


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
