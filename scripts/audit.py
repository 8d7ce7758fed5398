#!/usr/bin/env python3
"""Checks what lpot stands on: docs/dependencies.md against setup.sh, the requirement files and what is installed.

    make audit

- Every Debian package and wheel that setup.sh installs is in the list, and the list names no other.
- Every wheel, also one that others need, is pinned with a hash; what is asked for is locked in the release that is asked for.
- The licences in the list are those that the installed packages and wheels state.
- Each place that the list gives for a use has it.
- No file of these names an index or a host: where wheels come from is the machine's business.

What is not installed cannot be asked for its licence: the last line counts it.
"""

import json
import pathlib
import re
import subprocess
import sys

from lock_wheels import (
    LIST,
    NEEDED,
    ORIGINAL,
    SCRIPTS,
    asked_for,
    licence,
    project,
    requirement_files,
)

ROOT = SCRIPTS.parent
ASK_VENV = """
import importlib.metadata as m, json, sys
print(json.dumps([[d.metadata["Name"], d.version, d.metadata.get("License-Expression"), d.metadata.get("License"),
                   d.metadata.get_all("Classifier") or []] for d in m.distributions()]))
"""
LOCKED = re.compile(r"^([a-z0-9-]+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})+)$")

problems: list[str] = []


def check(holds: bool, problem: str) -> None:
    if not holds:
        problems.append(problem)


def table(heading: str) -> list[dict[str, str]]:
    """The rows of the table below a heading, by the names of its columns."""
    section = LIST.read_text().split(heading + "\n")[1].split("\n## ")[0]
    lines = [
        line.strip("|").split("|")
        for line in section.splitlines()
        if line.startswith("|")
    ]
    names = [cell.strip() for cell in lines[0]]
    return [dict(zip(names, (cell.strip() for cell in line))) for line in lines[2:]]


def check_place(name: str, cell: str) -> None:
    found = re.fullmatch(r"`([^`]+)`: `([^`]+)`", cell)
    check(
        found is not None,
        f"docs/dependencies.md: {name}: 'seen in' is {cell!r}, expected `FILE`: `TEXT`",
    )
    if found:
        path = ROOT / found.group(1)
        is_used = path.exists() and found.group(2) in path.read_text()
        check(
            is_used,
            f"docs/dependencies.md: {name}: {found.group(1)} does not have '{found.group(2)}': is it used?",
        )


def check_packages() -> int:
    """Debian packages; returns how many are not installed."""
    setup = (SCRIPTS / "setup.sh").read_text()
    installed = set(" ".join(re.findall(r"packages\+?=\(([^)]*)\)", setup)).split())
    rows = {row["package"]: row for row in table("## Debian packages")}
    for name in sorted(installed - set(rows)):
        check(
            False,
            f"scripts/setup.sh installs the package {name}, which docs/dependencies.md does not list",
        )
    for name in sorted(set(rows) - installed):
        check(
            False,
            f"docs/dependencies.md lists the package {name}, which scripts/setup.sh does not install",
        )
    missing = 0
    for name, row in rows.items():
        check_place(name, row["seen in"])
        check(row["for"] != "", f"docs/dependencies.md: {name}: what is it for?")
        query = subprocess.run(
            ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name],
            capture_output=True,
            text=True,
        )
        if query.returncode != 0 or not query.stdout.startswith("installed "):
            missing += 1
            continue
        version = query.stdout.split()[1]
        check(
            row["tested with"] in version,
            f"{name} {version} is installed, docs/dependencies.md says {row['tested with']}",
        )
        copyright = pathlib.Path("/usr/share/doc", name, "copyright")
        says = (
            copyright.exists()
            and row["licence"].lower() in copyright.read_text(errors="replace").lower()
        )
        check(
            says,
            f"docs/dependencies.md: {name}: {copyright} does not speak of '{row['licence']}'",
        )
    return missing


def check_locks() -> dict[str, dict[str, str]]:
    """The releases that each file locks."""
    locks: dict[str, dict[str, str]] = {}
    for name in requirement_files():
        path = SCRIPTS / "locked" / name
        check(
            path.exists(),
            f"{path.relative_to(ROOT)} is missing; run scripts/lock_wheels.py",
        )
        releases = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            found = LOCKED.match(line)
            if found:
                releases[found.group(1)] = found.group(2)
            else:
                check(
                    line.startswith("#"),
                    f"{path.relative_to(ROOT)}: '{line[:60]}' has no release or no hash",
                )
        for line in (SCRIPTS / name).read_text().splitlines():
            if line and not line.startswith("#"):
                wanted, _, release = line.partition("==")
                check(release != "", f"scripts/{name}: '{line}' names no release")
                locked = releases.get(project(wanted), "none").split("+")[0]
                check(
                    locked == release,
                    f"{path.relative_to(ROOT)}: {wanted} is {locked}, expected {release}; run scripts/lock_wheels.py",
                )
        locks[name] = releases
        for file in (SCRIPTS / name, path):
            text = file.read_text() if file.exists() else ""
            check(
                "://" not in text and "-index" not in text,
                f"{file.relative_to(ROOT)} names an index or a host",
            )
    return locks


def environments(locks: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The folders that setup.sh makes, and what belongs into each."""
    beside = {
        **locks["requirements.txt"],
        **locks["requirements-dev.txt"],
        **locks["requirements-test.txt"],
    }
    named = {
        f".venv-{name.split('-')[1].split('.')[0]}": locks[name]
        for name in locks
        if "-" in name
    }
    return {
        ".venv": beside,
        **{
            folder: named[folder]
            for folder in (".venv-python", ".venv-peers", ".venv-original")
        },
    }


def check_wheels(locks: dict[str, dict[str, str]]) -> int:
    """Wheels; returns how many are installed nowhere."""
    asked = {name for file in locks for name in asked_for(file)}
    locked = {name for releases in locks.values() for name in releases}
    rows = {row["wheel"]: row for row in table("## Wheels")}
    needed = {row["wheel"]: row for row in table(NEEDED)}
    for name in sorted(asked ^ set(rows)):
        check(
            False,
            f"the wheel {name} is only in {'a requirement file' if name in asked else 'docs/dependencies.md'}",
        )
    for name in sorted((locked - asked) ^ set(needed)):
        check(
            False,
            f"the wheel {name} is only in {'scripts/locked' if name in locked else 'docs/dependencies.md'}; run scripts/lock_wheels.py",
        )
    for name, row in rows.items():
        check_place(name, row["seen in"])
        check(row["for"] != "", f"docs/dependencies.md: {name}: what is it for?")
    seen = set()
    for folder, releases in environments(locks).items():
        python = ROOT / folder / "bin/python"
        if not python.exists():
            continue
        told = subprocess.run(
            [str(python), "-c", ASK_VENV], check=True, capture_output=True, text=True
        ).stdout
        for name, version, *about in json.loads(told):
            name = project(name)
            if name not in releases:
                # What comes with the environment itself, or was built from this project.
                check(
                    name in ("pip", "setuptools", "wheel") or version.startswith("0.1"),
                    f"{folder}: {name} {version} is installed and not locked",
                )
                continue
            check(
                version == releases[name],
                f"{folder}: {name} {version} is installed, {releases[name]} is locked",
            )
            # The list speaks of the newer release where the original, which is years old, has another.
            if folder != f".venv-{ORIGINAL.split('-')[1].split('.')[0]}":
                listed = {**needed, **rows}.get(name, {}).get("licence")
                check(
                    licence(*about) == listed,
                    f"{folder}: {name} states the licence '{licence(*about)}', docs/dependencies.md '{listed}'",
                )
            seen.add(name)
    return len(locked - seen)


def main() -> None:
    without_package = check_packages()
    locks = check_locks()
    without_wheel = check_wheels(locks)
    for problem in problems:
        print(f"audit: {problem}")
    packages, wheels = (
        len(table("## Debian packages")),
        len({name for lock in locks.values() for name in lock}),
    )
    print(
        f"audit: {packages} Debian packages ({packages - without_package} installed), {wheels} wheels ({wheels - without_wheel} "
        f"installed): {f'{len(problems)} problems' if problems else 'all listed, pinned, used, and under the licences of the list'}"
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
