"""Finds the comments and string literals of C++, JavaScript, Python, shell and CMake files.

Used by check_language.py and list_messages.py:

    for token in tokens(pathlib.Path("lpot/core/file.cpp")):
        print(token.kind, token.text)    # "comment" or "string", without slashes, hashes and quotes
"""

import dataclasses
import io
import pathlib
import re
import tokenize

CPP = re.compile(
    r"""(?P<raw>R"(?P<mark>\w*)\((?P<raw_text>.*?)\)(?P=mark)")
      | "(?P<string>(?:\\.|[^"\\\n])*)"
      | (?P<letter>(?<!\w)'(?:\\.|[^'\\\n])+')
      | //(?P<line>[^\n]*)
      | /\*(?P<block>.*?)\*/""",
    re.DOTALL | re.VERBOSE,
)
SCRIPT = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*"|'[^']*')|(?:^|(?<=\s))\#(?P<line>[^\n]*)""",
    re.DOTALL | re.VERBOSE,
)


@dataclasses.dataclass
class Token:
    kind: str  # "comment" or "string"
    start: int  # offset of the text in the file
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def cpp_tokens(text: str) -> list[Token]:
    found = []
    for match in CPP.finditer(text):
        for group, kind in (
            ("raw_text", "string"),
            ("string", "string"),
            ("line", "comment"),
            ("block", "comment"),
        ):
            if match[group] is not None:
                found.append(Token(kind, match.start(group), match[group]))
    return found


def python_tokens(text: str) -> list[Token]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start = starts[token.start[0] - 1] + token.start[1]
        if token.type == tokenize.COMMENT:
            found.append(Token("comment", start + 1, token.string[1:]))
        elif token.type == tokenize.STRING:
            opening = re.match(r"\w*('''|\"\"\"|'|\")", token.string)
            assert opening is not None
            quotes = len(opening[1])
            inner = token.string[opening.end() : -quotes]
            found.append(Token("string", start + opening.end(), inner))
    return found


def script_tokens(text: str) -> list[Token]:
    """Comments of shell scripts and CMake files. Strings are skipped, because most are commands."""
    return [
        Token("comment", match.start("line"), match["line"])
        for match in SCRIPT.finditer(text)
        if match["line"] is not None
    ]


def tokens(path: pathlib.Path, text: str | None = None) -> list[Token]:
    """The comments and string literals of a file, in order. Chooses the language by the file's name."""
    if text is None:
        text = path.read_text()
    if path.suffix == ".py":
        return python_tokens(text)
    if path.suffix in (".sh", ".cmake") or path.name in ("CMakeLists.txt", "Makefile"):
        return script_tokens(text)
    return cpp_tokens(text)
