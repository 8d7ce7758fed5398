#!/usr/bin/env python3
"""Collects the pages of the documentation site in build-docs/.

    make docs

The folder has the layout of the repository: all pages of mkdocs.yml, the files that they link to, and two generated
pages. api/python.md is written from the docstrings of python/lpot, api/cpp.md from the top comments of the public
headers. `mkdocs build --strict` then fails if a link or an anchor does not exist.
"""

import ast
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "build-docs"
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
PAGE = re.compile(r"^ +- (?:[^:\n]+: |Start: )([\w./-]+\.md)$", re.MULTILINE)
# Modules whose public names are on the page, in this order.
MODULES = [
    ("lpot", ["api.py", "result.py", "saved.py", "errors.py"]),
    ("lpot.metric", ["metric/__init__.py"]),
    ("lpot.data", ["data/__init__.py", "data/dataloader.py"]),
    ("lpot.strategy", ["strategy.py"]),
    ("lpot.experimental", ["experimental/quantization.py", "experimental/benchmark.py", "experimental/common.py"]),
    ("lpot.quantization", ["quantization.py"]),
    ("lpot.benchmark", ["benchmark.py"]),
]  # fmt: skip
STYLE = """.md-grid { max-width: 84rem; }
.md-typeset table:not([class]) th, .md-typeset table:not([class]) td { padding: 0.5em 0.7em; min-width: 4rem; }
"""
# Public by their name, but only used inside the package.
INTERNAL = {"Folder", "INFO", "replace_file", "write_info", "load_program", "infer", "MetricFactory",
            "postprocess_arrays", "as_sample", "default_collate", "metric_factory", "LibraryTransform"}  # fmt: skip


def pages() -> list[str]:
    return PAGE.findall((ROOT / "mkdocs.yml").read_text())


def copy(path: pathlib.Path) -> None:
    target = TARGET / path.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def copy_pages() -> None:
    """Copies all pages, and the files that they link to. A link to a missing file is left for mkdocs to report."""
    for name in pages():
        path = ROOT / name
        if not path.exists():
            continue  # api/*.md, or an error that mkdocs reports
        copy(path)
        for link in LINK.findall(path.read_text()):
            linked = (path.parent / link).resolve()
            if linked.is_file() and linked.suffix != ".md":
                copy(linked)
    # Links to folders work on a git host. On the site, they lead to the README of the folder.
    for page in TARGET.rglob("*.md"):
        page.write_text(LINK.sub(lambda found: to_page(page, found), page.read_text()))


def to_page(page: pathlib.Path, found: re.Match[str]) -> str:
    readme = ROOT / page.parent.relative_to(TARGET) / found[1] / "README.md"
    if not readme.exists() or found[1].endswith(".md"):
        return found[0]
    return found[0].replace(found[1], f"{found[1].rstrip('/')}/README.md")


def text_of(docstring: str) -> str:
    """Converts a docstring to Markdown: sections become bold lines, arguments a list, indented code a block."""
    lines: list[str] = []
    section = ""
    for line in docstring.splitlines():
        heading = re.fullmatch(r"(Args|Returns|Raises|Example):", line.strip())
        argument = re.match(r"    (\w[\w.]*): (.*)", line)
        if heading and not line.startswith(" "):
            section = heading[1]
            lines += ["", f"**{'Arguments' if section == 'Args' else section}**", ""]
        elif section in ("Args", "Raises") and argument:
            lines.append(f"- `{argument[1]}`: {argument[2]}")
        elif section in ("Args", "Raises", "Returns"):
            lines.append("  " + line.strip() if section != "Returns" else line.strip())
        else:
            lines.append(line)
    return "\n".join(lines)


def signature(node: ast.FunctionDef, name: str, is_method: bool) -> str:
    arguments = ast.parse(f"def f({ast.unparse(node.args)}): ...").body[0]
    assert isinstance(arguments, ast.FunctionDef)
    if is_method and arguments.args.args and arguments.args.args[0].arg == "self":
        arguments.args.args.pop(0)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    plain = f"{name}({ast.unparse(arguments.args)}){returns}"
    if len(plain) <= 100:
        return plain
    parts = re.split(r", (?![^\[]*\])", ast.unparse(arguments.args))
    return f"{name}(\n    " + ",\n    ".join(parts) + f",\n){returns}"


def documented(node: ast.AST) -> str:
    assert isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module))
    return text_of(ast.get_docstring(node) or "")


def function_lines(node: ast.FunctionDef, owner: str, level: str) -> list[str]:
    is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)  # fmt: skip
    if is_property:
        returns = f": {ast.unparse(node.returns)}" if node.returns else ""
        code = f"{node.name}{returns}"
    else:
        code = signature(node, node.name, bool(owner))
    return [f"{level} {node.name}", "", "```python", code, "```", "", documented(node), ""]  # fmt: skip


def class_lines(node: ast.ClassDef) -> list[str]:
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    lines = [f"### {node.name}", "", "```python", f"class {node.name}({bases})" if bases else f"class {node.name}"]  # fmt: skip
    lines += ["```", "", documented(node), ""]
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            lines += function_lines(member, node.name, "####")
    return lines


def is_public(name: str) -> bool:
    return not name.startswith("_") and name not in INTERNAL


def python_page() -> str:
    lines = ["# Python API", "", "Written by `make docs` from the docstrings. [Python](../docs/python.md) is the tutorial.", ""]  # fmt: skip
    for module, files in MODULES:
        lines += [f"## {module}", ""]
        for file in files:
            for node in ast.parse((ROOT / "python/lpot" / file).read_text()).body:
                if isinstance(node, ast.ClassDef) and is_public(node.name):
                    lines += class_lines(node)
                elif isinstance(node, ast.FunctionDef) and is_public(node.name):
                    lines += function_lines(node, "", "###")
    return "\n".join(lines)


def comment_text(header: pathlib.Path) -> str:
    """Converts the comment at the top of a header to Markdown. Text that is indented by three spaces is code."""
    lines: list[str] = []
    in_code = False
    in_list = False
    for line in header.read_text().splitlines():
        if not line.startswith("//"):
            break
        text = line[3:]
        in_list = bool(re.match(r"- |\d+\. ", text)) or (
            in_list and text.startswith("  ")
        )
        is_code = text.startswith("  ") and not in_list
        if is_code != in_code and (is_code or text):
            lines += ["", "```cpp"] if is_code else ["```", ""]
            in_code = is_code
        lines.append(text[2:] if is_code else text)
    return "\n".join([*lines, "```"] if in_code else lines)


def declarations(header: pathlib.Path) -> str:
    """Returns the header after its comment and includes."""
    code = header.read_text().split("#pragma once\n")[1]
    kept = [line for line in code.splitlines() if not line.startswith("#include")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def cpp_page() -> str:
    public = (ROOT / "lpot/lpot.h").read_text()
    lines = ["# C++ API", "", "Written by `make docs` from the public headers.", "", comment_text(ROOT / "lpot/lpot.h"), ""]  # fmt: skip
    for line in public.split("#pragma once\n")[1].splitlines():
        included = re.match(r'#include "(.*)"', line)
        if line.startswith("// "):
            lines += [f"## {line[3:].rstrip('.')}", ""]
        elif included:
            header = ROOT / included[1]
            lines += [f"### {included[1]}", "", comment_text(header), ""]
            lines += ['??? note "Declarations"', "", "    ```cpp"]
            lines += [
                f"    {code}".rstrip() for code in declarations(header).splitlines()
            ]
            lines += ["    ```", ""]
    return "\n".join(lines)


def main() -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir()
    copy_pages()
    # The tables of benchmarks need more columns than the theme's default width.
    (TARGET / "wide.css").write_text(STYLE)
    (TARGET / "api").mkdir()
    (TARGET / "api/python.md").write_text(python_page())
    (TARGET / "api/cpp.md").write_text(cpp_page())


if __name__ == "__main__":
    main()
