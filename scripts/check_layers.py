#!/usr/bin/env python3
"""Checks the structure of lpot/ that DESIGN.md describes ("Folders").

- A file includes only headers of the same folder and of the folders that the table in DESIGN.md allows. Subfolders of
  quantize/ are folders too. cli/, python/, tests/, benchmarks/ and lpot/lpot.h may include everything.
- The table has a row for each folder, with its number of files.
- OpenVINO is included only in folders for which the table allows it.
- No two headers define types with the same name in the same namespace. The linker would merge their member functions.
- A name in an anonymous namespace is defined only once per layer and per folder of tests/, because these sources are
  compiled together.

Prints each violation as file:line and exits with 1. `--write` updates the numbers of files in DESIGN.md.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LPOT = ROOT / "lpot"
DESIGN = ROOT / "DESIGN.md"

# | `plan` | purpose | core, config | | 24 |
ROW = re.compile(
    r"^\| `([\w/]+)` \| (.+?) \| ([\w/, -]*?) \| (yes|) ?\| (\d+) \|$", re.MULTILINE
)
NAMESPACE = re.compile(r"^namespace ([\w:]+) {")
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)\b(?!\s*(?:;|::))[^;]*\{")
INCLUDE = re.compile(r'^\s*#include "lpot/([\w/]+)/\w+\.h"')
OPENVINO = re.compile(r"^\s*#include <openvino/")
LITERALS = re.compile(
    r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL
)


def read_table() -> dict[str, tuple[set[str], bool, int]]:
    """Returns for each folder: the folders it may include, whether it may include OpenVINO, and its number of files."""
    rows = {}
    for folder, _, allowed, openvino, files in ROW.findall(DESIGN.read_text()):
        names = {name.strip() for name in allowed.split(",")} - {"", "-"}
        rows[folder] = (names, openvino == "yes", int(files))
    return rows


def closure(
    rows: dict[str, tuple[set[str], bool, int]], folder: str, seen: set[str]
) -> set[str]:
    """Returns the folder and all folders that it may include, directly or indirectly."""
    if folder in seen or folder not in rows:
        return seen
    seen.add(folder)
    for name in rows[folder][0]:
        closure(rows, name, seen)
    return seen


def sources() -> list[pathlib.Path]:
    return sorted([*LPOT.glob("*/**/*.h"), *LPOT.glob("*/**/*.cpp")])


def folder_of(path: pathlib.Path, rows: dict) -> str:
    """Returns the innermost folder of the table that contains the file."""
    relative = path.relative_to(LPOT).parent
    while str(relative) not in rows and relative.parent != relative:
        relative = relative.parent
    return str(relative)


def check_includes(rows: dict) -> list[str]:
    offences = []
    for path in sources():
        folder = folder_of(path, rows)
        if folder not in rows:
            offences.append(
                f"{path.relative_to(ROOT)}: the folder is not in the table of DESIGN.md"
            )
            continue
        allowed = closure(rows, folder, set())
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            place = f"{path.relative_to(ROOT)}:{number}"
            if match := INCLUDE.match(line):
                included = folder_of(LPOT / match[1] / "header.h", rows)
                if included not in allowed:
                    offences.append(f"{place}: {folder} must not include {included}")
            elif OPENVINO.match(line) and not rows[folder][1]:
                offences.append(f"{place}: {folder} must not include OpenVINO")
    return offences


def count_files(rows: dict) -> dict[str, int]:
    counts = collections.Counter(folder_of(path, rows) for path in sources())
    return {folder: counts[folder] for folder in rows}


def check_counts(rows: dict) -> list[str]:
    return [
        f"DESIGN.md: {folder} has {count} files, the table says {rows[folder][2]}; run scripts/check_layers.py --write"
        for folder, count in count_files(rows).items()
        if count != rows[folder][2]
    ]


def write_counts(rows: dict) -> None:
    counts = count_files(rows)
    DESIGN.write_text(
        ROW.sub(
            lambda m: m[0][: m.start(5) - m.start(0)] + f"{counts[m[1]]} |",
            DESIGN.read_text(),
        )
    )


def check_types() -> list[str]:
    first: dict[str, str] = {}
    offences = []
    for path in sorted(LPOT.glob("**/*.h")):
        space = ""
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if match := NAMESPACE.match(line):
                space = match[1]
            elif match := TYPE.match(line):
                place = f"lpot/{path.relative_to(LPOT)}:{number}"
                before = first.setdefault(f"{space}::{match[1]}", place)
                if before != place:
                    offences.append(
                        f"{place}: {space}::{match[1]} is also defined at {before}"
                    )
    return offences


def top_level(text: str) -> str:
    """Removes the text inside braces."""
    flat, depth = [], 0
    for letter in text:
        if letter == "{":
            depth += 1
            if depth == 1:
                flat.append("{")
        elif letter == "}":
            depth -= 1
            if depth == 0:
                flat.append("};")
        elif depth == 0:
            flat.append(letter)
    return "".join(flat)


def anonymous_names(text: str) -> set[str]:
    """Returns the types, constants and functions (with parameters) in the anonymous namespaces of a source."""
    text = LITERALS.sub('""', text)
    names = set()
    for match in re.finditer(r"^namespace \{", text, re.MULTILINE):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        for statement in top_level(text[match.end() : end - 1]).split(";"):
            statement = " ".join(statement.split()).lstrip("}").strip()
            if found := re.match(
                r"(?:template ?<.*?> ?)?(?:struct|class|enum class|enum) (\w+)",
                statement,
            ):
                names.add(found[1])
            elif found := re.search(
                r"\b(k[A-Z]\w*)(?:\[.*?\])? ?(?:=|\{|\()", statement
            ):
                names.add(found[1])
            elif statement.endswith("{") and (
                found := re.match(r"[^(=]*?\b(\w+)\((.*)\)[^)]*\{$", statement)
            ):
                names.add(f"{found[1]}({found[2]})")
    return names


def check_anonymous_names() -> list[str]:
    offences = []
    folders = [*LPOT.iterdir(), *(ROOT / "tests").iterdir()]
    for layer in sorted(path for path in folders if path.is_dir()):
        first: dict[str, str] = {}
        for path in sorted(layer.glob("**/*.cpp")):
            place = str(path.relative_to(ROOT))
            for name in anonymous_names(path.read_text()):
                before = first.setdefault(name, place)
                if before != place:
                    offences.append(
                        f"{place}: {name} is also defined in {before}; both are compiled together"
                    )
    return offences


def main() -> int:
    rows = read_table()
    if "--write" in sys.argv[1:]:
        write_counts(rows)
        rows = read_table()
    offences = [
        *check_includes(rows),
        *check_counts(rows),
        *check_types(),
        *check_anonymous_names(),
    ]
    print("\n".join(offences) if offences else "layers: no violations")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
