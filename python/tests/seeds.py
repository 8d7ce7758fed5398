"""The code and configurations of the seed documents, taken out of the documents themselves."""

import os
import pathlib
import re
import textwrap

_ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("LPOT_SEEDS", _ROOT / ".." / "shared" / "seeds"))


def snippet(number: str, holding: str) -> str:
    """The one fenced block of the document `number` (000, ...) that holds this text."""
    (document,) = FOLDER.glob(f"{number}_*.txt")
    blocks = re.findall(
        r"^[ ]*```\w*\n(.*?)^[ ]*```", document.read_text(), re.DOTALL | re.MULTILINE
    )
    (found,) = [block for block in blocks if holding in block]
    return textwrap.dedent(found)


def run(code: str, **names) -> dict:
    """Runs a snippet with these names defined, and gives all names afterwards."""
    space = dict(names)
    exec(compile(code, "seed", "exec"), space)
    return space
