"""The lines of the README."""

import re

import torch
from conftest import ROOT

import lpot


def test_the_quick_start(in_own_folder):
    blocks = re.findall(
        r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL
    )
    (code,) = [block for block in blocks if "lpot.experimental" in block]
    space: dict = {}
    exec(compile(code, "README.md", "exec"), space)
    assert space["q_model"].result["goal_met"]
    x = space["loader"][0][0]
    assert torch.equal(lpot.load("int8")(x), space["q_model"](x))
