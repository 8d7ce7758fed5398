#!/usr/bin/env python3
"""Writes the examples of headers into one C++ source, which the tests compile.

An example is what is indented by three or more spaces in the comment at the top of a header:

    // Reads a model.
    //
    //   Model model = load_model("resnet20.onnx");

A paragraph that begins with a class or a function definition is compiled in a namespace of the header, every other
one as statements of one function. Both see namespace lpot and the names of tests/support/example_context.h. Compiler
errors name the line of the header. Not compiled:

    //   $ lpot tune conf.yaml         a shell command
    //   | d = max|x| / max|w|         anything else: a formula, a message, a drawing
    // - an item of a list that goes
    //   on in the next line

usage: header_examples.py --root FOLDER --output FILE HEADER...
"""

import argparse
import pathlib
import re

INDENTED = re.compile(r"//   +\S")
LIST_ITEM = re.compile(r"// (?:-|\d+\.) ")
NOT_CODE = re.compile(r"//   +[$|] ")
DEFINITION = re.compile(
    r"(?:class|struct|enum|template|using|namespace)\b"
    r"|(?!(?:if|for|while|switch|do|else|return)\b)[A-Za-z_][\w:<>,*& ]* \**&*\w+\([^=]*\)(?: const| override)* \{"
)


def top_comment(header):
    """The lines of the comment at the top, with their numbers."""
    for number, line in enumerate(header.read_text().splitlines(), 1):
        if not line.startswith("//"):
            return
        yield number, line


def paragraphs(header):
    """The paragraphs of the example: lists of (number, code). Code stays in the columns that it has in the header."""
    found, current, in_list = [], [], False
    for number, line in top_comment(header):
        if INDENTED.match(line) and not in_list:
            if not NOT_CODE.match(line):
                current.append((number, "  " + line[2:]))
            continue
        in_list = LIST_ITEM.match(line) is not None or (
            in_list and INDENTED.match(line) is not None
        )
        if current:
            found.append(current)
            current = []
    return found + [current] if current else found


def is_definition(paragraph):
    return DEFINITION.match(paragraph[0][1].strip()) is not None


def code(paragraph, header):
    lines = [f'#line {paragraph[0][0]} "{header}"']
    for (number, text), following in zip(paragraph, paragraph[1:] + [None]):
        lines.append(text)
        if following and following[0] != number + 1:
            lines.append(f'#line {following[0]} "{header}"')
    return lines


def example(header, root):
    """The source of one header's example; empty without one."""
    found = paragraphs(header)
    if not found:
        return []
    parts = header.relative_to(root).with_suffix("").parts[1:]
    folder = [f"in_{parts[0]}"] if len(parts) > 1 else []
    name = re.sub(r"\W", "_", "_".join(parts[len(folder) :])) + "_h"
    lines = [f"namespace {'::'.join(['lpot', 'examples', *folder, name])} {{"]
    for paragraph in filter(is_definition, found):
        lines += code(paragraph, header)
    statements = [paragraph for paragraph in found if not is_definition(paragraph)]
    if statements:
        lines.append("void statements() {")
        for paragraph in statements:
            lines += code(paragraph, header)
        lines.append("}")
    return [*lines, "}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("headers", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()

    includes, examples = ['#include "tests/support/example_context.h"'], []
    for header in sorted(arguments.headers):
        lines = example(header, arguments.root)
        if lines:
            includes.append(f'#include "{header.relative_to(arguments.root)}"')
            examples += ["", *lines]
    arguments.output.write_text("\n".join([*includes, *examples]) + "\n")


if __name__ == "__main__":
    main()
