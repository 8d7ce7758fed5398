"""Measures tuning time and the number of evaluations: `make bench-tune`, with LPOT_TEST_DATA set.

- Cases in which the first int8 model meets the goal: total time compared with calibration plus two evaluations.
- Cases that need fallback: the `auto` strategy of lpot and the accuracy control of NNCF, with the same data and goal,
  one after the other. If NNCF has the recipe that the case disables in lpot, NNCF runs with and without it.
- AVX2 cases run on an emulated AVX2 CPU (as_avx2.py).
- Image cases also run LPOT 1.6 with its `basic` strategy, if setup.sh found Python 3.8.

Prints a table. `--no-peers` skips the other tools, `--cases a,b` runs only these cases.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import as_avx2

ROOT = pathlib.Path(__file__).resolve().parents[1]

IMAGES = """
model: {{name: {name}, framework: onnx}}
quantization:
  calibration:
    sampling_size: 300
    dataloader: {{batch_size: 10, dataset: {{CIFAR10: {{root: {data}/cifar10, train: true}}}}, transform: {transform}}}
evaluation:
  accuracy:
    metric: {{topk: 1}}
    dataloader: {{batch_size: 32, dataset: {{CIFAR10: {{root: {data}/cifar10}}}}, transform: {transform}}}
"""
CIFAR = "{ToTensor: {}, Normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}"

PAIRS = """
model: {{name: {name}, framework: onnx}}
quantization:
  calibration:
    sampling_size: 300
    dataloader: {{batch_size: 8, dataset: {{GLUE: {{{glue}, evaluate: false}}}}}}
evaluation:
  accuracy:
    metric: {{GLUE: {{task: mrpc, measure: acc}}}}
    dataloader: {{batch_size: 8, dataset: {{GLUE: {{{glue}}}}}}}
"""
GLUE = "data_dir: {data}/glue-mrpc, task: mrpc, model_name_or_path: {data}/bert-vocab/vocab.txt, dynamic_length: false"


@dataclasses.dataclass
class Case:
    name: str
    title: str
    network: str  # name in benchmarks/peers/networks.py
    relative: float
    config: str
    transform: str = ""
    settings: tuple[str, ...] = ()
    needs_fallback: bool = False
    avx2: bool = False  # emulate AVX2, whose int8 kernels accumulate in 16 bits
    # Additional NNCF runs with these settings, without the recipe that the case disables in lpot.
    nncf_also: tuple[tuple[str, ...], ...] = ()


CASES = [
    Case("resnet20", "ResNet-20, 0.2%", "resnet20", 0.002, IMAGES, CIFAR),
    Case("minilm", "MiniLM on MRPC, 1%", "minilm", 0.01, PAIRS),
    Case(
        "outliers",
        "MiniLM with outlier channels, 1%, all recipes",
        "outliers",
        0.01,
        PAIRS,
    ),
    Case(
        "outliers-fallback",
        "MiniLM with outlier channels, 1%, smooth_quant off",
        "outliers",
        0.01,
        PAIRS,
        settings=("quantization.recipes.smooth_quant=false",),
        needs_fallback=True,
    ),
    Case(
        "resnet20-fallback",
        "ResNet-20, 0.1%, half_range off, AVX2 kernels",
        "resnet20",
        0.001,
        IMAGES,
        CIFAR,
        settings=("quantization.recipes.half_range=false",),
        needs_fallback=True,
        avx2=True,
        nncf_also=(
            ("batch=1",),
            ("overflow_fix=disable",),
            ("overflow_fix=disable", "batch=1"),
        ),
    ),
]


def model_of(case: Case, work: pathlib.Path, data: pathlib.Path) -> pathlib.Path:
    if case.network == "resnet20":
        return data / "resnet-cifar10-onnx/resnet20-cifar10.onnx"
    if case.network == "minilm":
        return data / "minilm-mrpc-onnx/minilm_mrpc.onnx"
    return work / "outliers/model.onnx"


def environment(case: Case) -> dict[str, str]:
    emulation = as_avx2.environment() if case.avx2 else {}
    return {**os.environ, "LPOT_FORM_MEMORY": "off", **emulation}


def last_json(text: str) -> dict:
    return json.loads(text[text.rindex('\n{"') if '\n{"' in text else 0 :])


def run_lpot(lpot: str, case: Case, work: pathlib.Path, data: pathlib.Path) -> dict:
    folder = work / f"tune-{case.name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    glue = GLUE.format(data=data)
    text = case.config.format(
        name=case.name, data=data, transform=case.transform, glue=glue
    )
    (folder / "conf.yaml").write_text(text)
    settings = [
        "tuning.strategy.name=auto",
        f"tuning.accuracy_criterion.relative={case.relative}",
        f"tuning.workspace.path={folder / 'workspace'}",
        *case.settings,
    ]
    command = [
        lpot,
        "tune",
        str(folder / "conf.yaml"),
        "--model",
        str(model_of(case, work, data)),
        "--json",
        "--quiet",
    ]
    for setting in settings:
        command += ["--set", setting]
    start = time.monotonic()
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(case), check=False
    )
    seconds = time.monotonic() - start
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    result = json.loads(done.stdout)
    result["wall"] = seconds
    result["total_samples"] = result["time"]["evaluation_samples"]
    return result


def speed(lpot: str, case: Case, models: list[str]) -> list[float]:
    """Returns the median milliseconds of each model at batch 1, measured alternately in one process."""
    command = [lpot, "bench", *models, "--json", "--quiet"]
    if case.network != "resnet20":
        for name in ("input_ids", "attention_mask", "token_type_ids"):
            command += ["--shape", f"{name}=1,128"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(case), check=True
    )
    return [
        model["latency_ms"]["median"] for model in json.loads(done.stdout)["models"]
    ]


@dataclasses.dataclass
class Rival:
    title: str
    python: str
    script: str  # in benchmarks/peers
    model: str  # output file
    arguments: tuple[str, ...] = ()


NNCF = Rival(
    "NNCF accuracy control", sys.executable, "accuracy_control.py", "model.xml"
)
ORIGINAL = Rival(
    "lpot 1.6 basic, at most 30 trials",
    str(ROOT / ".venv-original/bin/python"),
    "original.py",
    "model.onnx",
    ("30",),
)


def rivals(case: Case) -> list[Rival]:
    found = [NNCF]
    for arguments in case.nncf_also:
        title = f"{NNCF.title}, {' '.join(arguments)}"
        found.append(dataclasses.replace(NNCF, title=title, arguments=arguments))
    if case.network == "resnet20" and os.path.exists(ORIGINAL.python):
        found.append(ORIGINAL)
    return found


def run_rival(rival: Rival, case: Case, work: pathlib.Path) -> dict:
    name = [pathlib.Path(rival.script).stem, case.name, *rival.arguments]
    output = work / "-".join(name)
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    command = [
        rival.python,
        str(ROOT / "benchmarks/peers" / rival.script),
        str(work / case.network),
        str(output),
        str(case.relative),
        *rival.arguments,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(case), check=False
    )
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1]}
    found = json.loads(re.findall(r"^\{.*\}$", done.stdout, re.MULTILINE)[-1])
    return {**found, "model": str(output / rival.model)}


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--cases", default="")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    data = pathlib.Path(os.environ["LPOT_TEST_DATA"]).resolve()
    lpot = str(pathlib.Path(options.build).resolve() / "bin/lpot")
    work = pathlib.Path(options.build).resolve() / "peers"
    chosen = [
        c for c in CASES if not options.cases or c.name in options.cases.split(",")
    ]
    for network in sorted({c.network for c in chosen}):
        if not (work / network / "network.json").exists():
            script = ROOT / "benchmarks/peers/networks.py"
            subprocess.run(
                [sys.executable, str(script), network, str(work)], check=True
            )

    if any(case.avx2 for case in chosen):
        as_avx2.environment()  # takes minutes the first time

    row(
        "case",
        "tool",
        "time",
        "evaluations",
        "trials",
        "fp32 ops",
        "accuracy",
        "time / (calibration + 2 evaluations)",
        "time outside the runtime",
    )
    row(*["---"] * 9)
    for case in chosen:
        result = run_lpot(lpot, case, work, data)
        times = result["time"]
        evaluations = result["evaluated_samples"] / result["total_samples"]
        needed = times["calibration"] + times["baseline"] + times["first_evaluation"]
        other = 1 - (times["compiling"] + times["inferring"]) / result["seconds"]
        row(
            case.title,
            "lpot auto",
            f"{result['seconds']:.1f} s",
            f"{evaluations:.2f}",
            result["trials"],
            len(result["best"]["fallback"]),
            f"{100 * result['best']['accuracy']:.2f}{'' if result['goal_met'] else ' (goal missed)'}",
            "-" if case.needs_fallback else f"{result['seconds'] / needed:.2f}",
            f"{100 * other:.1f}%",
        )
        if options.no_peers or not case.needs_fallback:
            continue
        reached = []
        for rival in rivals(case):
            found = run_rival(rival, case, work)
            if "error" in found:
                row("", rival.title, found["error"], *[""] * 6)
                continue
            missed = found["accuracy"] is None
            row(
                "",
                rival.title,
                f"{found['seconds']:.1f} s ({found['seconds'] / result['seconds']:.1f} x lpot)",
                f"{found['evaluations']:.2f}",
                "",
                "",
                "no model" if missed else f"{100 * found['accuracy']:.2f}",
                "",
                "",
            )
            # OpenVINO cannot read all models that LPOT 1.6 writes.
            if not missed and found["model"].endswith(".xml"):
                reached.append((rival.title, found["model"]))
        times_ms = speed(lpot, case, [result["model"], *[path for _, path in reached]])
        for (title, _), theirs in zip(reached, times_ms[1:]):
            print(
                f"\n{case.title}: batch 1 takes {times_ms[0]:.2f} ms with lpot, {theirs:.2f} ms with {title}\n",
                flush=True,
            )


if __name__ == "__main__":
    main()
