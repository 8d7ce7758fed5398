#!/usr/bin/env python3
"""Prints the line coverage of the tests, and the least covered files: `make coverage`.

    .venv/bin/python scripts/coverage.py build-coverage --least 20

The folder is built with the preset `coverage`, and its tests have run.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def collect(build: pathlib.Path) -> list[dict]:
    """Returns gcovr's summary of each file of the library and of the command line."""
    target = build / "coverage.json"
    command: list[str | pathlib.Path] = [sys.executable, "-m", "gcovr", "--root", ROOT, "--object-directory"]
    command += [
        build,
        "--filter",
        "lpot/",
        "--filter",
        "cli/",
        "--exclude-throw-branches",
    ]
    # g++ 12 counts some lines of templates wrongly (GCC bug 68080).
    command += ["--gcov-ignore-parse-errors=negative_hits.warn_once_per_file"]
    command += ["--json-summary", str(target), str(build)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return json.loads(target.read_text())["files"]


def report(files: list[dict], least: int) -> str:
    """Returns the total and the files with the lowest coverage, as Markdown. Files with few lines say little."""
    lines = sum(file["line_total"] for file in files)
    if lines == 0:
        sys.exit("coverage: no file of lpot/ or cli/ has counts; run the tests first")
    covered = sum(file["line_covered"] for file in files)
    text = f"{100 * covered / lines:.1f}% of {lines} lines in {len(files)} files run in tests.\n\n"
    text += "| file | covered | lines without test |\n|---|---|---|\n"
    large = [file for file in files if file["line_total"] >= 10]
    for file in sorted(large, key=lambda file: file["line_percent"])[:least]:
        missing = file["line_total"] - file["line_covered"]
        text += f"| `{file['filename']}` | {file['line_percent']:.1f}% | {missing} |\n"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=20, help="how many files to list")
    options = parser.parse_args()
    text = report(collect(options.build.resolve()), options.least)
    (options.build / "coverage.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
