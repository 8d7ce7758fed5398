"""The lines of the README, and what they print."""

import logging
import re

import torch
from conftest import ROOT

import lpot


def shape(line: str) -> str:
    """A line without what differs from run to run: numbers, their alignment, which way a comparison went."""
    line = re.sub(r"[-+]?\d[\d.]*", "#", line)
    return re.sub(r"\s+|-+", " ", line).replace("slower", "faster")


def test_the_ten_lines(in_own_folder, caplog):
    caplog.set_level(logging.INFO, "lpot")
    (code, output) = re.search(
        r"```python\n(.*?)```\n```text\n(.*?)```",
        (ROOT / "README.md").read_text(),
        re.DOTALL,
    ).groups()
    lines = [line for line in code.splitlines() if line and "import" not in line]
    assert len(lines) <= 10
    space: dict = {}
    exec(compile(code, "README.md", "exec"), space)
    assert space["q_model"].result["goal_met"]
    x = space["loader"][0][0]
    assert torch.equal(lpot.load("int8")(x), space["q_model"](x))
    printed = iter(shape(line) for line in "\n".join(caplog.messages).splitlines())
    for line in output.splitlines():
        assert shape(line) in printed, line  # in this order
