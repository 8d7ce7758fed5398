"""Runs the Python examples of the README and checks their output."""

import logging
import re

import torch
from conftest import ROOT

import lpot


def shape(line: str) -> str:
    """Replaces numbers and alignment, which differ between runs, and the precision, which depends on the CPU."""
    line = re.sub(r"\b(bf16|fp16)\b", "int8", line).replace("trials", "trial")
    line = re.sub(r"[-+]?\d[\d.]*", "#", line)
    return re.sub(r"\s+|-+", " ", line)


LATENCY = re.compile(
    r"latency, batch 1 +([\d.]+) ms +([\d.]+) ms +([\d.]+) x (faster|slower)"
    r"( \([\d.]+-[\d.]+\))?"
)


def latencies_agree(line: str) -> bool:
    """Whether the ratio and the word in a latency row agree with its latencies, which are rounded to 0.001 ms."""
    found = LATENCY.fullmatch(line)
    if not found:
        return False
    fp32, int8, ratio = (float(found[i]) for i in (1, 2, 3))
    slow, fast = (fp32, int8) if found[4] == "faster" else (int8, fp32)
    least, most = (slow - 0.0005) / (fast + 0.0005), (slow + 0.0005) / (fast - 0.0005)
    return ratio >= 1 and least - 0.005 <= ratio <= most + 0.005


def matches(printed: str, expected: str) -> bool:
    """Compares a line with the README. Which model is faster depends on the machine, so latency rows are checked alone."""
    if LATENCY.fullmatch(expected):
        return latencies_agree(printed)
    if expected.startswith(("best: ", "report: ")):
        return printed.startswith(expected.split(":")[0])
    return shape(printed) == shape(expected)


def examples() -> list[tuple[str, str]]:
    """Returns (code, output) of the examples: lpot.tune, and the lines of LPOT."""
    pattern = r"```python\n(.*?)```\n```text\n(.*?)```"
    return re.findall(pattern, (ROOT / "README.md").read_text(), re.DOTALL)


def test_tune_example_prints_the_documented_output(in_own_folder, capsys):
    code, output = examples()[0]
    space: dict = {}
    exec(compile(code, "README.md", "exec"), space)
    assert space["result"].goal_met
    x = space["loader"][0][0]
    assert torch.equal(lpot.load("int8")(x), space["result"].model(x))
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(output.splitlines())
    for line, expected in zip(printed, output.splitlines()):
        assert matches(line, expected), line


def test_lpot_example_prints_the_documented_output(in_own_folder, caplog):
    caplog.set_level(logging.INFO, "lpot")
    code, output = examples()[1]
    lines = [line for line in code.splitlines() if line and "import" not in line]
    assert len(lines) <= 10
    space: dict = {}
    exec(compile(code, "README.md", "exec"), space)
    assert space["q_model"].result["goal_met"]
    x = space["loader"][0][0]
    assert torch.equal(lpot.load("int8")(x), space["q_model"](x))
    printed = iter("\n".join(caplog.messages).splitlines())
    for line in output.splitlines():
        assert any(matches(each, line) for each in printed), line  # in this order
