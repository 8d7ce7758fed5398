#!/usr/bin/env python3
"""Checks that texts are plain technical English.

- Phrases of PHRASES in Markdown files, and in comments and string literals of sources.
- Lines of Markdown that are longer than 120 characters, outside tables, code blocks and link targets.

    scripts/check_language.py                          # everything
    scripts/check_language.py --paths README.md docs   # some files and folders
    scripts/check_language.py --markdown               # no sources

Prints each finding as file:line: phrase: suggestion, and exits with 1 if there are any.
"""

import argparse
import pathlib
import re
import sys

from source_text import tokens

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATHS = [
    "lpot",
    "cli",
    "python",
    "tests",
    "scripts",
    "benchmarks",
    "examples",
    "docs",
    "cmake",
]
SOURCES = {".h", ".cpp", ".py", ".js", ".sh", ".cmake"}
# Written by programs: their texts are checked in the sources that print them.
GENERATED = {"docs/reference.md", "benchmarks/peers.md"}
# These contain the phrases themselves.
SKIPPED = {"scripts/check_language.py", "tests/scripts/test_scripts.py"}
LONGEST = 120

BE = "(?:is|are|was|were|be|been|being)"
OWN = "(?:its|their|his|one's|the (?:caller|user|program)'s)"

# A regular expression (a space matches any white space) and what to write instead.
PHRASES = [
    # Idioms that were translated word for word.
    ("hangs? on", "write 'depends on'"),
    ("comes? to stand", "write 'is inserted' or 'is placed'"),
    (f"{BE} told", "write 'is reported', or say who reports it"),
    ("told (?:apart|one by one|in sum)", "write 'distinguished' or 'reported'"),
    ("(?:tells?|telling) .{1,30}? apart", "write 'distinguishes'"),
    ("anew", "write 'again'"),
    ("carr(?:y|ies|ied|ying) (?:it |them )?out", "write 'apply', 'run' or 'support'"),
    ("hand(?:s|ed|ing)? (?:values |it |them )?on", "write 'forward', or 'do not change values'"),
    ("comes? down to", "write 'results in'"),
    ("goes? on (?:with|where|after|as if|exactly)", "write 'continues'"),
    ("gives? back|given back|giving back", "write 'returns' or 'releases'"),
    ("(?:lets?|letting) go of", "write 'releases'"),
    ("work(?:s|ed|ing)? out", "write 'computes', or 'succeeds'"),
    ("looks? whether", "write 'checks whether'"),
    ("in the place of", "write 'instead of'"),
    (r"in sum(?!\.h)", "write 'in total'"),
    ("so many", "state the number, or write 'this many'"),
    ("all the same", "write 'still' or 'anyway'"),
    ("as ever", "write 'as before', or delete it"),
    ("do(?:es)? as well", "write 'also works'"),
    ("without a word", "write 'silently' or 'without a message'"),
    ("the one or the other", "name both"),
    ("nothing beside", "write 'no other load'"),
    # Subjects that are hidden in relative clauses.
    (f"what {BE} (?:left|made|kept|inside|read|written|done|timed|tried|measured|stored|needed|wanted)",
     "name the thing"),
    ("says? so", "name the message: 'prints a warning'"),
    ("as (?:it|they) comes?", "write 'in the default configuration'"),
    ("as (?:it|they) stands?", "write 'unchanged'"),
    # 'own' and 'itself' where the field has a word.
    (f"of {OWN} own", "write 'its own X' or 'a separate X'"),
    ("by (?:itself|themselves)", "write 'alone' or 'automatically'"),
    # Metaphors: things that act like persons.
    ("hears? no", "say what is not possible"),
    (r"evens (?:[\w']+ ){0,4}out|even (?:it|them) out|evened out|evening out", "write 'equalizes' or 'pads'"),
    (f"constraints? .{{0,20}}?{BE} hurt", "write 'violated'"),
    ("go(?:es)? home", "write 'exits'"),
    ("makes? of (?:a|the|it|them)", "write 'turns into' or 'makes'"),
    (f"{BE} others (?:here|than)", "write 'differ'"),
    ("it promises", "state the effect"),
    ("stands? on", "write 'relies on' or 'depends on'"),
]  # fmt: skip


def compile_phrases() -> list[tuple[re.Pattern, str]]:
    """A phrase may continue on the next line."""
    compiled = []
    for phrase, advice in PHRASES:
        pattern = r"\b(?:" + phrase.replace(" ", r"\s+") + r")\b"
        compiled.append((re.compile(pattern, re.IGNORECASE), advice))
    return compiled


def blank(text: str) -> str:
    """The same number of characters and lines, without words. \\x00 keeps phrases from reaching across."""
    return re.sub(r"[^\s]", "\x00", text)


def markdown_prose(text: str) -> str:
    """The text without inline code and link targets."""
    for code in (r"`[^`\n]+`", r"\]\([^)\n]*\)"):
        text = re.sub(code, lambda match: blank(match[0]), text)
    return text


def source_prose(path: pathlib.Path, text: str) -> str:
    """The comments and string literals of a source; the code between them is blank.

    Comments on consecutive lines, and literals that only white space separates, are one text.
    """
    parts, end = [], 0
    for token in tokens(path, text):
        between = text[end : token.start]
        joins = re.fullmatch(r'["\s]*|\s*(?://|#)', between)
        parts.append(re.sub(r"[^\n]", " ", between) if joins else blank(between))
        parts.append(token.text)
        end = token.end
    return "".join(parts) + blank(text[end:])


def long_lines(text: str) -> list[int]:
    numbers, inside = [], False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside and not line.startswith("|"):
            shown = re.sub(r"\]\([^)]*\)", "]", line)
            if len(shown) > LONGEST and " " in shown.strip():
                numbers.append(number)
    return numbers


def check(path: pathlib.Path, phrases: list[tuple[re.Pattern, str]]) -> list[str]:
    place = path.relative_to(ROOT)
    text = path.read_text()
    markdown = path.suffix == ".md"
    prose = markdown_prose(text) if markdown else source_prose(path, text)
    findings = []
    for pattern, advice in phrases:
        for match in pattern.finditer(prose):
            line = prose.count("\n", 0, match.start()) + 1
            phrase = " ".join(match[0].split())
            findings.append((line, f"{place}:{line}: {phrase}: {advice}"))
    if markdown:
        findings += [
            (line, f"{place}:{line}: line: longer than {LONGEST} characters; wrap it")
            for line in long_lines(text)
        ]
    return [finding for _, finding in sorted(findings)]


def files_of(path: pathlib.Path) -> list[pathlib.Path]:
    if path.is_file():
        return [path]
    return [
        file
        for file in path.rglob("*")
        if file.suffix in SOURCES | {".md"} or file.name == "CMakeLists.txt"
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Checks that texts are plain technical English."
    )
    parser.add_argument(
        "--paths", nargs="+", metavar="PATH", help="files and folders (default: all)"
    )
    parser.add_argument("--markdown", action="store_true", help="only Markdown files")
    options = parser.parse_args()
    paths = [pathlib.Path(path).resolve() for path in options.paths or []]
    if not paths:
        paths = [ROOT / path for path in PATHS] + list(ROOT.glob("*.md"))
    for path in paths:
        if not path.exists():
            parser.error(f"{path} does not exist")
    files = {file for path in paths for file in files_of(path)}
    files -= {ROOT / name for name in GENERATED | SKIPPED}
    if options.markdown:
        files = {file for file in files if file.suffix == ".md"}
    phrases = compile_phrases()
    findings = [line for file in sorted(files) for line in check(file, phrases)]
    print(
        "\n".join(findings)
        if findings
        else f"language: {len(files)} files, no findings"
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
