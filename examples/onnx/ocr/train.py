"""Train the text recognizer of this example and export it as recognizer.onnx.

The network is a small CNN with CTC loss: five 3x3 convolutions that reduce an image of 32x160 pixels to 40 steps, a
convolution over five steps, and a linear layer. Each convolution is followed by a batch norm, which is exported as a
BatchNormalization node.

Input "image": float32 [batch, 1, 32, 160], pixel / 255, dark text on light ground. Output "scores": float32
[batch, 40, 38], one score for the CTC blank (class 0) and for each of the 37 characters of characters.txt.

Needs: Python 3.11, the Debian package fonts-dejavu-core, and
    pip install torch==2.13.0 numpy==2.4.6 onnx==1.23.2 pillow==13.0.0

Run:
    python train.py

The training images are 6000 random words in three fonts and five sizes, rendered with Pillow. The seed fixes weights and images; the last digits can differ between CPUs.
"""

import argparse
import pathlib
import time

import numpy as np
import onnx
import torch
from PIL import Image, ImageDraw, ImageFont
from torch import nn

FOLDER = pathlib.Path(__file__).resolve().parent
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
FONT_NAMES = ["DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf"]
CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz "
HEIGHT, WIDTH = 32, 160


class Recognizer(nn.Module):
    """Converts [batch, 1, 32, 160] to [batch, 40, 38]."""

    def __init__(self):
        super().__init__()

        def block(cin, cout, kernel, stride, padding):
            return nn.Sequential(
                nn.Conv2d(cin, cout, kernel, stride, padding, bias=False),
                nn.BatchNorm2d(cout),
                nn.ReLU(),
            )

        self.body = nn.Sequential(
            block(1, 16, 3, 2, 1),
            block(16, 24, 3, 2, 1),
            block(24, 32, 3, (2, 1), 1),
            block(32, 48, 3, (2, 1), 1),
            block(48, 64, (2, 3), 1, (0, 1)),
            block(64, 64, (1, 5), 1, (0, 2)),
        )
        self.head = nn.Linear(64, len(CHARACTERS) + 1)

    def forward(self, image):
        steps = self.body(image).squeeze(2).transpose(1, 2)
        return self.head(steps)


def random_text(random):
    words = []
    for _ in range(random.integers(1, 4)):
        length = random.integers(1, 8)
        words.append("".join(random.choice(list(CHARACTERS[:-1]), length)))
    return " ".join(words)[:16].strip()


def render(text, random, fonts):
    font = fonts[random.integers(len(fonts))]
    left, top, right, bottom = font.getbbox(text)
    margin = random.integers(1, 6, 4)
    size = (right - left + margin[0] + margin[1], bottom - top + margin[2] + margin[3])
    image = Image.new("L", size, int(random.integers(200, 256)))
    ImageDraw.Draw(image).text(
        (margin[0] - left, margin[2] - top), text, int(random.integers(0, 70)), font
    )
    width = min(WIDTH, max(1, round(size[0] * HEIGHT / size[1])))
    pixels = np.full((HEIGHT, WIDTH), 0, np.float32)
    scaled = np.asarray(image.resize((width, HEIGHT), Image.BILINEAR), np.float32)
    pixels[:, :width] = scaled
    pixels[:, width:] = np.median(scaled[:, -1])
    noise = random.normal(0, random.uniform(0, 8), pixels.shape)
    return np.clip(pixels + noise, 0, 255).astype(np.float32) / 255


def make_pool(random, fonts, size):
    """Rendered texts; batches choose from them at random."""
    pool = []
    while len(pool) < size:
        text = random_text(random)
        if text:
            pool.append((text, render(text, random, fonts)))
    return pool


def make_batch(random, pool, size=32):
    chosen = [pool[i] for i in random.integers(0, len(pool), size)]
    texts = [text for text, _ in chosen]
    images = [image for _, image in chosen]
    targets = [CHARACTERS.index(character) + 1 for text in texts for character in text]
    return (
        torch.from_numpy(np.stack(images)[:, None]),
        torch.tensor(targets),
        torch.tensor([len(text) for text in texts]),
    )


def train(model, steps, random, pool):
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    loss_of = nn.CTCLoss(zero_infinity=True)
    start = time.time()
    for step in range(steps):
        images, targets, lengths = make_batch(random, pool)
        scores = model(images).log_softmax(2).transpose(0, 1)
        loss = loss_of(
            scores, targets, torch.full_like(lengths, scores.shape[0]), lengths
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(
                f"step {step} loss {loss.item():.3f} {time.time() - start:.0f} s",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--output", default=FOLDER / "recognizer.onnx")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    random = np.random.default_rng(1)
    fonts = [
        ImageFont.truetype(FONTS / name, size)
        for name in FONT_NAMES
        for size in (18, 22, 26, 30, 36)
    ]
    model = Recognizer()
    train(model, arguments.steps, random, make_pool(random, fonts, 6000))
    model.eval()
    torch.onnx.export(
        model,
        torch.zeros(1, 1, HEIGHT, WIDTH),
        str(arguments.output),
        input_names=["image"],
        output_names=["scores"],
        dynamic_axes={"image": {0: "batch"}, "scores": {0: "batch"}},
        opset_version=17,
        do_constant_folding=False,
        training=torch.onnx.TrainingMode.PRESERVE,
        dynamo=False,
    )
    onnx.checker.check_model(str(arguments.output))


if __name__ == "__main__":
    main()
