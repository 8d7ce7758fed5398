#!/usr/bin/env python3
"""Checks that the folders of lpot/ include only what their layer allows (DESIGN.md, "The flow is the folder list").

A file includes its own folder or lower layers; folders on one layer do not include each other. cli/ and benchmarks/ may
include everything, and so may lpot/lpot.h, the header for users. Two headers must not define types of one name in one
namespace: the linker takes one of their destructors for both, without a word. Prints each offence as file:line and exits with 1.
"""

import pathlib
import re
import sys

LAYERS = [
    {"core"},
    {"proto"},
    {"config", "model", "data", "metric"},
    {"runtime"},
    {"share"},
    {"calibrate"},
    {"quantize", "evaluate"},
    {"store"},
    {"tune"},
    {"report"},
]
# Narrower than the layers: what these folders may include besides themselves.
ONLY = {"runtime": {"core", "model"}, "store": {"core", "quantize"}}

NAMESPACE = re.compile(r"^namespace ([\w:]+) {")
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)\b(?!\s*(?:;|::))[^;]*\{")
INCLUDE = re.compile(r'^\s*#include "lpot/(\w+)/')


def allowed(folder: str) -> set[str]:
    level = next(i for i, names in enumerate(LAYERS) if folder in names)
    below = set().union(*LAYERS[:level])
    return {folder} | (ONLY[folder] if folder in ONLY else below)


def twice_defined(root: pathlib.Path) -> list[str]:
    first: dict[str, str] = {}
    offences = []
    for path in sorted(root.glob("**/*.h")):
        space = ""
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if match := NAMESPACE.match(line):
                space = match[1]
            elif match := TYPE.match(line):
                place = f"lpot/{path.relative_to(root)}:{number}"
                before = first.setdefault(f"{space}::{match[1]}", place)
                if before != place:
                    offences.append(
                        f"{place}: {space}::{match[1]} is defined at {before} too"
                    )
    return offences


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent / "lpot"
    known = set().union(*LAYERS)
    offences = [
        f"lpot/{path.name}: a folder that has no layer"
        for path in root.iterdir()
        if path.is_dir() and path.name not in known
    ]
    for path in sorted([*root.glob("*/**/*.h"), *root.glob("*/**/*.cpp")]):
        folder = path.relative_to(root).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = INCLUDE.match(line)
            if match and match[1] not in allowed(folder):
                offences.append(
                    f"lpot/{path.relative_to(root)}:{number}: {folder} must not include {match[1]}"
                )
    offences += twice_defined(root)
    print("\n".join(offences) if offences else "layers: in order")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
