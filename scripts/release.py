#!/usr/bin/env python3
"""Creates a release in dist/: `make release`.

    scripts/release.py          source archive, notes and checksums for the wheels of `make wheel`
    GPG_KEY=KEY make release    also signs the checksums

The version is that of lpot/core/version.h. The notes are its section of CHANGELOG.md.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read_version(root: pathlib.Path) -> str:
    text = (root / "lpot/core/version.h").read_text()
    found = re.search(r'kVersion = "([^"]+)"', text)
    if not found:
        sys.exit("lpot/core/version.h: no kVersion")
    return found.group(1)


def read_notes(changelog: str, version: str) -> str:
    """Returns the section of a version, without its heading."""
    found = re.search(
        rf"(?ms)^## {re.escape(version)}(?=\s)[^\n]*\n(.*?)(?=^## |\Z)", changelog
    )
    if not found or not found.group(1).strip():
        sys.exit(
            f"release: CHANGELOG.md has no section '## {version}', or it is empty; write it, or correct lpot/core/version.h"
        )
    return f"# lpot {version}\n\n{found.group(1).strip()}\n"


def check_committed(root: pathlib.Path) -> None:
    command = ["git", "status", "--porcelain", "--untracked-files=no"]
    changed = subprocess.run(
        command, cwd=root, check=True, capture_output=True, text=True
    )
    if changed.stdout:
        sys.exit(
            "release: these files differ from the last commit, so the wheels would differ from the source archive; "
            f"commit them first:\n{changed.stdout}"
        )


def write_archive(root: pathlib.Path, dist: pathlib.Path, version: str) -> None:
    name = f"lpot-{version}"
    command = ["git", "archive", "--format=tar.gz", f"--prefix={name}/"]
    command += [f"--output={dist / name}.tar.gz", "HEAD"]
    subprocess.run(command, cwd=root, check=True)


def write_checksums(dist: pathlib.Path, version: str) -> pathlib.Path:
    """Writes SHA256SUMS of the files of this version. `sha256sum --check` reads it."""
    files = [*dist.glob(f"lpot-{version}[.-]*"), dist / "RELEASE_NOTES.md"]
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(files)
    ]
    sums = dist / "SHA256SUMS"
    sums.write_text("".join(lines))
    return sums


def sign(sums: pathlib.Path, key: str) -> None:
    command = ["gpg", "--batch", "--yes", "--armor", "--detach-sign"]
    subprocess.run([*command, "--local-user", key, str(sums)], check=True)


def make_release(root: pathlib.Path, key: str) -> list[pathlib.Path]:
    """Returns the files of the release."""
    dist, version = root / "dist", read_version(root)
    notes = read_notes((root / "CHANGELOG.md").read_text(), version)
    if not list(dist.glob(f"lpot-{version}-*.whl")):
        sys.exit(f"release: dist/ has no wheel of version {version}; run make wheel")
    check_committed(root)
    write_archive(root, dist, version)
    (dist / "RELEASE_NOTES.md").write_text(notes)
    sums = write_checksums(dist, version)
    # A signature of earlier checksums would not match these.
    sums.with_suffix(".asc").unlink(missing_ok=True)
    if key:
        sign(sums, key)
    names = [line.split()[1] for line in sums.read_text().splitlines()]
    return [dist / name for name in names] + sorted(dist.glob("SHA256SUMS*"))


def main() -> None:
    for path in make_release(ROOT, os.environ.get("GPG_KEY", "")):
        print(f"release: dist/{path.name}, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
