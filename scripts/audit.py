#!/usr/bin/env python3
"""Checks docs/dependencies.md against setup.sh, the requirement files and the installed packages.

    make audit

- The list contains exactly the Debian packages and wheels that setup.sh installs.
- All wheels, including indirect dependencies, are pinned with a hash, in the version of the requirement files.
- The licences in the list are those that the installed packages and wheels state.
- Each file that the list names as an example of use contains the text.
- The requirement files name no package index or host, which is a setting of the machine.

The licences of packages that are not installed cannot be checked. The last line counts them.
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
    """Returns the rows of the table below a heading, as dicts by column name."""
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
            f"docs/dependencies.md: {name}: {found.group(1)} does not contain '{found.group(2)}'; is the dependency still used?",
        )


def check_packages() -> int:
    """Checks the Debian packages. Returns how many are not installed."""
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
            f"docs/dependencies.md: {name}: {copyright} does not contain '{row['licence']}'",
        )
    return missing


def check_locks() -> dict[str, dict[str, str]]:
    """Checks the lock files. Returns the locked versions of each file."""
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
                    f"{path.relative_to(ROOT)}: '{line[:60]}' has no version or no hash",
                )
        for line in (SCRIPTS / name).read_text().splitlines():
            if line and not line.startswith("#"):
                wanted, _, release = line.partition("==")
                check(release != "", f"scripts/{name}: '{line}' names no version")
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
    """Returns the virtual environments that setup.sh creates, with the expected wheels of each."""
    main = {
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
        ".venv": main,
        **{
            folder: named[folder]
            for folder in (
                ".venv-python",
                ".venv-wheel",
                ".venv-peers",
                ".venv-original",
            )
        },
    }


def check_wheels(locks: dict[str, dict[str, str]]) -> int:
    """Checks the wheels. Returns how many are not installed in any environment."""
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
        output = subprocess.run(
            [str(python), "-c", ASK_VENV], check=True, capture_output=True, text=True
        ).stdout
        for name, version, *about in json.loads(output):
            name = project(name)
            if name not in releases:
                # Part of every environment, or built from this project.
                check(
                    name in ("pip", "setuptools", "wheel", "lpot"),
                    f"{folder}: {name} {version} is installed but not locked",
                )
                continue
            check(
                version == releases[name],
                f"{folder}: {name} {version} is installed, {releases[name]} is locked",
            )
            # The list has the licence of the current version. LPOT 1.6 may need an older one.
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
        f"installed): {f'{len(problems)} problems' if problems else 'all are listed, pinned and used, and the licences match'}"
    )
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
