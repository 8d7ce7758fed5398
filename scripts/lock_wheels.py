#!/usr/bin/env python3
"""Pins all wheels that setup.sh installs, including indirect dependencies, with their SHA-256.

    LPOT_PYTHON38=.../python3.8 scripts/lock_wheels.py
    scripts/lock_wheels.py requirements-wheel.txt    only this file; the pins of the other files do not change

scripts/requirements*.txt list the direct dependencies with the reasons for them. pip resolves them for Python 3.11 on
x86-64 (3.8 for LPOT 1.6), and the result is written to scripts/locked/. setup.sh installs these files with
--require-hashes. The last table of docs/dependencies.md, with the indirect dependencies, is also rewritten. Run this
script after a change of the requirements, and review the differences.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parent
LIST = SCRIPTS.parent / "docs/dependencies.md"
BASE = "requirements.txt"
# Installed into the environment of BASE, so the versions must agree.
BESIDE_BASE = {"requirements-dev.txt", "requirements-test.txt"}
ORIGINAL = "requirements-original.txt"
NEEDED = "## Indirect dependencies"


def requirement_files() -> list[str]:
    return sorted(path.name for path in SCRIPTS.glob("requirements*.txt"))


def project(name: str) -> str:
    """Returns the normalized project name of a requirement, without versions and conditions."""
    word = re.match(r"[A-Za-z0-9._-]+", name)
    assert word is not None, name
    return re.sub(r"[-_.]+", "-", word.group()).lower()


def licence(expression: str | None, text: str | None, classifiers: list[str]) -> str:
    """Returns the licence that a wheel states, in one line."""
    if expression:
        return expression
    named = [
        line.split("::")[-1].strip()
        for line in classifiers
        if line.startswith("License ::")
    ]
    named = sorted({name for name in named if name != "OSI Approved"})
    if named:
        return ", ".join(named)
    first = (text or "").strip().split("\n")[0]
    return first if 0 < len(first) < 80 else "not stated in its metadata"


def asked_for(name: str) -> list[str]:
    lines = (SCRIPTS / name).read_text().splitlines()
    return [project(line) for line in lines if line and not line.startswith("#")]


def resolved(name: str) -> list[dict]:
    """Returns the wheels that pip would install into an empty environment."""
    python = (
        "python3.11"
        if name != ORIGINAL
        else os.environ.get("LPOT_PYTHON38", "python3.8")
    )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", f"{folder}/venv"], check=True)
        pip = [f"{folder}/venv/bin/python", "-m", "pip"]
        # The report of older versions has no licences.
        subprocess.run([*pip, "install", "--quiet", "--upgrade", "pip"], check=True)
        report = pathlib.Path(folder, "report.json")
        command = [*pip, "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--only-binary", ":all:", "--report", str(report)]
        command += ["--requirement", str(SCRIPTS / name)]
        if name in BESIDE_BASE:
            command += ["--constraint", str(SCRIPTS / BASE)]
        subprocess.run(command, check=True)
        return json.loads(report.read_text())["install"]


def write_lock(name: str, wheels: list[dict]) -> None:
    lines = []
    for wheel in wheels:
        metadata = wheel["metadata"]
        sha = wheel["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append(
            f"{project(metadata['name'])}=={metadata['version']} --hash=sha256:{sha}\n"
        )
    target = SCRIPTS / "locked" / name
    target.parent.mkdir(exist_ok=True)
    target.write_text(
        f"# Made by scripts/lock_wheels.py from {name}.\n" + "".join(sorted(lines))
    )
    print(f"{target.relative_to(SCRIPTS.parent)}: {len(lines)} wheels")


def needed_rows(files: dict[str, list[dict]]) -> list[str]:
    """Returns the table rows of indirect dependencies: wheel, licence and the wheels that need it."""
    asked = {name for file in requirement_files() for name in asked_for(file)}
    licences: dict[str, str] = {}
    needed_by: dict[str, set[str]] = {}
    for wheels in files.values():
        for wheel in wheels:
            metadata = wheel["metadata"]
            name = project(metadata["name"])
            stated = licence(
                metadata.get("license_expression"),
                metadata.get("license"),
                metadata.get("classifier", []),
            )
            # Versions may word their licence differently. The first one counts, and LPOT 1.6 comes last.
            licences.setdefault(name, stated)
            for requirement in metadata.get("requires_dist", []):
                if not re.search(r"extra\s*==", requirement):
                    needed_by.setdefault(project(requirement), set()).add(name)
    rows = []
    for name in sorted(set(licences) - asked):
        users = sorted(needed_by.get(name, set()) & set(licences)) or [
            "an optional part of another"
        ]
        rows.append(f"| {name} | {licences[name]} | {', '.join(users)} |\n")
    return rows


def with_other_files(rows: list[str], text: str, names: list[str]) -> list[str]:
    """Adds to `rows` of some requirement files what the old table in `text` says about the other files."""
    asked = {name for file in requirement_files() for name in asked_for(file)}
    locked = set()
    for file in set(requirement_files()) - set(names):
        lines = (SCRIPTS / "locked" / file).read_text().splitlines()
        locked |= {project(line) for line in lines if not line.startswith("#")}
    merged = {row.split("|")[1].strip(): row for row in rows}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 5 or cells[1] not in locked - asked:
            continue
        users = set(cells[3].split(", "))
        if cells[1] in merged:
            users |= set(merged[cells[1]].split("|")[3].strip().split(", "))
        merged[cells[1]] = f"| {cells[1]} | {cells[2]} | {', '.join(sorted(users))} |\n"
    return [merged[name] for name in sorted(merged)]


def main() -> None:
    # LPOT 1.6 comes last: see needed_rows.
    names = sorted(
        sys.argv[1:] or requirement_files(), key=lambda name: (name == ORIGINAL, name)
    )
    files = {name: resolved(name) for name in names}
    for name, wheels in files.items():
        write_lock(name, wheels)
    text, old = LIST.read_text().split(NEEDED)
    rows = with_other_files(needed_rows(files), old, names)
    table = "| wheel | licence | needed by |\n|---|---|---|\n" + "".join(rows)
    LIST.write_text(
        f"{text}{NEEDED}\n\nWritten by `scripts/lock_wheels.py`.\n\n{table}"
    )


if __name__ == "__main__":
    main()
