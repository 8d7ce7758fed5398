"""Writes the files of one network: `networks.py NAME WORK`, with the data sets below LPOT_TEST_DATA.

They are the model, 300 rows for calibration, batches for evaluation and batches for timing.

The folder of a network contains `calibration/<input>.npy`, `evaluation.npz`, `timing-<batch>.npz` (see load_batches),
`labels.npy` if there are labels, and `network.json` with the fields of Network.
"""

import csv
import dataclasses
import gzip
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tarfile
from collections.abc import Callable

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
Batch = dict[str, np.ndarray]


@dataclasses.dataclass
class Network:
    name: str
    title: str
    model: str  # path of the fp32 model
    score: str  # accuracy, pearson, or agreement with fp32 if there are no labels
    transformer: bool = False
    module: str = ""  # "blendcnn" or "minilm" if there is a PyTorch module
    whole_samples: bool = (
        False  # a row of calibration is a whole input, not one row of a batch
    )
    cut: dict = dataclasses.field(
        default_factory=dict
    )  # input: shape, if the graph is cut
    batch_sizes: tuple[int, ...] = (1, 32)
    samples: int = 300


def load_batches(path: pathlib.Path) -> list[Batch]:
    """Returns the batches of save_batches, in order."""
    batches: list[Batch] = []
    with np.load(path) as arrays:
        for key in arrays:
            index, name = key.split("/", 1)
            if int(index) == len(batches):
                batches.append({})
            batches[int(index)][name] = arrays[key]
    return batches


def save_batches(path: pathlib.Path, batches: list[Batch]) -> None:
    np.savez(
        path,
        **{
            f"{i}/{name}": x
            for i, batch in enumerate(batches)
            for name, x in batch.items()
        },
    )


def in_batches(rows: Batch, size: int) -> list[Batch]:
    count = len(next(iter(rows.values())))
    return [
        {k: v[i : i + size] for k, v in rows.items()} for i in range(0, count, size)
    ]


class Data:
    """The folder with models and data sets."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder

    def require(self, path: str) -> pathlib.Path:
        if not self.folder:
            raise FileNotFoundError(f"LPOT_TEST_DATA is not set, {path} is needed")
        if not (pathlib.Path(self.folder) / path).exists():
            raise FileNotFoundError(f"{path} is not below LPOT_TEST_DATA")
        return (pathlib.Path(self.folder) / path).resolve()

    def pairs(self, part: str) -> tuple[Batch, np.ndarray]:
        """Sentence pairs of MRPC as BERT's inputs of length 128, and their labels."""
        import tokenizers

        tokenizer = tokenizers.BertWordPieceTokenizer(
            str(self.require("bert-vocab/vocab.txt")), lowercase=True
        )
        tokenizer.enable_truncation(128)
        tokenizer.enable_padding(length=128)
        with open(self.require(f"glue-mrpc/{part}.tsv"), encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        encoded = tokenizer.encode_batch(
            [(r["#1 String"], r["#2 String"]) for r in rows]
        )
        inputs = {
            "input_ids": np.array([e.ids for e in encoded]),
            "attention_mask": np.array([e.attention_mask for e in encoded]),
            "token_type_ids": np.array([e.type_ids for e in encoded]),
        }
        return inputs, np.array([int(r["Quality"]) for r in rows])


def save_rows(
    folder: pathlib.Path, calibration: Batch, evaluation: Batch, size: int
) -> None:
    """Saves inputs with one sample per row. Evaluation uses batches of `size`."""
    for name, rows in calibration.items():
        np.save(folder / f"calibration/{name}.npy", rows)
    save_batches(folder / "evaluation.npz", in_batches(evaluation, size))
    for batch in (1, 32):
        save_batches(folder / f"timing-{batch}.npz", in_batches(evaluation, batch)[:1])


def images(path: pathlib.Path, offset: int, shape: tuple[int, ...]) -> np.ndarray:
    data = np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8)[offset:]
    return data.reshape(-1, *shape)


def quickstart(_: Data, folder: pathlib.Path) -> Network:
    def read(part: str) -> np.ndarray:
        pixels = images(FASHION / f"{part}-images-idx3-ubyte.gz", 16, (1, 28, 28))
        return ((pixels / np.float32(255) - 0.2860) / 0.3530).astype(np.float32)

    model = ROOT / "examples/quickstart/fashion_cnn.onnx"
    name = onnx_inputs(model)[0]
    save_rows(folder, {name: read("train")[:300]}, {name: read("t10k")}, 100)
    labels = images(FASHION / "t10k-labels-idx1-ubyte.gz", 8, ())
    np.save(folder / "labels.npy", labels)
    return Network(
        "quickstart", "Quick start network, Fashion-MNIST", str(model), "accuracy"
    )


def resnet20(data: Data, folder: pathlib.Path) -> Network:
    def read(part: str) -> tuple[np.ndarray, np.ndarray]:
        records = images(data.require(f"cifar10/{part}.bin.gz"), 0, (3073,))
        pixels = records[:, 1:].reshape(-1, 3, 32, 32) / np.float32(255)
        mean = np.array([0.485, 0.456, 0.406], np.float32)[:, None, None]
        deviation = np.array([0.229, 0.224, 0.225], np.float32)[:, None, None]
        return (pixels - mean) / deviation, records[:, 0]

    model = data.require("resnet-cifar10-onnx/resnet20-cifar10.onnx")
    name = onnx_inputs(model)[0]
    evaluation, labels = read("test_batch")
    save_rows(folder, {name: read("data_batch_1")[0][:300]}, {name: evaluation}, 100)
    np.save(folder / "labels.npy", labels)
    return Network("resnet20", "ResNet-20, CIFAR-10", str(model), "accuracy")


def mobilenet_v2(data: Data, folder: pathlib.Path) -> Network:
    """300 images of all classes are calibration data, the others evaluation data."""
    import PIL.Image

    mean = np.array([0.485, 0.456, 0.406], np.float32)
    deviation = np.array([0.229, 0.224, 0.225], np.float32)

    def pixels(file: object) -> np.ndarray:
        image = np.asarray(PIL.Image.open(file).convert("RGB"), np.float32)[
            16:240, 16:240
        ]
        return ((image / 255 - mean) / deviation).transpose(2, 0, 1)

    lines = data.require("imagenet-2000/val.txt").read_text().splitlines()
    names, labels = zip(*(line.split() for line in lines), strict=True)
    with tarfile.open(data.require("imagenet-2000/images-256.tar")) as archive:
        files = {pathlib.Path(member.name).name: member for member in archive}
        rows = np.stack(
            [pixels(archive.extractfile(files[pathlib.Path(n).name])) for n in names]
        )
    chosen = np.zeros(len(rows), bool)
    chosen[[int(i * len(rows) / 300) for i in range(300)]] = True
    model = data.require("imagenet-onnx/mobilenet_v2.onnx")
    name = onnx_inputs(model)[0]
    save_rows(folder, {name: rows[chosen]}, {name: rows[~chosen]}, 20)
    np.save(folder / "labels.npy", np.array(labels, int)[~chosen])
    title = "MobileNetV2, 1,700 images of ImageNet"
    return Network("mobilenet-v2", title, str(model), "accuracy")


def minilm(data: Data, folder: pathlib.Path) -> Network:
    calibration, _ = data.pairs("train")
    evaluation, labels = data.pairs("dev")
    save_rows(folder, {k: v[:300] for k, v in calibration.items()}, evaluation, 8)
    np.save(folder / "labels.npy", labels)
    model = data.require("minilm-mrpc-onnx/minilm_mrpc.onnx")
    title = "MiniLM, MRPC, sequence 128"
    return Network(
        "minilm", title, str(model), "accuracy", transformer=True, module="minilm"
    )


def outliers(data: Data, folder: pathlib.Path) -> Network:
    network = minilm(data, folder)
    model = folder / "model.onnx"
    options = ["--layers", "1,3", "--scale", "100"]
    script = data.require("../tools/make_outlier_model.py")
    subprocess.run(
        [sys.executable, str(script), network.model, str(model), *options], check=True
    )
    title = "MiniLM with exact outlier channels (scale 100, layers 1 and 3), MRPC"
    return dataclasses.replace(network, name="outliers", title=title, model=str(model))


def blendcnn(data: Data, folder: pathlib.Path) -> Network:
    import modules
    import torch

    def bert_inputs(inputs: Batch) -> Batch:
        return {k: inputs[k] for k in ("input_ids", "token_type_ids")}

    training, targets = data.pairs("train")
    evaluation, labels = data.pairs("dev")
    training = bert_inputs(training)
    save_rows(
        folder, {k: v[:300] for k, v in training.items()}, bert_inputs(evaluation), 24
    )
    np.save(folder / "labels.npy", labels)
    torch.manual_seed(1)
    module = modules.BlendCnn(30522)
    modules.train(module, list(training.values()), targets)
    torch.save(module.state_dict(), folder / "module.pt")
    model = folder / "model.onnx"
    modules.export(module, {k: v[:2] for k, v in training.items()}, str(model))
    return Network(
        "blendcnn", "BlendCNN, MRPC", str(model), "accuracy", module="blendcnn"
    )


def use_lite(data: Data, folder: pathlib.Path) -> Network:
    """The inputs are a sparse matrix of tokens: their positions (sentence, position) and their values."""

    def read(part: str) -> tuple[list[list[int]], list[float]]:
        lines = (
            data.require(f"use-lite-frozen-pb/sts-b-{part}-tokens.tsv")
            .read_text()
            .splitlines()
        )
        rows = [line.split("\t") for line in lines[1:]]
        sentences = [
            [int(t) for t in text.split()] for row in rows for text in row[2:4]
        ]
        return sentences, [float(row[1]) for row in rows]

    def sparse(sentences: list[list[int]]) -> Batch:
        places = [
            (i, j) for i, sentence in enumerate(sentences) for j in range(len(sentence))
        ]
        return {"indices": np.array(places), "values": np.array(sum(sentences, []))}

    sentences, _ = read("train-500")
    stream = [(i, token) for i, sentence in enumerate(sentences) for token in sentence]
    samples = []
    for start in range(
        0, 300 * 30, 30
    ):  # every sample has 30 tokens, of some sentences
        groups = itertools.groupby(stream[start : start + 30], key=lambda item: item[0])
        samples.append(sparse([[token for _, token in group] for _, group in groups]))
    for name in ("indices", "values"):
        np.save(
            folder / f"calibration/{name}.npy", np.stack([s[name] for s in samples])
        )
    pairs, scores = read("dev")
    save_batches(
        folder / "evaluation.npz",
        [sparse(pairs[i : i + 50]) for i in range(0, len(pairs), 50)],
    )
    np.save(folder / "labels.npy", np.array(scores))
    fifteen = [s[:15] for s in pairs if len(s) >= 15]
    for batch in (1, 32):
        save_batches(folder / f"timing-{batch}.npz", [sparse(fifteen[:batch])])
    return Network(
        "use-lite",
        "Universal Sentence Encoder Lite, STS-B (timed on sentences of 15 tokens)",
        str(data.require("use-lite-frozen-pb/use_lite_frozen.pb")),
        "pearson",
        transformer=True,
        whole_samples=True,
    )


def ds_cnn(data: Data, folder: pathlib.Path) -> Network:
    random = np.random.default_rng(7)
    rows = random.normal(0, 5, (2300, 49, 10)).astype(np.float32)
    save_rows(folder, {"Mfcc": rows[:300]}, {"Mfcc": rows[300:]}, 100)
    title = "DS-CNN S behind Mfcc, random features"
    model = str(data.require("kws-frozen-pb/DS_CNN_S.pb"))
    return Network("ds-cnn", title, model, "agreement", cut={"Mfcc": [-1, 49, 10]})


def bert_large(_: Data, folder: pathlib.Path) -> Network:
    import modules

    random = np.random.default_rng(7)
    ids = random.integers(1000, 30000, (40, 384))
    lengths = random.integers(120, 385, (40, 1))
    places = np.arange(384)[None, :]
    rows = {
        "input_ids": np.where(places < lengths, ids, 0),
        "attention_mask": (places < lengths).astype(np.int64),
        "token_type_ids": ((places > 20) & (places < lengths)).astype(np.int64),
    }
    calibration = {k: v[:32] for k, v in rows.items()}
    save_rows(folder, calibration, {k: v[32:] for k, v in rows.items()}, 1)
    model = folder / "model.onnx"
    modules.export(
        modules.bert_large(), {k: v[:1] for k, v in rows.items()}, str(model)
    )
    return Network(
        "bert-large",
        "BERT-large, random weights, sequence 384",
        str(model),
        "agreement",
        transformer=True,
        batch_sizes=(1,),
        samples=32,
    )


def onnx_inputs(model: pathlib.Path) -> list[str]:
    import onnx

    return [i.name for i in onnx.load(model).graph.input]


NETWORKS: dict[str, Callable[[Data, pathlib.Path], Network]] = {
    "resnet20": resnet20,
    "quickstart": quickstart,
    "mobilenet-v2": mobilenet_v2,
    "minilm": minilm,
    "outliers": outliers,
    "blendcnn": blendcnn,
    "use-lite": use_lite,
    "ds-cnn": ds_cnn,
    "bert-large": bert_large,
}


def main() -> None:
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / sys.argv[1]
    (folder / "calibration").mkdir(parents=True, exist_ok=True)
    network = NETWORKS[name](Data(os.environ.get("LPOT_TEST_DATA")), folder)
    (folder / "network.json").write_text(json.dumps(dataclasses.asdict(network)))


if __name__ == "__main__":
    main()
