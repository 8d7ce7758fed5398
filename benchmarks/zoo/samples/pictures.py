"""ImageNet pictures, and text that Pillow renders as lines and pages."""

import csv
import functools
import io
import pathlib
import tarfile

import numpy as np

from .base import COUNT, Context, Samples, split


def normalize(
    pixels: np.ndarray,
    mean: tuple[float, ...] = (0.0,),
    std: tuple[float, ...] = (1.0,),
    scale: float = 1,
    channels_last: bool = False,
) -> np.ndarray:
    """From u8 [N, H, W, C] to the values of a model. `scale` is the largest value before the mean is subtracted."""
    values = pixels.astype(np.float32) * np.float32(scale / 255)
    values = (values - np.float32(mean)) / np.float32(std)
    values = values if channels_last else values.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(values, np.float32)


def pictures(
    context: Context,
    name: str,
    size: int | tuple[int, int],
    labelled: bool = False,
    integer: bool = False,
    bgr: bool = False,
    count: tuple[int, int] | None = None,
    **normalization,
) -> Samples:
    """ImageNet pictures. Sizes up to 256 are the centre of the picture, others are resized."""
    from PIL import Image

    count = count or ((64, 500) if labelled else COUNT)
    height, width = (size, size) if isinstance(size, int) else size
    lines = context.require("imagenet-2000/val.txt").read_text().splitlines()
    order = np.random.default_rng(1).permutation(len(lines))[: sum(count)]
    chosen = [lines[i].split() for i in order]
    pixels = np.empty((len(chosen), height, width, 3), np.uint8)
    with tarfile.open(context.require("imagenet-2000/images-256.tar")) as archive:
        for row, (file, _) in enumerate(chosen):
            content = archive.extractfile(f"images/{file}").read()
            picture = Image.open(io.BytesIO(content)).convert("RGB")
            if 192 <= height == width <= 256:
                edge = (256 - height) // 2
                picture = picture.crop((edge, edge, edge + height, edge + height))
            else:
                picture = picture.resize((width, height), Image.Resampling.BILINEAR)
            pixels[row] = np.asarray(picture)
    if bgr:
        pixels = pixels[..., ::-1]
    if integer:
        values = pixels
    else:
        values = normalize(pixels, **normalization)
    labels = np.array([int(label) for _, label in chosen])
    return split({name: values}, count, labels if labelled else None)


# Rendered text


@functools.cache
def words(path: pathlib.Path) -> list[str]:
    with open(path, encoding="utf-8") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        text = " ".join(row[0] for row in list(rows)[1:3000])
    return [word for word in text.split() if word.isascii()]


def draw(
    picture, box: tuple[int, int, int, int], text: str, random: np.random.Generator
) -> None:
    """Text that fills the box, as dark as the generator says."""
    from PIL import ImageDraw, ImageFont

    left, top, right, bottom = box
    size = max(8, int((bottom - top) * random.uniform(0.6, 0.85)))
    font = ImageFont.load_default(size)
    while size > 8 and font.getlength(text) > right - left:
        size -= 1
        font = ImageFont.load_default(size)
    shade = int(random.integers(0, 90))
    ImageDraw.Draw(picture).text(
        (left, top), text, fill=(shade, shade, shade), font=font
    )


def paper(size: tuple[int, int], random: np.random.Generator):
    from PIL import Image

    shade = int(random.integers(200, 256))
    return Image.new("RGB", size, (shade, shade, shade))


def noisy(picture, random: np.random.Generator) -> np.ndarray:
    pixels = np.asarray(picture).astype(np.float32)
    pixels += random.normal(0, random.uniform(0, 8), pixels.shape)
    return np.clip(pixels, 0, 255).astype(np.uint8)


def grey_pixels(pixels: np.ndarray) -> np.ndarray:
    return pixels.mean(-1, keepdims=True).round().astype(np.uint8)


def text_lines(
    context: Context,
    name: str,
    height: int,
    width: int,
    words: int = 0,
    grey: bool = False,
    turned: bool = False,
    count: tuple[int, int] = COUNT,
    **normalization,
) -> Samples:
    """Lines of text. With `turned`, every second line is upside down."""
    vocabulary = vocabulary_of(context)
    random = np.random.default_rng(2)
    rows = []
    for i in range(sum(count)):
        picture = paper((width, height), random)
        number = words or int(random.integers(2, 1 + max(2, width // height)))
        text = " ".join(random.choice(vocabulary, number))
        draw(picture, (4, 2, width - 4, height - 2), text, random)
        if turned and i % 2:
            picture = picture.rotate(180)
        rows.append(noisy(picture, random))
    pixels = np.stack(rows)
    return split(
        {name: normalize(grey_pixels(pixels) if grey else pixels, **normalization)},
        count,
    )


def pages(
    context: Context,
    name: str,
    height: int,
    width: int,
    turned: bool = False,
    count: tuple[int, int] = COUNT,
    **normalization,
) -> Samples:
    """Pages with a title and paragraphs in one or two columns. With `turned`, by 0, 90, 180 or 270 degrees."""
    vocabulary = vocabulary_of(context)
    random = np.random.default_rng(3)
    rows = []
    for i in range(sum(count)):
        picture = paper((width, height), random)
        line = int(random.integers(max(10, height // 32), max(14, height // 14)))
        draw(
            picture,
            (20, 8, width - 20, 8 + 2 * line),
            " ".join(random.choice(vocabulary, 3)),
            random,
        )
        columns = int(random.integers(1, 3))
        for column in range(columns):
            left = 20 + column * (width - 20) // columns
            right = (column + 1) * (width - 20) // columns
            top = 16 + 2 * line
            while top + line < height:
                if random.uniform() < 0.85:
                    number = max(1, int((right - left) / (line * 3.2)))
                    text = " ".join(random.choice(vocabulary, number))
                    draw(picture, (left, top, right, top + line), text, random)
                top += line
        if turned:
            picture = picture.rotate(90 * (i % 4))
        rows.append(noisy(picture, random))
    return split({name: normalize(np.stack(rows), **normalization)}, count)


def vocabulary_of(context: Context) -> list[str]:
    return words(context.require("glue-sst-2/train.tsv"))
