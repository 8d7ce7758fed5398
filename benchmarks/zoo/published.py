"""Results that are part of the project: benchmarks/zoo/results/CLASS.json, one line per model.

Measuring all models takes hours, so they are not all measured on one machine. `--write` adds the results below
BUILD/zoo to these files; a newer result of a model replaces the older one. The page docs/zoo.md shows the files.

    results = published.merged("own", measured)   # by model, in the order of the table of models
"""

import json
import pathlib
import re

from models import MODELS

FOLDER = pathlib.Path(__file__).resolve().parent / "results"
# What identifies files of one machine.
PRIVATE = ("key", "keys", "model", "warnings")


def without_folders(text: str) -> str:
    """Messages contain the paths of the machine that measured."""
    return re.sub(r"/[^\s:'\"]*/", "", text)


def portable(value: object) -> object:
    if isinstance(value, dict):
        return {k: portable(v) for k, v in value.items() if k not in PRIVATE}
    if isinstance(value, list):
        return [portable(v) for v in value]
    return without_folders(value) if isinstance(value, str) else value


def path_of(cpu_class: str) -> pathlib.Path:
    return FOLDER / f"{cpu_class.lower()}.json"


def merged(cpu_class: str, measured: dict[str, dict]) -> dict[str, dict]:
    path = path_of(cpu_class)
    known = json.loads(path.read_text()) if path.exists() else {}
    results = known | {name: portable(result) for name, result in measured.items()}
    return {name: results[name] for name in MODELS if name in results}


def write(cpu_class: str, results: dict[str, dict]) -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(r)}" for name, r in results.items()]
    FOLDER.mkdir(exist_ok=True)
    path_of(cpu_class).write_text("{\n" + ",\n".join(lines) + "\n}\n")
