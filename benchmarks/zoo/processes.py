"""Processes with a time limit, their peak memory, and stored results."""

import dataclasses
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from download import sha256

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from stored_results import log, read_json, write_json  # noqa: E402, F401


class Failure(Exception):
    pass


@dataclasses.dataclass
class Finished:
    output: str
    errors: str
    seconds: float
    memory: float  # peak, MB


def digest(*parts: object) -> str:
    return hashlib.sha256("\0".join(str(p) for p in parts).encode()).hexdigest()[:16]


def hash_of(path: pathlib.Path) -> str:
    """Of a model: all files of a folder, or the file and its weights beside it."""
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.is_file())
    else:
        beside = [path.with_suffix(s) for s in (".bin", ".pdiparams")]
        files = [path, *(p for p in beside if p.exists() and p != path)]
    return digest(*(sha256(p) for p in files))


def run_child(command: list, seconds: float, given: str = "") -> Finished:
    """Runs a command in a process group and an empty folder, with a time limit. Raises Failure with the reason."""
    words = [str(word) for word in command]
    environment = os.environ | {
        "OMP_NUM_THREADS": "2",
        "PYTHONWARNINGS": "ignore",
        "LPOT_FORM_MEMORY": "off",  # the time to quantize is that of a first time
    }
    start = time.monotonic()
    # ONNX Runtime leaves files in the current folder.
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True,
            start_new_session=True, cwd=folder,
        )  # fmt: skip
        try:
            output, errors = process.communicate(given, timeout=seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise Failure(f"no result after {seconds:g} s") from None
            raise
    if process.returncode != 0:
        raise Failure(reason(errors, process.returncode))
    return Finished(output, errors, time.monotonic() - start, 0)


def measure_child(command: list, seconds: float) -> Finished:
    """run_child with the peak memory, which a small process in between reads when the command ends."""
    script = (
        "import json, resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
        "usage = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([done.returncode, done.stdout, done.stderr, usage.ru_maxrss / 1024]))\n"
    )
    done = run_child([sys.executable, "-c", script, *command], seconds)
    code, output, errors, memory = json.loads(done.output)
    if code != 0:
        raise Failure(reason(errors, code))
    return Finished(output, errors, done.seconds, memory)


def reason(errors: str, code: int) -> str:
    lines = [line for line in errors.strip().splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("lpot: [")]
    if own:
        return own[-1].removeprefix("lpot: ")
    return lines[-1][-300:] if lines else f"exit code {code}"
