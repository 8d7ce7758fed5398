"""The measurements of regret.py: reference models, cells (a strategy on a network with a goal), speeds, sample values.

Every result is stored as JSON below BUILD/regret, with a key of everything that it depends on: programs, model,
configuration.
"""

import argparse
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time

import as_avx2
import regret_peers
from regret_changes import paired_change
from regret_networks import CONFIG, ROOT, Network
from regret_peers import NNCF
from regret_reference import GOALS, is_int8, meets
from stored_results import digest, log, read_json, write_json

# CPU classes and the folders of their results below BUILD.
FOLDERS = {"own": "regret", "AVX2": "regret-avx2"}
PROCESSES = 2  # that time a pair of models


def hash_of_model(model: pathlib.Path) -> str:
    return digest(model, model.with_suffix(".bin"))


class Failure(Exception):
    pass


class NotMeasured(Exception):
    """A file is missing that a table of stored results needs."""


def cpu_class() -> str:
    return "AVX2" if as_avx2.is_emulated() else "own"


class Benchmark:
    def __init__(
        self, options: argparse.Namespace, of_class: str, data: pathlib.Path
    ) -> None:
        self.options = options
        self.of_class = of_class
        self.data = data
        self.build = pathlib.Path(options.build).resolve()
        self.work = self.build / FOLDERS[of_class]
        # Results of another class are only read.
        self.measures = of_class == cpu_class() and not options.table
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
        if network.timing:
            text += f"  performance: {{dataloader: {network.timing}}}\n"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return path

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
            if network.timing:
                command += ["--config", self.config(network, "selection")]
            if cores:
                command += ["--threads", cores]
            if any("run_in" in m for m in models):
                precisions = [m.get("run_in") or m["precision"] for m in ordered]
                command += ["--precision", ",".join(precisions)]
            result = json.loads(self.run(*command))
            timed = [{**m, "contention": result["contention"]} for m in result["models"]]  # fmt: skip
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
                    "contention": max(r["contention"] for r in runs),
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
        found = self.passed_at_once(network, goal, strategy, key)
        found = found or self.timed_out(network, goal, strategy, key)
        if not found:
            log(f"{network.name}, {100 * goal:g}%: {strategy}")
            folder = self.work / f"studies/{network.name}/{strategy}-{goal}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if strategy == NNCF:
                found = self.run_nncf(network, goal, folder)
            else:
                found = self.tune(network, goal, strategy, folder)
        result = {**found, "key": key, "strategy": strategy, "goal": goal}
        write_json(path, result)
        return result

    def passed_at_once(
        self, network: Network, goal: float, strategy: str, key: str
    ) -> dict | None:
        """The cell of a tighter goal whose first int8 model met that goal. The first model does not depend on the
        goal, so the search for this goal ends with the same model after the same evaluations."""
        for tighter in (g for g in GOALS if g < goal):
            path = self.work / f"cells/{network.name}/{strategy}-{tighter}.json"
            known = read_json(path)
            if known and known["key"] == key and known.get("passed_at_once"):
                return known
        return None

    def timed_out(
        self, network: Network, goal: float, strategy: str, key: str
    ) -> dict | None:
        """The cell of a looser goal that reached the time limit. A search for a tighter goal takes longer."""
        for looser in (g for g in GOALS if g > goal):
            path = self.work / f"cells/{network.name}/{strategy}-{looser}.json"
            known = read_json(path)
            if known and known["key"] == key and known.get("timed_out"):
                return known
        return None

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
            "passed_at_once": result["goal_met"] and result["trials"] == 1,
            "probes": result["probes"],
            "cores": result["best"]["cores"],
            "seconds": seconds,
        }

    def run_nncf(self, network: Network, goal: float, folder: pathlib.Path) -> dict:
        if not network.peer:
            return {
                "error": "accuracy_control.py does not evaluate this network's metric"
            }
        try:
            data = regret_peers.data_folder(network, self.build, self.work)
            found = regret_peers.control_accuracy(data, folder, goal)
        except regret_peers.NoResult as reason:
            is_timeout = isinstance(reason, regret_peers.TimedOut)
            return {"error": str(reason), "timed_out": is_timeout}
        model = str(folder / "model.xml")
        # NNCF compiles its models with the runtime's default precision.
        values = self.values(network, "selection", model, "auto")
        fp32 = self.values(network, "selection", str(network.model), "f32")
        reached = statistics.fmean(values)
        is_met = meets(goal, statistics.fmean(fp32), reached)
        return {
            "model": model,
            "goal_met": is_met,
            "accuracy": reached,
            "precision": "auto",
            "run_in": "auto",
            "evaluations": found["evaluations"],
            # The evaluations are those of fp32 and of the first int8 model.
            "passed_at_once": is_met and found["evaluations"] < 2.5,
            "cores": 0,
            "seconds": found["seconds"],
        }

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
        if not self.measures:
            raise NotMeasured(cache)
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
        if not self.measures:
            raise NotMeasured(path)
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
