#!/usr/bin/env python3
"""Injects faults into `lpot tune` at random points. Checks the files on disk, and that --resume completes the study.

    make faults RUNS=500 SEED=1
    tests/faults/faults.py build/bin/lpot build/tests/libfaults.so --runs 500 --seed 1 [--only 17] [--kind "cut store"]

Each run tunes the study of subject.py with one or two faults, and then to its end without a fault. It passes if

- a model file is never half-written: it is byte for byte one of the models that the undisturbed study saves;
- a tuning that a fault ended printed one error message, unless it was killed or a library ran out of memory: OpenVINO
  ends the process, or waits forever, if it cannot start a thread (waiting processes are killed);
- the resumed study has the same trials (plans and scores) as the undisturbed one, and the same best model byte for
  byte; or, if the store was truncated, --resume reported the damage and what to do, and this gave the same result;
- no temporary file remains.

The same seed gives the same faults. Faults that depend on time (kill later, memory) may occur at different points.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter

import subject
from plans import KINDS, Plan, Reference

DAMAGED = ("damaged", "move it away")
STUCK = -1000


def environment(extra: dict) -> dict:
    return {**os.environ, "LPOT_FORM_MEMORY": "off", **extra}


def address_space_kb(process: int) -> int:
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmSize:"):
            return int(line.split()[1])
    return 0


class Harness:
    def __init__(self, lpot: str, library: str):
        self.lpot, self.library = lpot, library
        self.reference = self.undisturbed()

    def start(
        self, folder: pathlib.Path, plan: Plan, trials: int = subject.TRIALS
    ) -> tuple[int, str]:
        """Exit code (negative: the signal) and what was said."""
        resume = (folder / subject.WORKSPACE / "lpot.db").exists()
        words = subject.tune_words(self.lpot, resume, trials)
        preload = {
            "LD_PRELOAD": self.library,
            "FAULT_FOLDER": str(folder / "lpot_workspace"),
        }

        def limit_memory() -> None:
            bytes_allowed = plan.limit_kb * 1024
            resource.setrlimit(resource.RLIMIT_AS, (bytes_allowed, bytes_allowed))

        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment(
                {**preload, **plan.environment} if plan.environment else {}
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            preexec_fn=limit_memory if plan.limit_kb else None,
        )
        try:
            wait = plan.kill_after or plan.squeeze_after
            if wait:
                try:
                    _, said = process.communicate(timeout=wait)
                    return process.returncode, said
                except subprocess.TimeoutExpired:
                    self.strike(process, plan)
            while True:
                try:
                    _, said = process.communicate(timeout=10)
                    return process.returncode, said
                except subprocess.TimeoutExpired:
                    if self.is_stuck(process.pid):
                        process.kill()
                        process.communicate()
                        return STUCK, ""
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    @staticmethod
    def is_stuck(process: int) -> bool:
        """Whether all its threads sleep, use no processor, and go on doing so; one that waits for a disk does not sleep."""

        def now() -> list:
            try:
                tasks = sorted(pathlib.Path(f"/proc/{process}/task").iterdir())
                fields = [
                    (task / "stat").read_text().rsplit(")", 1)[1].split()
                    for task in tasks
                ]
                return [(field[0], *field[11:13]) for field in fields]
            except OSError:
                return []

        before = now()
        for _ in range(30):
            if not before or any(state != "S" for state, *_ in before):
                return False
            time.sleep(1)
            if now() != before:
                return False
        return True

    @staticmethod
    def strike(process: subprocess.Popen, plan: Plan) -> None:
        if plan.kill_after:
            process.kill()
            return
        try:
            limit = address_space_kb(process.pid) * 1024
            resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, limit))
        except (OSError, ProcessLookupError):
            pass  # it ended meanwhile

    def undisturbed(self) -> Reference:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subject.prepare(folder)
            pairs, onnx = set(), set()
            for trials in range(1, subject.TRIALS + 1):
                shutil.rmtree(folder / "lpot_workspace", ignore_errors=True)
                counts = folder / "counts"
                begin = time.monotonic()
                code, said = self.start(
                    folder, Plan({"FAULT_COUNT": str(counts)}), trials
                )
                seconds = time.monotonic() - begin
                assert code == 3, f"the undisturbed study ends with {code}: {said}"
                best = subject.best_model(folder)
                pairs.add(best[0])
                onnx.add(best[1])
            found = {
                line.split()[0]: int(line.split()[1])
                for line in counts.read_text().splitlines()
            }
            return Reference(
                subject.trials(self.lpot, folder),
                pairs,
                onnx,
                best,
                found,
                seconds,
                *self.memory(folder),
            )

    def memory(self, folder: pathlib.Path) -> tuple[int, int]:
        """The most address space that the study takes, and what it has right after its start."""
        shutil.rmtree(folder / subject.WORKSPACE)
        process = subprocess.Popen(
            subject.tune_words(self.lpot, False),
            cwd=folder,
            env=environment({}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        sizes = []
        while process.poll() is None:
            sizes.append(address_space_kb(process.pid))
            time.sleep(0.002)
        seen = [size for size in sizes if size > 20000]  # before, it is not loaded yet
        return max(seen), seen[0]

    def half_written(self, folder: pathlib.Path) -> str:
        best = folder / subject.WORKSPACE / "best"
        pair, onnx = subject.best_model(folder)
        if (best / "model.xml").exists() and pair not in self.reference.pairs:
            return "model.xml and model.bin are no pair that the study saves"
        if (best / "model.onnx").exists() and onnx not in self.reference.onnx:
            return "model.onnx is none that the study saves"
        deploy = best / "deploy.yaml"
        if deploy.exists() and "\nplan:\n" not in deploy.read_text():
            return "deploy.yaml is not whole"
        return ""

    def cut(self, folder: pathlib.Path, plan: Plan) -> None:
        path = folder / subject.WORKSPACE / plan.cut
        if path.exists():
            os.truncate(path, int(path.stat().st_size * plan.cut_at))

    def run(self, number: int, seed: int, kind: str) -> tuple[str, str, str]:
        """What the fault came to, what the resumed study came to, and what is wrong."""
        draw = random.Random(f"{seed} {number} {kind}")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subject.prepare(folder)
            felt = "nothing"
            for _ in range(draw.choice([1, 1, 1, 2])):
                plan = KINDS[kind](draw, self.reference)
                code, said = self.start(folder, plan)
                if plan.cut:
                    self.cut(folder, plan)
                lines = [
                    line
                    for line in said.splitlines()
                    if line.startswith("lpot: ")
                    and not line.startswith("lpot: warning")
                ]
                if code == STUCK:
                    felt = "stuck"
                    if "memory" not in kind:
                        return felt, "", "waits for ever"
                elif code in (
                    -signal.SIGKILL,
                    -signal.SIGABRT,
                    -signal.SIGSEGV,
                    -signal.SIGBUS,
                ):
                    felt = "killed" if code == -signal.SIGKILL else "crashed"
                    if felt == "crashed" and "memory" not in kind:
                        return felt, "", f"ended by signal {-code}: {said[-300:]}"
                elif code in (1, 127):
                    felt = "error"
                    if (
                        not any(line.startswith("lpot: [") for line in lines)
                        and "error while loading" not in said
                    ):
                        return felt, "", f"no clear message: {said[-300:]!r}"
                elif code != 3:
                    return felt, "", f"exit code {code}: {said[-300:]}"
                wrong = self.half_written(folder)
                if wrong:
                    return (
                        felt,
                        "",
                        f"{wrong} (exit code {code}, {said.strip()[-200:]!r})",
                    )
            return felt, *self.finish(folder, may_be_damaged="cut" in kind)

    def finish(self, folder: pathlib.Path, may_be_damaged: bool) -> tuple[str, str]:
        outcome = "same"
        code, said = self.start(folder, Plan())
        if code == 1 and may_be_damaged and all(word in said for word in DAMAGED):
            # Follows the advice of the message.
            (folder / subject.WORKSPACE).rename(folder / "away")
            outcome = "reported, same again"
            code, said = self.start(folder, Plan())
        if code != 3:
            return outcome, f"the resumed study ends with {code}: {said[-300:]}"
        found = subject.trials(self.lpot, folder)
        if found != self.reference.trials:
            return (
                outcome,
                f"other trials: {[(trial[0], trial[2], trial[3]) for trial in found]}",
            )
        if subject.best_model(folder) != self.reference.best:
            return outcome, "another best model"
        left = [
            path.name
            for path in (folder / subject.WORKSPACE).rglob("*")
            if ".tmp" in path.name
        ]
        return outcome, f"left behind: {left}" if left else ""


def table(results: dict[str, list[tuple[str, str, str]]]) -> str:
    columns = [
        "nothing",
        "error",
        "killed",
        "crashed",
        "stuck",
        "same",
        "reported, same again",
        "wrong",
    ]
    head = ["fault", "runs", *columns]
    rows = []
    for kind, runs in results.items():
        felt, end = (
            Counter(run[0] for run in runs),
            Counter(run[1] for run in runs if not run[2]),
        )
        wrong = sum(1 for run in runs if run[2])
        cells = [
            felt["nothing"],
            felt["error"],
            felt["killed"],
            felt["crashed"],
            felt["stuck"],
            end["same"],
            end["reported, same again"],
            wrong,
        ]
        rows.append([kind, len(runs), *cells])
    rows.append(["all", *(sum(row[i] for row in rows) for i in range(1, len(head)))])
    lines = [
        "| " + " | ".join(map(str, row)) + " |"
        for row in [head, ["---"] * len(head), *rows]
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lpot")
    parser.add_argument("library")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one run alone, by its number")
    parser.add_argument("--kind", choices=list(KINDS), help="one kind of fault alone")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    harness = Harness(
        str(pathlib.Path(options.lpot).resolve()),
        str(pathlib.Path(options.library).resolve()),
    )
    kinds = [options.kind] if options.kind else list(KINDS)
    numbers = [options.only] if options.only is not None else range(options.runs)
    results: dict[str, list] = {kind: [] for kind in kinds}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = {
            pool.submit(
                harness.run, number, options.seed, kinds[number % len(kinds)]
            ): number
            for number in numbers
        }
        for done in concurrent.futures.as_completed(started):
            number = started[done]
            kind = kinds[number % len(kinds)]
            try:
                result = done.result()
            except AssertionError as error:
                result = ("", "", str(error))
            results[kind].append(result)
            if result[2]:
                print(f"run {number} ({kind}): {result[2]}", flush=True)
    print(table(results))
    wrong = sum(1 for runs in results.values() for run in runs if run[2])
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
