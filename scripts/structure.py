#!/usr/bin/env python3
"""Prints figures about the structure of lpot/.

    scripts/structure.py [--tree DIR] [--json] [--recipe NAME] [--alias NAME]... [--time]

The figures are computed from the text of the headers and sources (.h and .cpp), with regular expressions and balanced
braces instead of a compiler. Comments, literals and preprocessor lines are ignored, except where includes are counted.

- Files of a recipe: files below lpot/ that contain the recipe's name as a whole word, as snake_case or PascalCase, or
  one of its aliases. Include lines and comments count. Aliases are the names given with --alias, and other quoted names
  on lines of lpot/config/ that contain the quoted recipe name and the word "alias".
- Data members: non-static variables that a class, struct or union declares itself, one for each declarator
  (`int a, b;` has two). Members of nested types count for the nested type.
- Long functions: from the first line of the signature to the closing brace, more than 60 lines. A lambda counts as
  part of the function around it.
- OpenVINO includes: files that include <openvino/...> directly, for each folder of lpot/.
- Files: headers and sources of each folder of lpot/ with its subfolders; subfolders of quantize/ also have a row.

--time also makes a clean build without ccache in a temporary folder, runs `ctest -LE data` and prints the seconds.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONG_FUNCTION_LINES = 60
TOP_CLASSES = 5

# Raw strings first: they may contain quotes and comment marks.
IGNORED = re.compile(
    r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r"|//[^\n]*"
    r"|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)")
ACCESS = re.compile(r"^\s*(?:(?:public|private|protected)\s*:(?!:)\s*)+")
TEMPLATE = re.compile(r"^\s*template\b")
TYPE = re.compile(r"^(?:class|struct|union)\b\s*((?:\w+::)*\w+)?")
NOT_A_MEMBER = re.compile(
    r"^(?:using|typedef|friend|static|template|constexpr|static_assert|class|struct|union|enum|extern)\b"
)
OPENVINO = re.compile(r'^\s*#\s*include\s*[<"]openvino/', re.MULTILINE)


@dataclasses.dataclass
class Class:
    name: str
    members: int
    place: str


@dataclasses.dataclass
class Function:
    name: str
    lines: int
    place: str


def cleaned(text: str) -> str:
    """The code alone. Each line keeps its number, and each literal stays a literal."""

    def blank(found: re.Match) -> str:
        kept = "0" if found[0][0] in "R\"'" else " "
        return kept + "\n" * found[0].count("\n")

    return IGNORED.sub(blank, text)


def without_templates(text: str) -> str:
    """Without template arguments, whose parentheses and commas say nothing about the declaration."""
    text = re.sub(r"operator\s*(?:<=>|<<|>>|<=|>=|->|<|>)", "operator", text)
    text = re.sub(r"->|<=|>=|<<", " ", text)
    while True:
        shorter = re.sub(r"<[^<>;{}]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def is_function(declaration: str) -> bool:
    declaration = without_templates(declaration)
    if re.search(r"\boperator\b", declaration):
        return True
    if re.search(r"\(\s*\*\s*\w+\s*\)", declaration.split("=")[0]):
        return False  # a pointer to a function
    before = declaration.split("=")[0]
    return "(" in before


def function_name(declaration: str) -> str:
    found = re.search(
        r"((?:\w+::)*(?:operator[^(]*|~?\w+))\s*\(", without_templates(declaration)
    )
    return found[1].strip() if found else "?"


def count_declarators(declaration: str) -> int:
    """How many variables a member declaration has; 0 for anything else."""
    declaration = declaration.strip()
    if (
        not declaration
        or NOT_A_MEMBER.match(declaration)
        or not re.search(r"\w\s+[*&]*\s*\w|[>*&]\s*\w", declaration)
        or is_function(declaration)
    ):
        return 0
    depth, count = 0, 1
    for letter in without_templates(declaration):
        depth += (letter in "([{") - (letter in ")]}")
        count += letter == "," and depth == 0
    return count


class Parser:
    """Finds the classes and functions of one file."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = cleaned(text)
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        self.scope(0, len(self.text), "")

    def line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def closing(self, opening: int) -> int:
        """The position of the brace that closes the one at `opening`."""
        depth = 0
        for found in re.compile("[{}]").finditer(self.text, opening):
            depth += 1 if found[0] == "{" else -1
            if depth == 0:
                return found.start()
        return len(self.text)

    def scope(self, begin: int, end: int, of: str) -> int:
        """Reads the declarations of a namespace, or of the type `of`, and returns the number of data members."""
        members, position, start, declaration = 0, begin, begin, ""
        while position < end:
            letter = self.text[position]
            if letter == "{":
                position, declaration = self.block(position, start, declaration, of)
            elif letter == ";":
                members += count_declarators(declaration)
                declaration = ""
            else:
                declaration += letter
                if letter == ":":
                    declaration = ACCESS.sub("", declaration)
            if not declaration.strip():
                declaration, start = "", position + 1
            position += 1
        return members

    def block(
        self, opening: int, start: int, declaration: str, of: str
    ) -> tuple[int, str]:
        """Reads what is in braces; returns its end and the rest of the declaration before it."""
        closing = self.closing(opening)
        plain = ATTRIBUTE.sub("", declaration).strip()
        while TEMPLATE.match(plain):
            plain = re.sub(r"^\s*template\s*", "", plain)
            plain = self.after_template(plain)
        if re.match(r'(?:inline\s+)?namespace\b|extern\s*0?\s*$|extern "C"', plain):
            self.scope(opening + 1, closing, "")
            return closing, ""
        if re.match(r"enum\b", plain):
            return closing, "enum "
        if (found := TYPE.match(plain)) and not is_function(plain):
            name = "::".join(filter(None, [of, found[1] or "(unnamed)"]))
            place = f"{self.path}:{self.line(start + self.leading(start))}"
            self.classes.append(
                Class(name, self.scope(opening + 1, closing, name), place)
            )
            # `struct {...} name;` declares a member too.
            return closing, "Type "
        following = self.text[closing + 1 :].lstrip()[:1]
        if is_function(plain) and following not in (",", "{"):
            first = self.line(start + self.leading(start))
            self.functions.append(
                Function(
                    function_name(plain),
                    self.line(closing) - first + 1,
                    f"{self.path}:{first}",
                )
            )
            return closing, ""
        return closing, declaration + "{}"  # an initializer

    def leading(self, start: int) -> int:
        rest = self.text[start:]
        return len(rest) - len(rest.lstrip())

    @staticmethod
    def after_template(text: str) -> str:
        depth = 0
        for i, letter in enumerate(text):
            depth += (letter == "<") - (letter == ">")
            if depth == 0:
                return text[i + 1 :].lstrip()
        return ""


def sources(tree: pathlib.Path) -> Iterator[pathlib.Path]:
    for path in sorted((tree / "lpot").rglob("*")):
        if path.suffix in (".h", ".cpp"):
            yield path


def folder_of(tree: pathlib.Path, path: pathlib.Path) -> str:
    parts = path.relative_to(tree / "lpot").parts
    return parts[0] if len(parts) > 1 else "."


def recipe_names(tree: pathlib.Path, recipe: str, aliases: list[str]) -> list[str]:
    names = {recipe, "".join(word.capitalize() for word in recipe.split("_")), *aliases}
    for path in sources(tree):
        if folder_of(tree, path) != "config":
            continue
        for line in path.read_text().splitlines():
            if f'"{recipe}"' in line and re.search("alias", line, re.IGNORECASE):
                names |= set(re.findall(r'"([a-z]\w*)"', line))
    return sorted(names)


def recipe_files(tree: pathlib.Path, names: list[str]) -> list[str]:
    word = re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b")
    return [
        str(path.relative_to(tree))
        for path in sources(tree)
        if word.search(str(path.relative_to(tree))) or word.search(path.read_text())
    ]


def count_files(tree: pathlib.Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    for path in sources(tree):
        parts = path.relative_to(tree / "lpot").parts
        folders = [folder_of(tree, path)]
        if len(parts) > 2 and parts[0] == "quantize":
            folders.append("/".join(parts[:2]))
        for folder in folders:
            counts[folder] = counts.get(folder, 0) + 1
    return dict(sorted(counts.items()))


def measure(tree: pathlib.Path, recipe: str, aliases: list[str]) -> dict:
    classes: list[Class] = []
    functions: list[Function] = []
    openvino: dict[str, int] = {}
    for path in sources(tree):
        text = path.read_text()
        parsed = Parser(str(path.relative_to(tree)), text)
        classes += parsed.classes
        functions += parsed.functions
        if OPENVINO.search(text):
            folder = folder_of(tree, path)
            openvino[folder] = openvino.get(folder, 0) + 1
    classes.sort(key=lambda each: (-each.members, each.place))
    long = [each for each in functions if each.lines > LONG_FUNCTION_LINES]
    long.sort(key=lambda each: (-each.lines, each.place))
    names = recipe_names(tree, recipe, aliases)
    return {
        "recipe": recipe,
        "recipe_names": names,
        "recipe_files": recipe_files(tree, names),
        "largest_classes": [dataclasses.asdict(each) for each in classes[:TOP_CLASSES]],
        "classes": len(classes),
        "long_functions": [dataclasses.asdict(each) for each in long],
        "functions": len(functions),
        "openvino_includes": dict(sorted(openvino.items())),
        "files": count_files(tree),
    }


def time_build(tree: pathlib.Path) -> dict[str, float]:
    """Seconds of a clean build and of the tests. A step that fails ends it."""
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    jobs = str(os.cpu_count() or 1)
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="lpot_build_") as build:
        make = ["cmake", "--build", build, "-j", jobs]
        steps = {
            "configure": ["cmake", "-S", str(tree), "-B", build, *generator],
            "build lpot": [*make, "--target", "lpot"],
            "build the rest": make,
            "ctest -LE data": ["ctest", "--test-dir", build, "-LE", "data", "-j", jobs],
        }
        for name, command in steps.items():
            start = time.monotonic()
            run = subprocess.run(
                command,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            seconds[name] = round(time.monotonic() - start, 1)
            if run.returncode != 0:
                print(run.stdout[-4000:], file=sys.stderr)
                print(
                    f"structure: {name} failed with exit code {run.returncode}",
                    file=sys.stderr,
                )
                break
    return seconds


def table(title: str, rows: list[tuple]) -> str:
    width = max((len(str(row[0])) for row in rows), default=0)
    lines = [
        f"  {row[0]!s:<{width}}  {'  '.join(map(str, row[1:]))}".rstrip()
        for row in rows
    ]
    return "\n".join([title, *lines, ""])


def as_text(found: dict) -> str:
    named = ", ".join(found["recipe_names"])
    parts = [
        table(
            f"files touched by the recipe {found['recipe']} ({named}): {len(found['recipe_files'])}",
            [(path,) for path in found["recipe_files"]],
        ),
        table(
            f"largest of {found['classes']} classes by data members",
            [
                (each["name"], each["members"], each["place"])
                for each in found["largest_classes"]
            ],
        ),
        table(
            f"functions over {LONG_FUNCTION_LINES} lines: {len(found['long_functions'])} of {found['functions']}",
            [
                (each["name"], each["lines"], each["place"])
                for each in found["long_functions"]
            ],
        ),
        table(
            f"files that include OpenVINO: {sum(found['openvino_includes'].values())}",
            list(found["openvino_includes"].items()),
        ),
        table("files", list(found["files"].items())),
    ]
    if "seconds" in found:
        parts.append(table("seconds", list(found["seconds"].items())))
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Prints figures about the structure of lpot/."
    )
    parser.add_argument(
        "--tree", type=pathlib.Path, default=ROOT, help="a checkout (default: this one)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--recipe", default="weight_correction")
    parser.add_argument(
        "--alias", action="append", default=[], help="another name of the recipe"
    )
    parser.add_argument(
        "--time", action="store_true", help="also time a clean build and the tests"
    )
    arguments = parser.parse_args()
    tree = arguments.tree.resolve()
    if not (tree / "lpot").is_dir():
        parser.error(f"{tree}: expected a checkout with a folder lpot")
    found = measure(tree, arguments.recipe, arguments.alias)
    if arguments.time:
        found["seconds"] = time_build(tree)
    print(json.dumps(found, indent=2) if arguments.json else as_text(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
