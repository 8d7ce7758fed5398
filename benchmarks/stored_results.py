"""Results of benchmarks as JSON files, their keys, and lines of a log with the time."""

import hashlib
import json
import os
import pathlib
import sys
import time


def digest(*parts: str | bytes | pathlib.Path) -> str:
    """A key of texts and contents of files."""
    value = hashlib.sha256()
    for part in parts:
        content = part.read_bytes() if isinstance(part, pathlib.Path) else part
        value.update(content.encode() if isinstance(content, str) else content)
        value.update(b"\0")
    return value.hexdigest()[:16]


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
