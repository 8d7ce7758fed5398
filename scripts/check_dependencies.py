#!/usr/bin/env python3
"""Checks that build targets use no headers or libraries with the given names.

    scripts/check_dependencies.py --build build --forbid openvino onnx protobuf --targets lpot_plan test_plan

Reads the records of ninja: the headers of each object file, and the libraries in the link command of each program.
Files of the project itself are ignored. Prints each violation and exits with 1.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def ninja(build: pathlib.Path, *arguments: str) -> str:
    return subprocess.run(
        ["ninja", "-C", str(build), *arguments],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def headers_by_object(build: pathlib.Path) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    current: list[str] = []
    for line in ninja(build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            current = headers.setdefault(line.split(":")[0], [])
        elif line.strip():
            current.append(line.strip())
    return headers


def is_project_file(path: str) -> bool:
    full = pathlib.Path(path)
    if not full.is_absolute():
        return True
    return full.is_relative_to(ROOT) and ".venv" not in full.parts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--forbid", nargs="+", required=True)
    parser.add_argument("--targets", nargs="+", required=True)
    arguments = parser.parse_args()
    forbidden = re.compile("|".join(map(re.escape, arguments.forbid)), re.IGNORECASE)
    offences = []
    counts = {target: 0 for target in arguments.targets}
    for name, headers in headers_by_object(arguments.build).items():
        folder = re.search(r"CMakeFiles/(\w+)\.dir/", name)
        if not folder or folder[1] not in counts:
            continue
        counts[folder[1]] += 1
        offences += [
            f"{folder[1]}: {name} reads {header}"
            for header in headers
            if not is_project_file(header) and forbidden.search(header)
        ]
    offences += [
        f"{target}: ninja has no record of its object files. Build the target first."
        for target, count in counts.items()
        if count == 0
    ]
    for target in arguments.targets:
        if not target.startswith("test_"):
            continue
        command = ninja(arguments.build, "-t", "commands", "-s", f"bin/{target}")
        offences += [
            f"{target}: links {word}"
            for word in command.split()
            if word.endswith((".a", ".so")) or word.startswith("-l") or ".so." in word
            if forbidden.search(pathlib.PurePath(word).name)
        ]
    print(
        "\n".join(offences)
        if offences
        else f"dependencies: none of {', '.join(arguments.forbid)} in {len(counts)} targets"
    )
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
