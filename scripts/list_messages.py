#!/usr/bin/env python3
"""Lists every message of lpot/, cli/ and python/, so that they can be read together.

    scripts/list_messages.py                  # all, sorted by file
    scripts/list_messages.py --kind error     # error, log, help or summary
    scripts/list_messages.py --check          # prints only messages that break a rule, and exits with 1 then
    scripts/list_messages.py --check --strict # counts messages that end with a question as well

Messages are
- error: XxxError(operation, message) in C++ and XxxError("[operation] message") in Python,
- log: log(LogLevel::..., message) in C++ and logger.warning(message) in Python,
- help: the texts of options and verbs of the command line,
- summary: `.summary = "..."` of keys and components, which `lpot reference` prints.

{} stands for a value that is not part of the text.

Rules of --check:
- The operation of an error is one to four words without punctuation.
- A message is not empty, has no exclamation mark and does not end with three dots (with --strict: nor with a question
  mark).
- An error, log line or summary begins with a lower-case letter, a value, or a name (a word with another capital letter,
  a digit, an underscore or a dot).
"""

import argparse
import ast
import dataclasses
import pathlib
import re
import sys

from source_text import cpp_tokens

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALL = re.compile(
    r"\b(?P<error>[A-Z]\w*Error|Error)\(|\blog\(\s*LogLevel::(?P<level>\w+)\s*,"
    r"|[.>](?P<option>add_option|add_flag|footer)\(|\b(?P<verb>add_verb)\(|\.summary =(?P<summary>)"
)
# Names that begin a message with one capital letter.
NAMES = {
    "OpenVINO",
    "TensorFlow",
    "PyTorch",
    "Python",
    "Paddle",
    "Keras",
    "Python's",
    "Open",
}
PYTHON_LEVELS = {"debug", "info", "warning", "error"}


@dataclasses.dataclass
class Message:
    file: str
    line: int
    kind: str  # error, log, help or summary
    head: str  # operation, level or option
    text: str


def arguments(text: str, start: int) -> list[str]:
    """The arguments of a call, or the elements of an initializer, that begin at `start`."""
    skip = {
        start + token.start: start + token.end
        for token in cpp_tokens(text[start : start + 4000])
    }
    parts, depth, begin, at = [], 0, start, start
    while at < len(text):
        at = skip.pop(at, at)
        letter = text[at]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return [*parts, text[begin:at]]


def literal_text(expression: str) -> str:
    """The text of an expression: literals joined, {} for everything else."""
    expression = expression.strip()
    if match := re.match(r"(?:fmt::)?format\(", expression):
        return literal_text(arguments(expression, match.end())[0])
    parts, end = [], 0
    for token in (token for token in cpp_tokens(expression) if token.kind == "string"):
        if re.sub(r'["\s+]|std::string\(|\)', "", expression[end : token.start]):
            parts.append("{}")
        parts.append(token.text)
        end = token.end
    if re.sub(r'["\s+)]', "", expression[end:]):
        parts.append("{}")
    return "".join(parts).replace('\\"', '"').replace("\\n", "\n")


def without_comments(text: str) -> str:
    for token in reversed(cpp_tokens(text)):
        if token.kind == "comment":
            blank = re.sub(r"[^\n]", " ", token.text)
            text = text[: token.start - 2] + "  " + blank + text[token.end :]
    return text


def cpp_messages(path: pathlib.Path) -> list[Message]:
    text = without_comments(path.read_text())
    inside = [(token.start, token.end) for token in cpp_tokens(text)]
    found = []
    for match in CALL.finditer(text):
        if any(start <= match.start() < end for start, end in inside):
            continue
        place = (str(path.relative_to(ROOT)), text.count("\n", 0, match.start()) + 1)
        given = arguments(text, match.end())
        if match["error"] and len(given) >= 2 and "std::string_view" not in given[0]:
            found.append(
                Message(*place, "error", literal_text(given[0]), literal_text(given[1]))
            )
        elif match["level"]:
            found.append(
                Message(*place, "log", match["level"].lower(), literal_text(given[0]))
            )
        elif match["option"] == "footer" or match["verb"]:
            texts = given if match["option"] else given[3:4]
            name = (
                "footer"
                if match["option"]
                else literal_text(given[2] if len(given) > 2 else "")
            )
            found += [
                Message(*place, "help", name, literal_text(each))
                for each in texts
                if '"' in each
            ]
        elif match["option"] and len(given) >= 3:
            found.append(
                Message(*place, "help", literal_text(given[0]), literal_text(given[2]))
            )
        elif match["summary"] is not None:
            found.append(Message(*place, "summary", "", literal_text(given[0])))
    return found


def python_text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(python_text(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return python_text(node.left) + python_text(node.right)
    return "{}"


def python_messages(path: pathlib.Path) -> list[Message]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else getattr(node.func, "id", "")
        )
        owner = getattr(getattr(node.func, "value", None), "id", "")
        place = (str(path.relative_to(ROOT)), node.lineno)
        text = python_text(node.args[0])
        if re.fullmatch(r"([A-Z]\w*)?Error", name) and (
            match := re.match(r"(?s)\[(.*?)\] (.*)", text)
        ):
            found.append(Message(*place, "error", match[1], match[2]))
        elif re.fullmatch(r"([A-Z]\w*)?Error", name):
            found.append(Message(*place, "error", "{}", text))
        elif owner in ("logger", "logging") and name in PYTHON_LEVELS:
            found.append(Message(*place, "log", name, text))
    return found


def all_messages() -> list[Message]:
    found = []
    for folder in ("lpot", "cli", "python/src"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".h", ".cpp"):
                found += cpp_messages(path)
    for folder in ("python/lpot", "python/ilit"):
        for path in (ROOT / folder).rglob("*.py"):
            found += python_messages(path)
    return sorted(found, key=lambda message: (message.file, message.line))


def begins_well(text: str) -> bool:
    """Whether it begins with a lower-case letter, a value, or a name."""
    word = re.split(r"\s", text, maxsplit=1)[0].rstrip(",:;.")
    if not word[:1].isupper() or word in NAMES:
        return True
    return bool(re.search(r"[A-Z0-9_./'*-]", word[1:]))


def faults(message: Message, strict: bool) -> list[str]:
    text = message.text.strip()
    found = []
    if not text:
        found.append("is empty")
    if "!" in re.sub(r"!=", "", text):
        found.append("has an exclamation mark")
    if strict and text.endswith("?"):
        found.append("ends with a question; state what to do")
    if text.endswith("..."):
        found.append("ends with dots")
    if message.kind in ("error", "log", "summary") and not begins_well(text):
        found.append("begins with a capital letter")
    if message.kind == "error" and not re.fullmatch(
        r"(?:[\w.-]+|\{\})(?: (?:[\w.-]+|\{\})){0,3}", message.head
    ):
        found.append(f"has the operation '{message.head}'; expected one to four words")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Lists the messages of the library, the command line and Python."
    )
    parser.add_argument(
        "--kind", choices=["error", "log", "help", "summary"], help="only this kind"
    )
    parser.add_argument(
        "--check", action="store_true", help="print only messages that break a rule"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="with --check: no message ends with a question",
    )
    options = parser.parse_args()
    messages = [each for each in all_messages() if options.kind in (None, each.kind)]
    broken = 0
    for message in messages:
        found = faults(message, options.strict) if options.check else []
        if options.check and not found:
            continue
        broken += bool(found)
        head = f"[{message.head}]" if message.kind == "error" else message.head
        print(
            f"{message.file}:{message.line}: {message.kind} {head} {message.text}".replace(
                "\n", "\\n"
            )
        )
        for fault in found:
            print(f"    {fault}")
    if options.check:
        print(f"messages: {len(messages)} read, {broken} break a rule")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
