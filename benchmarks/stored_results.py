"""Results of benchmarks as JSON files, and lines of a log with the time."""

import json
import os
import pathlib
import sys
import time


def read_json(path: pathlib.Path) -> dict | None:
    return json.loads(path.read_text()) if path.exists() else None


def write_json(path: pathlib.Path, value: object) -> None:
    """An interrupted write leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps(value, indent=1) + "\n")
    temporary.rename(path)


def log(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)
