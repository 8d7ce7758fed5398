#!/usr/bin/env python3
"""Runs the long checks one after another and writes a summary: `make nightly`.

    scripts/nightly.py                                    all parts
    scripts/nightly.py --parts lint coverage              some parts
    scripts/nightly.py --summary docs/nightly.md          the file for the summary

Continues after a failed part, and exits with 1 if one failed. The output of a part is in build-nightly/PART.log.
"""

import argparse
import datetime
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build-nightly"
PARTS = {
    "lint": ["make", "lint"],
    "asan": ["make", "asan"],
    "tsan": ["make", "tsan"],
    "fuzz": ["make", "fuzz", "SECONDS=60"],
    "faults": ["make", "faults", "RUNS=200"],
    "clean-roots": ["make", "test-wheel"],
    "coverage": ["make", "coverage"],
}


def run_part(name: str, command: list[str]) -> tuple[str, int, float]:
    """Returns the name, the exit code and the minutes that the part took."""
    begin = time.monotonic()
    with (LOGS / f"{name}.log").open("w") as log:
        code = subprocess.run(
            command, cwd=ROOT, check=False, stdout=log, stderr=subprocess.STDOUT
        ).returncode
    minutes = (time.monotonic() - begin) / 60
    print(f"nightly: {name}: exit code {code} after {minutes:.1f} min", flush=True)
    return name, code, minutes


def last_lines(name: str, count: int) -> str:
    lines = (LOGS / f"{name}.log").read_text(errors="replace").splitlines()
    kept = [line.replace(f"{ROOT}/", "") for line in lines[-count:]]
    return "\n".join(["```text", *kept, "```"])


def summary(results: list[tuple[str, int, float]], revision: str) -> str:
    failed = [name for name, code, _ in results if code != 0]
    today = datetime.date.today().isoformat()
    text = f"# Nightly checks\n\n`make nightly` wrote this page on {today} for commit {revision}.\n"
    text += (
        f"{f'Failed: {chr(44).join(failed)}.' if failed else 'All parts passed.'}\n\n"
    )
    text += "| part | command | result | minutes |\n|---|---|---|---|\n"
    for name, code, minutes in results:
        result = "passed" if code == 0 else f"failed, exit code {code}"
        text += f"| {name} | `{' '.join(PARTS[name])}` | {result} | {minutes:.1f} |\n"
    for name in failed:
        text += f"\n## {name}: the last lines\n\n{last_lines(name, 15)}\n"
    coverage = ROOT / "build-coverage/coverage.md"
    if ("coverage", 0) in [(name, code) for name, code, _ in results]:
        text += f"\n## Coverage: the least covered files\n\n{coverage.read_text()}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--summary", type=pathlib.Path, default=LOGS / "summary.md")
    options = parser.parse_args()
    LOGS.mkdir(exist_ok=True)
    revision = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    results = []
    for name in options.parts:
        results.append(run_part(name, PARTS[name]))
        # After each part, so that an interrupted run leaves the results so far.
        options.summary.write_text(summary(results, revision))
    print(f"nightly: the summary is in {options.summary}")
    sys.exit(1 if any(code != 0 for _, code, _ in results) else 0)


if __name__ == "__main__":
    main()
