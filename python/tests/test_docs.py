"""Runs the Python code blocks of docs/, and compares the example with its README."""

import re

import pytest
from conftest import ROOT

PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if "```python" in page.read_text()]  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_blocks_run(page, in_own_folder):
    space: dict = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        exec(compile(block, page.name, "exec"), space)
    assert (in_own_folder / "lpot_workspace").is_dir()


def test_there_are_pages_with_python():
    assert "python" in [page.stem for page in PAGES]
