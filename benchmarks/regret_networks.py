"""The networks of regret.py: models, calibration data, and evaluation data in two halves.

network = Networks(data, work).get("resnet20")
write_config(network, "selection", path)
"""

import dataclasses
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
HALVES = ("selection", "report")
CONFIG = """model: {{name: {name}{model}}}
quantization:
  calibration:
    sampling_size: 300
    dataloader: {calibration}
evaluation:
  accuracy:
    {metric}
"""


@dataclasses.dataclass
class Network:
    name: str
    title: str
    model: pathlib.Path
    calibration: str  # YAML of a dataloader
    evaluation: dict[str, str]  # by half: YAML of the rest of evaluation.accuracy
    model_keys: str = ""  # more keys of `model`
    peer: str = (
        ""  # folder of benchmarks/peers/networks.py with the same data; "": none
    )
    seconds: float = 3  # of timing, per model
    timing: str = ""  # YAML of a dataloader for timing; "": generated inputs
    # Prints the value of each sample, for programs that evaluate; {model} and {precision} are replaced.
    pairs_command: dict[str, str] = dataclasses.field(default_factory=dict)


def loader(batch: int, dataset: str, transform: str = "") -> str:
    more = f", transform: {transform}" if transform else ""
    return f"{{batch_size: {batch}, dataset: {dataset}{more}}}"


def accuracy(metric: str, data: str) -> str:
    return f"metric: {metric}\n    dataloader: {data}"


def write_once(path: pathlib.Path, content: Callable[[], bytes]) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(content())
    temporary.rename(path)


class Networks:
    """The networks with their data in halves, below `work`."""

    IMAGE = "{ToTensor: {}, Normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}"
    GREY = "{ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}"
    # SQuAD articles that the network was not trained on, in halves with about as many questions.
    ARTICLES = {
        "selection": ["Normans", "Teacher", "Victoria_(Australia)", "European_Union_law", "Packet_switching"],
        "report": ["Apollo_program", "University_of_Chicago", "Imperialism", "United_Methodist_Church"],
    }  # fmt: skip

    def __init__(self, data: pathlib.Path, work: pathlib.Path) -> None:
        self.data, self.work = data, work

    def get(self, name: str) -> Network:
        return getattr(self, name.replace("-", "_"))()

    def imagenet(self, name: str, title: str, model: str) -> Network:
        if not (self.work / "imagenet/images").exists():
            with tarfile.open(self.data / "imagenet-2000/images-256.tar") as archive:
                archive.extractall(self.work / "imagenet", filter="data")
        lines = (self.data / "imagenet-2000/val.txt").read_text().splitlines()
        chosen = {int(i * len(lines) / 300) for i in range(300)}
        rest = [line for i, line in enumerate(lines) if i not in chosen]
        lists = {
            "calibration": [lines[i] for i in sorted(chosen)],
            "selection": rest[0::2],
            "report": rest[1::2],
        }
        loaders = {}
        crop = self.IMAGE.replace("{ToTensor", "{CenterCrop: {size: 224}, ToTensor", 1)
        for part, images in lists.items():
            path = self.work / f"imagenet/{part}.txt"
            write_once(path, "".join(line + "\n" for line in images).encode)
            dataset = f"{{ImagenetRaw: {{data_path: {self.work}/imagenet/images, image_list: {path}}}}}"
            loaders[part] = loader(20, dataset, crop)
        return Network(
            name,
            title,
            self.data / f"imagenet-onnx/{model}.onnx",
            loaders["calibration"],
            {half: accuracy("{topk: 1}", loaders[half]) for half in HALVES},
            ", framework: onnx",
            peer="mobilenet-v2",
        )

    def mobilenet_v2(self) -> Network:
        return self.imagenet("mobilenet-v2", "MobileNetV2, ImageNet", "mobilenet_v2")

    def efficientnet_lite0(self) -> Network:
        return self.imagenet(
            "efficientnet-lite0", "EfficientNet-Lite0, ImageNet", "efficientnet_lite0"
        )

    def resnet20(self) -> Network:
        size = 3073
        for i, half in enumerate(HALVES):

            def records(i: int = i) -> bytes:
                path = self.data / "cifar10/test_batch.bin.gz"
                content = gzip.decompress(path.read_bytes())
                starts = range(i * size, len(content), 2 * size)
                return b"".join(content[start : start + size] for start in starts)

            write_once(self.work / f"cifar10/{half}/test_batch.bin", records)
        calibration = f"{{CIFAR10: {{root: {self.data}/cifar10, train: true}}}}"
        return Network(
            "resnet20",
            "ResNet-20, CIFAR-10",
            self.data / "resnet-cifar10-onnx/resnet20-cifar10.onnx",
            loader(10, calibration, self.IMAGE),
            {
                half: accuracy(
                    "{topk: 1}",
                    loader(32, f"{{CIFAR10: {{root: {self.work}/cifar10/{half}}}}}", self.IMAGE),
                )
                for half in HALVES
            },
            ", framework: onnx",
            peer="resnet20",
        )  # fmt: skip

    def quickstart(self) -> Network:
        for name, header, size in (
            ("t10k-images-idx3-ubyte", 16, 784),
            ("t10k-labels-idx1-ubyte", 8, 1),
        ):
            for i, half in enumerate(HALVES):

                def rows(
                    i: int = i, name: str = name, header: int = header, size: int = size
                ) -> bytes:
                    content = gzip.decompress((FASHION / f"{name}.gz").read_bytes())
                    starts = range(header + i * size, len(content), 2 * size)
                    kept = [content[start : start + size] for start in starts]
                    count = len(kept).to_bytes(4, "big")
                    return content[:4] + count + content[8:header] + b"".join(kept)

                write_once(self.work / f"fashion/{half}/{name}", rows)
        return Network(
            "quickstart",
            "quick start, Fashion-MNIST",
            ROOT / "examples/quickstart/fashion_cnn.onnx",
            loader(10, f"{{FashionMNIST: {{root: {FASHION}, train: true}}}}", self.GREY),
            {
                half: accuracy(
                    "{topk: 1}",
                    loader(32, f"{{FashionMNIST: {{root: {self.work}/fashion/{half}}}}}", self.GREY),
                )
                for half in HALVES
            },
            ", framework: onnx",
            peer="quickstart",
        )  # fmt: skip

    def minilm(self) -> Network:
        path = self.data / "glue-mrpc/dev.tsv"
        for i, half in enumerate(HALVES):

            def rows(i: int = i) -> bytes:
                head, *lines = path.read_bytes().splitlines(keepends=True)
                return head + b"".join(lines[i::2])

            write_once(self.work / f"mrpc/{half}/dev.tsv", rows)

        def pairs(folder: pathlib.Path, evaluate: str) -> str:
            return loader(
                8,
                f"{{GLUE: {{data_dir: {folder}, task: mrpc, evaluate: {evaluate}, "
                f"model_name_or_path: {self.data}/bert-vocab/vocab.txt, dynamic_length: false}}}}",
            )

        return Network(
            "minilm",
            "MiniLM, MRPC",
            self.data / "minilm-mrpc-onnx/minilm_mrpc.onnx",
            pairs(self.data / "glue-mrpc", "false"),
            {
                half: accuracy(
                    "{GLUE: {task: mrpc, measure: acc}}", pairs(self.work / f"mrpc/{half}", "true")
                )
                for half in HALVES
            },
            ", framework: onnx",
            peer="minilm",
        )  # fmt: skip

    def outliers(self) -> Network:
        plain = self.minilm()
        model = self.work / "outliers/model.onnx"
        if not model.exists():
            model.parent.mkdir(parents=True, exist_ok=True)
            script = self.data.parent / "tools/make_outlier_model.py"
            options = ["--layers", "1,3", "--scale", "100"]
            command = [sys.executable, str(script), str(plain.model), str(model)]
            subprocess.run([*command, *options], check=True)
        return dataclasses.replace(
            plain, name="outliers", title="MiniLM with outliers, MRPC", model=model, peer="outliers"
        )  # fmt: skip

    def squad(self) -> Network:
        questions = self.data / "squad-v1.1/dev-v1.1.json.gz"
        content = json.loads(gzip.decompress(questions.read_bytes()))
        kept = sum(self.ARTICLES.values(), [])
        others = [a["title"] for a in content["data"] if a["title"] not in kept]
        common = f"label_file: {questions}, max_seq_length: 256"

        def windows(articles: list[str]) -> str:
            names = ", ".join(json.dumps(title) for title in articles)
            return f"{{bert: {{root: {self.data}/bert-vocab, {common}, articles: [{names}]}}}}"

        transform = f"postprocess: {{transform: {{SquadV1: {{vocab_file: {self.data}/bert-vocab, {common}}}}}}}\n    "
        return Network(
            "squad",
            "MiniLM, SQuAD",
            self.data / "minilm-squad-pb/minilm_squad_frozen.pb",
            f"{{batch_size: 4, shuffle: true, dataset: {windows(others)}}}",
            {
                half: transform
                + accuracy("{SquadF1: {}}", loader(8, windows(self.ARTICLES[half])))
                for half in HALVES
            },
            ", framework: tensorflow, inputs: 'input_file, batch_size', "
            "outputs: 'IteratorGetNext:3, unstack:0, unstack:1'",
        )

    def sentence_encoder(self) -> Network:
        """Sentences are sparse matrices of tokens, so a program computes the correlation (peers/similarity.py)."""
        folder = self.work / "sentences"
        source = self.data / "use-lite-frozen-pb"
        script = ROOT / "benchmarks/peers/similarity.py"
        if not (folder / "values.npy").exists():
            folder.mkdir(parents=True, exist_ok=True)
            tokens = source / "sts-b-train-500-tokens.tsv"
            subprocess.run(
                [sys.executable, str(script), "calibration", str(tokens), str(folder)],
                check=True,
            )
        for i, half in enumerate(HALVES):

            def rows(i: int = i) -> bytes:
                path = source / "sts-b-dev-tokens.tsv"
                head, *lines = path.read_bytes().splitlines(keepends=True)
                return head + b"".join(lines[i::2])

            write_once(folder / f"{half}.tsv", rows)
        files = f"{{indices: {folder}/indices.npy, values: {folder}/values.npy}}"
        calibration = f"{{batch_size: 1, dataset: {{npy: {{inputs: {files}}}}}}}"
        command = (
            f"{sys.executable} {script} VERB {folder}/HALF.tsv {{model}} {{precision}}"
        )
        commands = {half: command.replace("HALF", half) for half in HALVES}
        return Network(
            "sentence-encoder",
            "sentence encoder, STS-B",
            source / "use_lite_frozen.pb",
            calibration,
            {
                half: f'command: "{command.replace("VERB", "pearson")}"'
                for half, command in commands.items()
            },
            ", framework: tensorflow",
            timing=calibration,
            pairs_command={h: c.replace("VERB", "pairs") for h, c in commands.items()},
        )


NETWORKS = (
    "mobilenet-v2", "efficientnet-lite0", "resnet20", "minilm", "outliers", "quickstart", "squad", "sentence-encoder",
)  # fmt: skip
