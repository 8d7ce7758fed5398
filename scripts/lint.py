#!/usr/bin/env python3
"""Runs every static check: `make lint`.

    scripts/lint.py                       all files
    scripts/lint.py --since main          only what changed since the common ancestor with a revision
    scripts/lint.py --only clang-tidy     some checks

Continues after a failed check, and exits with 1 if one failed. A new check is a function and an entry in `checks`.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import tidy

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON_FOLDERS = ("scripts", "benchmarks", "examples", "tests", "python")
# Sources that the preset `lint` compiles. tests/fuzz/targets are compiled there too, by test_fuzz.
TIDY_FOLDERS = ("lpot", "cli", "python/src", "tests", "benchmarks")


def run(*words: str) -> bool:
    return subprocess.run(words, cwd=ROOT, check=False).returncode == 0


def git_lines(*words: str) -> list[str]:
    done = subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


def tracked_files(since: str | None) -> list[str]:
    """Returns the files to check, of the working tree. Deleted files are left out."""
    if since is None:
        names = git_lines("ls-files")
    else:
        base = git_lines("merge-base", since, "HEAD")[0]
        names = git_lines("diff", "--name-only", base)
    return [name for name in names if (ROOT / name).exists()]


def check_format(files: list[str]) -> bool:
    sources = [name for name in files if name.endswith((".h", ".cpp"))]
    return not sources or run("clang-format", "--dry-run", "--Werror", *sources)


def check_ruff(files: list[str]) -> bool:
    scripts = [
        name
        for name in files
        if name.endswith(".py") and name.startswith(PYTHON_FOLDERS)
    ]
    return not scripts or run(str(ROOT / ".venv/bin/ruff"), "check", *scripts)


def check_types(files: list[str]) -> bool:
    """The package is checked strictly, the scripts by default rules."""
    mypy = str(ROOT / ".venv/bin/mypy")
    changed = [name for name in files if name.endswith((".py", ".pyi"))]
    packages = any(name.startswith(("python/lpot", "python/ilit")) for name in changed)
    scripts = any(name.startswith("scripts/") for name in changed)
    passed = not packages or run(mypy, "--strict", "-p", "lpot", "-p", "ilit")
    return (not scripts or run(mypy, "scripts")) and passed


def sources_to_tidy(files: list[str]) -> list[str]:
    """Returns the changed sources, and for each changed header one source that includes it."""
    chosen = {name for name in files if name.endswith(".cpp")}
    all_sources = git_lines("ls-files", "*.cpp")
    headers = {name for name in files if name.endswith(".h")}
    includes: dict[str, list[str]] = {}
    if headers and not chosen.issuperset(all_sources):
        for name in all_sources:
            text = (ROOT / name).read_text()
            for header in re.findall(r'(?m)^#include "([^"]+)"', text):
                includes.setdefault(header, []).append(name)
    for header in headers:
        users = includes.get(header.removeprefix("python/src/"), [])
        if users and not chosen.intersection(users):
            chosen.add(users[0])
    return sorted(name for name in chosen if name.startswith(TIDY_FOLDERS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--since", help="only files that changed since this revision")
    parser.add_argument("--only", nargs="+", metavar="CHECK", help="only these checks")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    files = tracked_files(options.since)
    # Layers, language and messages compare several files and take a second, so they always read all files.
    checks = {
        "clang-format": lambda: check_format(files),
        "layers": lambda: run("python3", "scripts/check_layers.py"),
        "language": lambda: run("python3", "scripts/check_language.py"),
        "messages": lambda: run(
            "python3", "scripts/list_messages.py", "--check", "--strict"
        ),
        "ruff": lambda: check_ruff(files),
        "mypy": lambda: check_types(files),
        "clang-tidy": lambda: tidy.check(sources_to_tidy(files), options.jobs),
    }
    unknown = set(options.only or []) - set(checks)
    if unknown:
        parser.error(
            f"unknown check {', '.join(sorted(unknown))}; expected: {', '.join(checks)}"
        )
    failed = [
        name
        for name, check in checks.items()
        if name in (options.only or checks) and not check()
    ]
    print(f"lint: {len(files)} files, {f'failed: {failed}' if failed else 'clean'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
