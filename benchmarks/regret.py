"""Compares the model that a strategy returns with the fastest one of a long search: `make bench-regret`.

Regret is the speed of the reference model, divided by the speed of the returned model. The reference ("oracle") is the
fastest model that meets the goal among at least 200 plans (oracle.cpp).

- Models are selected on one half of the evaluation data. The other half gives the change of the accuracy, with a 95%
  confidence interval of the difference, sample by sample.
- Both models run alternately in one process, in two processes. If the interval of the ratio contains 1, the regret is 1.
- Results are stored in BUILD/regret. A second run measures only what is missing. A result belongs to the program
  `lpot`, the model and the configuration; with another one, it is measured again.

    regret.py --networks mobilenet-v2,resnet20 --goals 0.001,0.01 --strategies auto    a part of the table
    regret.py --again auto            measures the cells of `auto` again
    regret.py --keep                  uses cells of other versions of lpot; with --again auto, only `auto` is new
    regret.py --keep-oracle           uses the reference models that another version of lpot found
    regret.py --peers                 also runs NNCF's accuracy control, 10 minutes per cell at most
    regret.py --table --write         only prints the table, and writes it to benchmarks/regret.md
"""

import argparse
import collections
import dataclasses
import gzip
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
GOALS = (0.001, 0.003, 0.005, 0.01, 0.02)  # relative; the same as in oracle.cpp
STRATEGIES = ("auto", "basic", "bayesian")
NNCF = "NNCF"
PEER_SECONDS = 600
CANDIDATES = 4  # of each goal, timed together to find the fastest
PROCESSES = 2  # that time a pair of models
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
        command = (
            f"{sys.executable} {script} VERB {folder}/HALF.tsv {{model}} {{precision}}"
        )
        commands = {half: command.replace("HALF", half) for half in HALVES}
        return Network(
            "sentence-encoder",
            "sentence encoder, STS-B",
            source / "use_lite_frozen.pb",
            f"{{batch_size: 1, dataset: {{npy: {{inputs: {files}}}}}}}",
            {
                half: f'command: "{command.replace("VERB", "pearson")}"'
                for half, command in commands.items()
            },
            ", framework: tensorflow",
            pairs_command={h: c.replace("VERB", "pairs") for h, c in commands.items()},
        )


NETWORKS = (
    "mobilenet-v2", "efficientnet-lite0", "resnet20", "minilm", "outliers", "quickstart", "squad", "sentence-encoder",
)  # fmt: skip


def digest(*parts: str | bytes | pathlib.Path) -> str:
    value = hashlib.sha256()
    for part in parts:
        content = part.read_bytes() if isinstance(part, pathlib.Path) else part
        value.update(content.encode() if isinstance(content, str) else content)
        value.update(b"\0")
    return value.hexdigest()[:16]


def hash_of_model(model: pathlib.Path) -> str:
    return digest(model, model.with_suffix(".bin"))


def read_json(path: pathlib.Path) -> dict | None:
    return json.loads(path.read_text()) if path.exists() else None


def write_json(path: pathlib.Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(json.dumps(value, indent=1) + "\n")
    temporary.rename(path)


def meets(goal: float, fp32: float, value: float) -> bool:
    return value >= fp32 - goal * abs(fp32) - 1e-12 * max(1.0, abs(fp32))


def log(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


class Failure(Exception):
    pass


class Benchmark:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.build = pathlib.Path(options.build).resolve()
        self.work = self.build / "regret"
        self.lpot = self.build / "bin/lpot"
        self.oracle_program = self.build / "bin/bench_oracle"
        self.program_key = digest(self.lpot)
        self.version = subprocess.run(
            [self.lpot, "--version"], capture_output=True, text=True, check=True
        ).stdout.strip()
        self.openvino = self.openvino_version()
        self.repeated: set[str] = set()  # cells that --again has measured

    def openvino_version(self) -> str:
        requirement = (ROOT / "scripts/requirements.txt").read_text()
        found = re.search(r"openvino==([0-9.]+)", requirement)
        return found.group(1) if found else ""

    def run(self, *command: object, seconds: float | None = None) -> str:
        # Every study measures its kernel variants itself.
        environment = {**os.environ, "LPOT_FORM_MEMORY": "off"}
        words = [str(word) for word in command]
        done = subprocess.run(
            words, capture_output=True, text=True, env=environment, check=False, timeout=seconds
        )  # fmt: skip
        if done.returncode not in (0, 3):
            raise Failure(f"{' '.join(words)}\n{done.stderr[-2000:]}")
        return done.stdout

    def config(self, network: Network, half: str) -> pathlib.Path:
        path = self.work / f"config/{network.name}-{half}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = CONFIG.format(
            name=network.name,
            model=network.model_keys,
            calibration=network.calibration,
            metric=network.evaluation[half],
        )
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return path

    # The reference

    def oracle(self, network: Network) -> dict:
        """The reference models: by goal, and fp32."""
        folder = self.work / f"oracle/{network.name}"
        config = self.config(network, "selection")
        study = digest(network.model, config, self.version, self.openvino)
        key = {"study": study, "program": digest(self.oracle_program)}
        known = read_json(folder / "oracle.json")
        if known and self.options.keep_oracle and known["key"]["study"] == study:
            key = known["key"]
        if known and known["key"] == key and known["tried"] >= self.options.plans:
            return known
        if known and known["key"] != key:
            shutil.rmtree(folder)
        key_file = folder / "key.json"
        if folder.exists() and read_json(key_file) not in (None, key):
            shutil.rmtree(folder)  # of an interrupted run of another version
        write_json(key_file, key)
        log(f"{network.name}: search for the reference, {self.options.plans} plans")
        start = time.monotonic()
        found = self.search(network, folder)
        log(
            f"{network.name}: {found['tried']} plans in {time.monotonic() - start:.0f} s"
        )
        result = {"key": key, **self.choose(network, folder, found)}
        write_json(folder / "oracle.json", result)
        return result

    def search(self, network: Network, folder: pathlib.Path) -> dict:
        out = self.run(
            self.oracle_program, "search", self.config(network, "selection"), network.model, folder / "workspace",
            self.options.plans,
        )  # fmt: skip
        return json.loads(out.splitlines()[-1])

    def choose(self, network: Network, folder: pathlib.Path, found: dict) -> dict:
        """Times the fastest plans of each goal together and chooses the fastest of each."""
        fp32, trials = found["fp32"], found["trials"]
        by_speed = sorted(trials, key=lambda t: -t["speedup"])
        passing = {
            goal: [t for t in by_speed if meets(goal, fp32, t["accuracy"])]
            for goal in GOALS
        }
        original = next(
            t for t in trials if not t["int8_ops"] and is_f32(t["plan"])
        )  # the first plan
        chosen = {original["number"]: original}
        for of_goal in passing.values():
            chosen.update({t["number"]: t for t in of_goal[:CANDIDATES]})
        for trial in chosen.values():
            trial["model"] = str(self.save(network, folder, trial))
        others = [t for t in chosen.values() if t is not original]
        timed = self.bench(network, [original, *others], found["cores"])
        for trial, ratio in zip(others, timed[1:], strict=True):
            trial["measured"] = ratio
        original["measured"] = {"ratio": 1, "low": 1, "high": 1}
        keys = ("number", "accuracy", "int8_ops", "ops", "model", "measured")

        def short(trial: dict) -> dict:
            return {
                **{k: trial[k] for k in keys},
                "precision": precision(trial["plan"]),
                "fallback": [
                    n for n, op in trial["plan"]["ops"].items() if not is_int8(op)
                ],
            }

        goals = {}
        for goal, of_goal in passing.items():
            candidates = [chosen[t["number"]] for t in of_goal if t["number"] in chosen]
            best = max(candidates, key=lambda t: t["measured"]["ratio"])
            goals[str(goal)] = {**short(best), "passing": len(of_goal)}
        return {
            "fp32": fp32,
            "tried": found["tried"],
            "cores": found["cores"],
            "original": short(original),
            "goals": goals,
        }

    def save(self, network: Network, folder: pathlib.Path, trial: dict) -> pathlib.Path:
        text = json.dumps(trial["plan"])
        output = folder / f"models/{digest(text)}"
        if not (output / "done").exists():
            output.mkdir(parents=True, exist_ok=True)
            (output / "plan.json").write_text(text)
            self.run(
                self.oracle_program, "save", self.config(network, "selection"), network.model, folder / "workspace",
                output, output / "plan.json",
            )  # fmt: skip
            (output / "done").touch()
        return output / "model.xml"

    # Timing

    def bench(self, network: Network, models: list[dict], cores: int) -> list[dict]:
        """The speed of each model against the first: the ratio and its interval, over all processes."""
        results: list[list[dict]] = []
        for i in range(PROCESSES):
            # The first model stays first; the order of the others changes.
            others = models[1:] if i % 2 == 0 else models[:0:-1]
            ordered = [models[0], *others]
            command = [self.lpot, "bench", *[m["model"] for m in ordered], "--json", "--quiet"]  # fmt: skip
            command += ["--seconds", network.seconds * len(models)]
            if cores:
                command += ["--threads", cores]
            if any("run_in" in m for m in models):
                precisions = [m.get("run_in") or m["precision"] for m in ordered]
                command += ["--precision", ",".join(precisions)]
            timed = json.loads(self.run(*command))["models"]
            results.append(timed if i % 2 == 0 else [timed[0], *timed[:0:-1]])
        merged = []
        for runs in zip(*results, strict=True):
            ratio = math.exp(statistics.fmean(math.log(r["speedup"]) for r in runs))
            merged.append(
                {
                    "ratio": ratio,
                    "low": min(r["speedup_low"] for r in runs),
                    "high": max(r["speedup_high"] for r in runs),
                    "ms": min(r["latency_ms"]["median"] for r in runs),
                }
            )
        return merged

    # Cells

    def cell(self, network: Network, goal: float, strategy: str) -> dict:
        path = self.work / f"cells/{network.name}/{strategy}-{goal}.json"
        key = digest(self.program_key, network.model, self.config(network, "selection"))
        known = read_json(path)
        is_again = strategy in self.options.again and str(path) not in self.repeated
        if known and not is_again and (known["key"] == key or self.options.keep):
            return known
        self.repeated.add(str(path))
        log(f"{network.name}, {100 * goal:g}%: {strategy}")
        folder = self.work / f"studies/{network.name}/{strategy}-{goal}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if strategy == NNCF:
            found = self.run_nncf(network, goal, folder)
        else:
            found = self.tune(network, goal, strategy, folder)
        result = {"key": key, "strategy": strategy, "goal": goal, **found}
        write_json(path, result)
        return result

    def tune(
        self, network: Network, goal: float, strategy: str, folder: pathlib.Path
    ) -> dict:
        start = time.monotonic()
        out = self.run(
            self.lpot, "tune", self.config(network, "selection"), "--model", network.model, "--json", "--quiet",
            "--set", f"tuning.strategy.name={strategy}",
            "--set", f"tuning.accuracy_criterion.relative={goal}",
            "--set", f"tuning.workspace.path={folder}/workspace",
        )  # fmt: skip
        seconds = time.monotonic() - start
        result = json.loads(out)
        study = json.loads(self.run(self.lpot, "show", folder / "workspace", "--json"))
        trial = study[-1]["trials"][result["best"]["trial"] - 1]
        ops = trial["plan"]["ops"]
        samples = result["time"]["evaluation_samples"]
        return {
            "model": result["model"],
            "goal_met": result["goal_met"],
            "accuracy": result["best"]["accuracy"],
            "precision": result["precision"],
            "int8_ops": sum(is_int8(op) for op in ops.values()),
            "ops": len(ops),
            "fallback": trial["fallback"],
            "recipes": trial["plan"].get("recipes", {}),
            # Programs do not report samples: every trial is one evaluation.
            "evaluations": result["evaluated_samples"] / samples
            if samples
            else 1 + result["trials"],
            "trials": result["trials"],
            "probes": result["probes"],
            "cores": result["best"]["cores"],
            "seconds": seconds,
        }

    def run_nncf(self, network: Network, goal: float, folder: pathlib.Path) -> dict:
        if not network.peer:
            return {
                "error": "accuracy_control.py does not evaluate this network's metric"
            }
        script = ROOT / "benchmarks/peers/accuracy_control.py"
        try:
            out = self.run(
                sys.executable, script, self.peer_folder(network), folder, goal, seconds=PEER_SECONDS
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"error": f"no result after {PEER_SECONDS // 60} minutes"}
        except Failure as failure:
            return {"error": str(failure).strip().splitlines()[-1][:200]}
        found = json.loads(re.findall(r"^\{.*\}$", out, re.MULTILINE)[-1])
        model = str(folder / "model.xml")
        # NNCF compiles its models with the runtime's default precision.
        values = self.values(network, "selection", model, "auto")
        fp32 = self.values(network, "selection", str(network.model), "f32")
        reached = statistics.fmean(values)
        return {
            "model": model,
            "goal_met": meets(goal, statistics.fmean(fp32), reached),
            "accuracy": reached,
            "precision": "auto",
            "run_in": "auto",
            "evaluations": found["evaluations"],
            "cores": 0,
            "seconds": found["seconds"],
        }

    def peer_folder(self, network: Network) -> pathlib.Path:
        """The folder of peers/networks.py with the selection half of its evaluation data."""
        import numpy as np

        sys.path.insert(0, str(ROOT / "benchmarks/peers"))
        import networks as peers

        whole = self.build / "peers" / network.peer
        if not (whole / "network.json").exists():
            script = ROOT / "benchmarks/peers/networks.py"
            self.run(sys.executable, script, network.peer, whole.parent)
        folder = self.work / f"peers/{network.name}"
        if (folder / "network.json").exists():
            return folder
        shutil.copytree(
            whole / "calibration", folder / "calibration", dirs_exist_ok=True
        )
        batches = peers.load_batches(whole / "evaluation.npz")
        size = len(next(iter(batches[0].values())))
        rows = {
            name: np.concatenate([b[name] for b in batches])[0::2]
            for name in batches[0]
        }
        peers.save_batches(folder / "evaluation.npz", peers.in_batches(rows, size))
        np.save(folder / "labels.npy", np.load(whole / "labels.npy")[0::2])
        described = read_json(whole / "network.json")
        described["model"] = str(network.model)
        write_json(folder / "network.json", described)
        return folder

    # Accuracy on the other half

    def values(
        self, network: Network, half: str, model: str, run_in: str = ""
    ) -> list[float]:
        """The value of each sample. Programs give pairs of numbers, whose correlation is the accuracy."""
        path = pathlib.Path(model)
        name = hash_of_model(path) if path.suffix == ".xml" else digest(path)
        config = self.config(network, half)
        key = digest(name, config, run_in)
        cache = self.work / f"values/{network.name}/{key}.json"
        if cache.exists():
            return json.loads(cache.read_text())
        if network.pairs_command:
            command = network.pairs_command[half]
            words = command.format(model=model, precision=run_in or "f32").split()
            values = json.loads(self.run(*words).splitlines()[-1])
        else:
            argument = f"{model}@{run_in}" if run_in else model
            out = self.run(self.oracle_program, "samples", config, argument)
            values = json.loads(out.splitlines()[-1])[0]["values"]
        write_json(cache, values)
        return values

    def change(self, network: Network, cell: dict) -> dict:
        """Accuracy of the returned model less that of fp32 on the report half, with a 95% interval."""
        run_in = cell.get("run_in", "")
        if network.pairs_command:
            run_in = cell["precision"]
        fp32 = self.values(
            network, "report", str(network.model), "f32" if network.pairs_command else ""
        )  # fmt: skip
        return paired_change(
            fp32, self.values(network, "report", cell["model"], run_in)
        )

    def regret(self, network: Network, cell: dict, oracle: dict) -> dict:
        """Speeds of fp32, the returned model and the reference, in one process."""
        best = oracle["goals"][str(cell["goal"])]
        models = [cell, oracle["original"], best]
        hashes = [hash_of_model(pathlib.Path(m["model"])) for m in models]
        path = (
            self.work / f"speeds/{network.name}/{digest(*hashes, str(PROCESSES))}.json"
        )
        known = read_json(path)
        if known:
            return known
        timed = self.bench(network, models, oracle["cores"])
        to_fp32, to_best = timed[1], timed[2]
        is_same = hashes[0] == hashes[2] or to_best["low"] <= 1 <= to_best["high"]
        result = {
            "speedup": 1 / to_fp32["ratio"],
            "regret": 1.0 if is_same else to_best["ratio"],
            "measured": to_best,
            "same_model": hashes[0] == hashes[2],
        }
        write_json(path, result)
        return result


def is_int8(op: dict) -> bool:
    return op.get("precision") == "int8"


def precision(plan: dict) -> str:
    return plan.get("inference_precision", "f32")


def is_f32(plan: dict) -> bool:
    return precision(plan) == "f32"


def paired_change(fp32: list, returned: list) -> dict:
    if isinstance(fp32[0], list):
        return correlation_change(fp32, returned)
    count = len(fp32)
    differences = [b - a for a, b in zip(fp32, returned, strict=True)]
    mean = statistics.fmean(differences)
    if set(fp32) | set(returned) <= {0.0, 1.0}:
        # Wald's interval with half a sample more in each cell of the 2 x 2 table (Agresti and Min, 2005): it does not
        # collapse if no sample changes.
        gains, losses = differences.count(1) + 0.5, differences.count(-1) + 0.5
        total = count + 2
        centre = (gains - losses) / total
        spread = (
            1.96
            * math.sqrt(gains + losses - (gains - losses) ** 2 / total)
            / total
        )  # fmt: skip
        return interval(fp32, mean, centre - spread, centre + spread)
    error = statistics.stdev(differences) / math.sqrt(count)
    return interval(fp32, mean, mean - 1.96 * error, mean + 1.96 * error)


def interval(fp32: list[float], mean: float, low: float, high: float) -> dict:
    return {"fp32": statistics.fmean(fp32), "mean": mean, "low": low, "high": high}


def correlation_change(fp32: list, returned: list) -> dict:
    """A correlation is not a mean over samples: the interval is a bootstrap over pairs of sentences."""

    def pearson(pairs: list) -> float:
        return statistics.correlation([p[0] for p in pairs], [p[1] for p in pairs])

    draws = random.Random(7)
    changes = []
    for _ in range(1000):
        chosen = draws.choices(range(len(fp32)), k=len(fp32))
        changes.append(
            pearson([returned[i] for i in chosen]) - pearson([fp32[i] for i in chosen])
        )
    changes.sort()
    before = pearson(fp32)
    return {
        "fp32": before,
        "mean": pearson(returned) - before,
        "low": changes[25],
        "high": changes[974],
    }


# The table


HEAD = (
    "network", "goal", "fp32", "needed", "strategy", "accuracy", "change on the other half", "int8 ops", "speed-up",
    "regret", "evaluations", "time",
)  # fmt: skip


def scale(network: Network) -> float:
    return 1 if network.name == "squad" else 100  # SquadF1 is a percentage already


def regret_text(speed: dict) -> str:
    measured = speed["measured"]
    if speed["same_model"]:
        return "1 (same model)"
    return f"{speed['regret']:.2f} ({measured['low']:.2f}-{measured['high']:.2f})"


class Table:
    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.rows: list[list[str]] = []
        self.cells: dict[str, list[dict]] = collections.defaultdict(list)
        self.plans: dict[str, int] = {}

    def add(
        self, network: Network, goal: float, oracle: dict, cells: list[dict]
    ) -> None:
        factor = scale(network)
        best = oracle["goals"][str(goal)]
        self.plans[network.title] = oracle["tried"]
        head = [
            network.title,
            f"{100 * goal:g}%",
            f"{factor * oracle['fp32']:.2f}",
            f"{factor * oracle['fp32'] * (1 - goal):.2f}",
        ]
        oracle_cell = {**best, "goal": goal}
        self.rows.append(
            [
                *head,
                "oracle",
                f"{factor * best['accuracy']:.2f}",
                self.change_text(network, oracle_cell),
                f"{best['int8_ops']}/{best['ops']}",
                f"{best['measured']['ratio']:.2f} x",
                "",
                f"{oracle['tried'] + 1}",
                "",
            ]
        )
        for cell in cells:
            self.rows.append(self.row(network, oracle, cell))

    def row(self, network: Network, oracle: dict, cell: dict) -> list[str]:
        strategy = cell["strategy"]
        if "error" in cell:
            self.cells[strategy].append({"error": cell["error"]})
            return ["", "", "", "", strategy, cell["error"], *[""] * 6]
        speed = self.benchmark.regret(network, cell, oracle)
        self.cells[strategy].append({**cell, **speed})
        met = cell["goal_met"]
        return [
            *[""] * 4,
            strategy,
            f"{scale(network) * cell['accuracy']:.2f}{'' if met else ' (missed)'}",
            self.change_text(network, cell),
            f"{cell['int8_ops']}/{cell['ops']}" if "int8_ops" in cell else "",
            f"{speed['speedup']:.2f} x",
            regret_text(speed) if met else "-",
            f"{cell['evaluations']:.1f}",
            f"{cell['seconds']:.0f} s",
        ]

    def change_text(self, network: Network, cell: dict) -> str:
        factor = scale(network)
        change = self.benchmark.change(network, cell)
        return f"{factor * change['mean']:+.2f} ({factor * change['low']:+.2f} to {factor * change['high']:+.2f})"

    def text(self) -> str:
        lines = [row_text(HEAD), "|" + "---|" * len(HEAD)]
        lines += [row_text(row) for row in self.rows]
        lines += ["", *self.summary()]
        return "\n".join(lines) + "\n"

    def summary(self) -> list[str]:
        head = (
            "strategy", "cells", "goal missed", "no result", "median regret", "worst regret",
            "median evaluations", "median time",
        )  # fmt: skip
        lines = [row_text(head), "|" + "---|" * len(head)]
        for strategy, cells in self.cells.items():
            done = [c for c in cells if "error" not in c]
            met = [c["regret"] for c in done if c["goal_met"]]
            lines.append(
                row_text(
                    [
                        strategy,
                        str(len(cells)),
                        str(len(done) - len(met)),
                        str(len(cells) - len(done)),
                        f"{statistics.median(met):.2f}" if met else "",
                        f"{max(met):.2f}" if met else "",
                        f"{statistics.median(c['evaluations'] for c in done):.1f}"
                        if done
                        else "",
                        f"{statistics.median(c['seconds'] for c in done):.0f} s"
                        if done
                        else "",
                    ]
                )
            )
        return lines


def row_text(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


INTRODUCTION = """# Regret

`make bench-regret` measured this table on {cpu}, with {version} and OpenVINO {openvino}.
[README.md](README.md#regret) explains the method and the columns. Accuracies are in percent. Plans of the reference
search: {plans}.

"""


def cpu_name() -> str:
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores of {found.group(1) if found else 'an unknown CPU'}"


def words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build")
    parser.add_argument("--networks", type=words, default=list(NETWORKS))
    parser.add_argument("--goals", type=words, default=[str(g) for g in GOALS])
    parser.add_argument("--strategies", type=words, default=list(STRATEGIES))
    parser.add_argument("--plans", type=int, default=240, help="of the reference")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--again", type=words, default=[], metavar="STRATEGIES")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--keep-oracle", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.networks) - set(NETWORKS):
        parser.error(f"unknown networks: {', '.join(sorted(unknown))}")
    if unknown := {float(g) for g in options.goals} - set(GOALS):
        parser.error(f"goals are {GOALS}, not {sorted(unknown)}")
    if options.plans < 200:
        parser.error("--plans: the reference needs at least 200 plans")
    if options.peers:
        options.strategies.append(NNCF)
    if "LPOT_TEST_DATA" not in os.environ:
        parser.error("set LPOT_TEST_DATA to the folder with the data sets")
    return options


def measure(benchmark: Benchmark, networks: Networks) -> Table:
    options = benchmark.options
    table = Table(benchmark)
    for name in options.networks:
        if options.table and not (benchmark.work / f"oracle/{name}/oracle.json").exists():  # fmt: skip
            continue
        network = networks.get(name)
        oracle = benchmark.oracle(network)
        for goal in map(float, options.goals):
            cells = []
            for strategy in options.strategies:
                path = benchmark.work / f"cells/{name}/{strategy}-{goal}.json"
                if options.table and not path.exists():
                    continue
                cells.append(benchmark.cell(network, goal, strategy))
            table.add(network, goal, oracle, cells)
            for row in table.rows[-1 - len(cells) :]:
                print(row_text(row), file=sys.stderr, flush=True)
    return table


def main() -> None:
    options = parse_options()
    if options.table:
        options.keep = options.keep_oracle = True
    benchmark = Benchmark(options)
    data = pathlib.Path(os.environ["LPOT_TEST_DATA"]).resolve()
    table = measure(benchmark, Networks(data, benchmark.work / "data"))
    print(table.text())
    if options.write:
        plans = ", ".join(f"{title} {count}" for title, count in table.plans.items())
        introduction = INTRODUCTION.format(
            cpu=cpu_name(), version=benchmark.version, openvino=benchmark.openvino, plans=plans
        )  # fmt: skip
        (ROOT / "benchmarks/regret.md").write_text(introduction + table.text())


if __name__ == "__main__":
    main()
