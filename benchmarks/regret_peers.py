"""NNCF's accuracy control on the networks of regret.py, on the half of the data that models are selected on."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
from regret_networks import ROOT, Network
from stored_results import read_json, write_json

NNCF = "NNCF"
SECONDS = 600  # limit of one cell

sys.path.insert(0, str(ROOT / "benchmarks/peers"))
import networks as peers  # noqa: E402


class NoResult(Exception):
    """The reason is the message."""


class TimedOut(NoResult):
    pass


def data_folder(
    network: Network, build: pathlib.Path, work: pathlib.Path
) -> pathlib.Path:
    """The folder of peers/networks.py, with the selection half of its evaluation data."""
    whole = build / "peers" / network.peer
    if not (whole / "network.json").exists():
        script = ROOT / "benchmarks/peers/networks.py"
        subprocess.run([sys.executable, script, network.peer, whole.parent], check=True)
    folder = work / f"peers/{network.name}"
    if (folder / "network.json").exists():
        return folder
    shutil.copytree(whole / "calibration", folder / "calibration", dirs_exist_ok=True)
    batches = peers.load_batches(whole / "evaluation.npz")
    size = len(next(iter(batches[0].values())))
    rows = {
        name: np.concatenate([b[name] for b in batches])[0::2] for name in batches[0]
    }
    peers.save_batches(folder / "evaluation.npz", peers.in_batches(rows, size))
    np.save(folder / "labels.npy", np.load(whole / "labels.npy")[0::2])
    described = read_json(whole / "network.json")
    described["model"] = str(network.model)
    write_json(folder / "network.json", described)
    return folder


def control_accuracy(folder: pathlib.Path, output: pathlib.Path, goal: float) -> dict:
    """Writes OUTPUT/model.xml; returns seconds and evaluations."""
    script = ROOT / "benchmarks/peers/accuracy_control.py"
    command = [sys.executable, script, folder, output, str(goal)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise TimedOut(f"no result after {SECONDS // 60} minutes") from None
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or "").strip().splitlines()
        raise NoResult(
            lines[-1][:200] if lines else f"exit code {error.returncode}"
        ) from None
    return json.loads(re.findall(r"^\{.*\}$", done.stdout, re.MULTILINE)[-1])
