"""Extracts code and configurations from the seed documents."""

import os
import pathlib
import re
import textwrap

_ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("LPOT_SEEDS", _ROOT / ".." / "shared" / "seeds"))


def snippet(number: str, holding: str) -> str:
    """Returns the fenced block of document `number` (000, ...) that contains this text. There must be exactly one."""
    (document,) = FOLDER.glob(f"{number}_*.txt")
    blocks = re.findall(
        r"^[ ]*```\w*\n(.*?)^[ ]*```", document.read_text(), re.DOTALL | re.MULTILINE
    )
    (found,) = [block for block in blocks if holding in block]
    return textwrap.dedent(found)


def run(code: str, **names) -> dict:
    """Executes a snippet with these names defined, and returns all names afterwards."""
    space = dict(names)
    exec(compile(code, "seed", "exec"), space)
    return space
