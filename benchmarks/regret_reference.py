"""The reference models of regret.py: the fastest models of a long search (oracle.cpp), by goal.

    reference = References(benchmark).get(network)
    reference["goals"]["0.01"]["model"]   # the fastest model that meets the goal of 1%

A search takes up to an hour, so its fastest plans are part of the project (regret_references/). Another machine of the
same class builds and times them again.
"""

import json
import pathlib
import shutil
import time
import typing

from regret_networks import ROOT, Network
from stored_results import digest, log, read_json, write_json

if typing.TYPE_CHECKING:
    from regret_measure import Benchmark

GOALS = (0.001, 0.003, 0.005, 0.01, 0.02)  # relative; the same as in oracle.cpp
CANDIDATES = 4  # of each goal, timed together to find the fastest
SHARED = ROOT / "benchmarks/regret_references"


def meets(goal: float, fp32: float, value: float) -> bool:
    return value >= fp32 - goal * abs(fp32) - 1e-12 * max(1.0, abs(fp32))


def is_int8(op: dict) -> bool:
    return op.get("precision") == "int8"


def precision(plan: dict) -> str:
    return plan.get("inference_precision", "f32")


def is_f32(plan: dict) -> bool:
    return precision(plan) == "f32"


def original_of(trials: list[dict]) -> dict:
    """The trial of the fp32 model: the first plan of a search."""
    return next(t for t in trials if not t["int8_ops"] and is_f32(t["plan"]))


def passing_trials(found: dict) -> dict[float, list[dict]]:
    """The trials that meet each goal, the fastest first."""
    by_speed = sorted(found["trials"], key=lambda t: -t["speedup"])
    return {
        goal: [t for t in by_speed if meets(goal, found["fp32"], t["accuracy"])]
        for goal in GOALS
    }


class References:
    def __init__(self, benchmark: "Benchmark") -> None:
        self.benchmark = benchmark

    def get(self, network: Network) -> dict:
        """The reference models: by goal, and fp32."""
        folder = self.benchmark.work / f"oracle/{network.name}"
        config = self.benchmark.config(network, "selection")
        data = digest(network.model, config)
        study = digest(data, self.benchmark.version, self.benchmark.openvino)
        key = {
            "data": data,
            "study": study,
            "program": digest(self.benchmark.oracle_program),
        }
        before = read_json(folder / "key.json")
        if before and self.benchmark.options.keep_oracle and before["data"] == data:
            key = before
        if before and before != key:
            older = folder.with_name(f"{network.name}-{before['program']}")
            shutil.rmtree(older, ignore_errors=True)
            folder.rename(older)
        known = read_json(folder / "oracle.json")
        is_enough = known and known["tried"] >= self.benchmark.options.plans
        if known and (is_enough or not self.benchmark.measures):
            return known
        write_json(folder / "key.json", key)
        found = self.shared_candidates(network) or self.searched(network, folder)
        result = self.choose(network, folder, found)
        write_json(folder / "oracle.json", result)
        return result

    def searched(self, network: Network, folder: pathlib.Path) -> dict:
        log(
            f"{network.name}: search for the reference, {self.benchmark.options.plans} plans"
        )
        start = time.monotonic()
        found = self.search(network, folder)
        log(
            f"{network.name}: {found['tried']} plans in {time.monotonic() - start:.0f} s"
        )
        self.share_candidates(network, found)
        return found

    def shared_path(self, network: Network) -> pathlib.Path:
        return SHARED / f"{self.benchmark.of_class.lower()}-{network.name}.json"

    def portable_key(self, network: Network) -> str:
        """Of the model and the configuration, without the folders of this machine."""
        text = self.benchmark.config(network, "selection").read_text()
        for folder in (self.benchmark.build, self.benchmark.data, ROOT):
            text = text.replace(str(folder), "")
        return digest(network.model, text)

    def shared_candidates(self, network: Network) -> dict | None:
        known = read_json(self.shared_path(network))
        if not known or self.benchmark.options.search_again:
            return None
        is_same = known["data"] == self.portable_key(network)
        if not is_same or known["tried"] < self.benchmark.options.plans:
            return None
        log(f"{network.name}: builds the plans of {self.shared_path(network).name}")
        return known

    def share_candidates(self, network: Network, found: dict) -> None:
        numbers = {original_of(found["trials"])["number"]}
        for of_goal in passing_trials(found).values():
            numbers |= {trial["number"] for trial in of_goal[:CANDIDATES]}
        trials = [t for t in found["trials"] if t["number"] in numbers]
        key = {"data": self.portable_key(network), "version": self.benchmark.version}
        SHARED.mkdir(exist_ok=True)
        text = json.dumps({**key, **found, "trials": trials})
        # One trial per line.
        text = text.replace('{"number"', '\n{"number"') + "\n"
        self.shared_path(network).write_text(text)

    def search(self, network: Network, folder: pathlib.Path) -> dict:
        out = self.benchmark.run(
            self.benchmark.oracle_program, "search", self.benchmark.config(network, "selection"), network.model, folder / "workspace",
            self.benchmark.options.plans,
        )  # fmt: skip
        return json.loads(out.splitlines()[-1])

    def choose(self, network: Network, folder: pathlib.Path, found: dict) -> dict:
        """Times the fastest plans of each goal together and chooses the fastest of each."""
        fp32 = found["fp32"]
        passing = passing_trials(found)
        original = original_of(found["trials"])
        chosen = {original["number"]: original}
        for of_goal in passing.values():
            chosen.update({t["number"]: t for t in of_goal[:CANDIDATES]})
        for trial in chosen.values():
            trial["model"] = str(self.save(network, folder, trial))
        others = [t for t in chosen.values() if t is not original]
        timed = self.benchmark.bench(network, [original, *others], found["cores"])
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
            self.benchmark.run(
                self.benchmark.oracle_program, "save", self.benchmark.config(network, "selection"), network.model, folder / "workspace",
                output, output / "plan.json",
            )  # fmt: skip
            (output / "done").touch()
        return output / "model.xml"
