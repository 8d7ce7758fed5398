"""Trains the detector shapes_yolo.onnx: a small network with the structure of YOLOv8. Needs torch and onnx.

python train.py shapes_yolo.onnx [STEPS]
"""

from __future__ import annotations

import random
import sys

import numpy as np
import torch
from make_pictures import CLASSES, HEIGHT, WIDTH, draw
from torch import nn
from torch.nn import functional

SIDE, BINS, STRIDES = 96, 8, (8, 16, 32)
LARGEST = (26, 44, 1000)  # the largest side of an object of each level, in pixels


class Block(nn.Sequential):
    def __init__(self, before: int, after: int, size: int = 3, stride: int = 1) -> None:
        convolution = nn.Conv2d(before, after, size, stride, size // 2, bias=False)
        super().__init__(convolution, nn.BatchNorm2d(after), nn.SiLU())


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.both = nn.Sequential(Block(channels, channels), Block(channels, channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.both(x)


class Detector(nn.Module):
    """The output is [count,4+classes,anchors]: centers and sizes in pixels, then scores."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            Block(3, 12, stride=2), Block(12, 16, stride=2), Residual(16)
        )
        self.third = nn.Sequential(Block(16, 24, stride=2), Residual(24))
        self.fourth = nn.Sequential(Block(24, 32, stride=2), Residual(32))
        self.fifth = nn.Sequential(Block(32, 40, stride=2), Residual(40))
        self.down_fourth, self.down_third = Block(72, 32), Block(56, 24)
        widths = (24, 32, 40)
        self.boxes = nn.ModuleList(
            nn.Sequential(Block(w, 16), nn.Conv2d(16, 4 * BINS, 1)) for w in widths
        )
        self.scores = nn.ModuleList(
            nn.Sequential(Block(w, 16), nn.Conv2d(16, len(CLASSES), 1)) for w in widths
        )
        for head in self.scores:
            nn.init.constant_(head[-1].bias, -4.0)
        self.distance = nn.Conv2d(BINS, 1, 1, bias=False)
        self.distance.weight.data = torch.arange(BINS, dtype=torch.float32).view(
            1, BINS, 1, 1
        )
        self.distance.weight.requires_grad_(False)
        centers, strides = [], []
        for stride in STRIDES:
            y, x = torch.meshgrid(
                torch.arange(SIDE // stride),
                torch.arange(SIDE // stride),
                indexing="ij",
            )
            centers.append(torch.stack([x, y]).flatten(1) + 0.5)
            strides.append(torch.full((1, centers[-1].shape[1]), float(stride)))
        self.register_buffer("centers", torch.cat(centers, 1))
        self.register_buffer("strides", torch.cat(strides, 1))

    def levels(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        third = self.third(self.stem(x))
        fourth = self.fourth(third)
        fifth = self.fifth(fourth)
        fourth = self.down_fourth(
            torch.cat([functional.interpolate(fifth, scale_factor=2.0), fourth], 1)
        )
        third = self.down_third(
            torch.cat([functional.interpolate(fourth, scale_factor=2.0), third], 1)
        )
        both = [
            torch.cat([boxes(level), scores(level)], 1).flatten(2)
            for level, boxes, scores in zip(
                (third, fourth, fifth), self.boxes, self.scores, strict=True
            )
        ]
        return torch.cat(both, 2).split([4 * BINS, len(CLASSES)], 1)

    def decoded(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Corners in pixels, and logits of the classes."""
        boxes, logits = self.levels(x)
        bins = boxes.view(boxes.shape[0], 4, BINS, -1).transpose(1, 2).softmax(1)
        distances = self.distance(bins).view(boxes.shape[0], 4, -1)
        first, last = distances.chunk(2, 1)
        return torch.cat(
            [self.centers - first, self.centers + last], 1
        ) * self.strides, logits

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        corners, logits = self.decoded(x)
        first, last = corners.chunk(2, 1)
        return torch.cat([(first + last) / 2, last - first, logits.sigmoid()], 1)


def letter_box(pixels: bytes) -> tuple[torch.Tensor, float, int]:
    """The picture in the network's size, its scale, and the number of rows above it."""
    scale = SIDE / WIDTH
    rows = round(HEIGHT * scale)
    picture = np.frombuffer(pixels, np.uint8).reshape(HEIGHT, WIDTH, 3)
    image = torch.from_numpy(picture.astype(np.float32)).permute(2, 0, 1)[None]
    image = functional.interpolate(image, (rows, SIDE), mode="bilinear")
    top = (SIDE - rows) // 2
    return (
        functional.pad(image, (0, 0, top, SIDE - rows - top), value=114.0)[0] / 255,
        scale,
        top,
    )


def batch(
    source: random.Random, model: Detector, count: int
) -> tuple[torch.Tensor, ...]:
    """Images, the class of each anchor (-1: background) and its box."""
    pixels = model.centers * model.strides
    images, classes, boxes = [], [], []
    for _ in range(count):
        pixels_rgb, objects = draw(source)
        image, scale, above = letter_box(pixels_rgb)
        anchor_class, anchor_box = (
            torch.full((pixels.shape[1],), -1),
            torch.zeros(4, pixels.shape[1]),
        )
        for shape, (top, left, bottom, right) in objects:
            box = torch.tensor([left, top, right, bottom]) * scale + torch.tensor(
                [0, above, 0, above]
            )
            size = float(max(box[2] - box[0], box[3] - box[1]))
            level = next(i for i, largest in enumerate(LARGEST) if size <= largest)
            middle = (box[:2] + box[2:]) / 2
            near = (pixels - middle[:, None]).abs().amax(0) <= STRIDES[level] * 0.8
            mine = near & (model.strides[0] == STRIDES[level])
            anchor_class[mine] = shape
            anchor_box[:, mine] = box[:, None]
        images.append(image)
        classes.append(anchor_class)
        boxes.append(anchor_box)
    return torch.stack(images), torch.stack(classes), torch.stack(boxes)


def loss_of(
    model: Detector, images: torch.Tensor, classes: torch.Tensor, boxes: torch.Tensor
) -> torch.Tensor:
    corners, logits = model.decoded(images)
    wanted = (
        functional.one_hot(classes + 1, len(CLASSES) + 1)[..., 1:]
        .transpose(1, 2)
        .float()
    )
    probability = logits.sigmoid()
    weight = torch.where(wanted > 0, 1.0, 0.75 * probability.detach() ** 1.5)
    objects = (classes >= 0).sum().clamp(min=1)
    of_scores = (
        functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        * weight
    ).sum() / objects
    chosen = classes >= 0
    found, truth = corners.transpose(1, 2)[chosen], boxes.transpose(1, 2)[chosen]
    both = (
        (
            torch.minimum(found[:, 2:], truth[:, 2:])
            - torch.maximum(found[:, :2], truth[:, :2])
        )
        .clamp(min=0)
        .prod(1)
    )
    areas = (found[:, 2:] - found[:, :2]).prod(1) + (truth[:, 2:] - truth[:, :2]).prod(
        1
    )
    overlap = both / (areas - both).clamp(min=1e-6)
    return (
        of_scores
        + 2 * (1 - overlap).sum() / objects
        + 0.05 * (found - truth).abs().sum() / objects
    )


def main() -> None:
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    torch.manual_seed(1)
    source = random.Random(2024)
    model = Detector()
    optimizer = torch.optim.AdamW(
        [p for p in model.parameters() if p.requires_grad], 2e-3, weight_decay=1e-3
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, steps)
    for step in range(steps):
        loss = loss_of(model, *batch(source, model, 24))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(step, round(loss.item(), 3), flush=True)
    model.eval()
    torch.onnx.export(
        model,
        torch.zeros(1, 3, SIDE, SIDE),
        sys.argv[1],
        input_names=["images"],
        output_names=["output0"],
        dynamic_axes={"images": {0: "count"}, "output0": {0: "count"}},
        opset_version=13,
        dynamo=False,
    )


if __name__ == "__main__":
    main()
