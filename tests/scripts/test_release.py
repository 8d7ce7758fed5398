"""Tests of scripts/release.py, and of the one place that states the version.

tests/scripts/test_release.py BUILD    BUILD: the build folder, whose program and package are checked
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import release  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else ROOT / "build"


class Version(unittest.TestCase):
    version = release.read_version(ROOT)

    def test_program_and_cmake_package_have_the_version_of_the_header(self):
        command = [BUILD / "bin/lpot", "--version"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True)
        self.assertEqual(printed.stdout, f"lpot {self.version}\n")
        package = (BUILD / "lpotConfigVersion.cmake").read_text()
        self.assertIn(f'set(PACKAGE_VERSION "{self.version}")', package)

    def test_python_package_reads_the_header(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        self.assertEqual(project["project"]["dynamic"], ["version"])
        (source,) = project["tool"]["dynamic-metadata"]
        self.assertEqual(source["field"], "version")
        found = re.search(source["regex"], (ROOT / source["input"]).read_text())
        self.assertEqual(found["value"], self.version)

    def test_changelog_begins_with_the_version(self):
        newest = re.search(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text())
        self.assertEqual(newest[1], self.version)


class Notes(unittest.TestCase):
    CHANGELOG = "# Changelog\n\n## 1.10.0\n\n- ten\n\n## 1.1.0 (unreleased)\n\n- one\n\n### Part\n\n- two\n\n## 1.0.0\n"

    def test_notes_are_the_section_of_the_version(self):
        notes = release.read_notes(self.CHANGELOG, "1.1.0")
        self.assertEqual(notes, "# lpot 1.1.0\n\n- one\n\n### Part\n\n- two\n")
        notes = release.read_notes(self.CHANGELOG, "1.10.0")
        self.assertEqual(notes, "# lpot 1.10.0\n\n- ten\n")

    def test_missing_and_empty_sections_are_errors(self):
        for version in ("2.0.0", "1.0.0", "1.1"):
            with self.assertRaisesRegex(SystemExit, f"no section '## {version}'"):
                release.read_notes(self.CHANGELOG, version)


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "lpot/core").mkdir(parents=True)
        (self.root / "lpot/core/version.h").write_text('kVersion = "1.1.0";\n')
        (self.root / "CHANGELOG.md").write_text(Notes.CHANGELOG)
        (self.root / ".gitignore").write_text("/dist/\n")
        (self.root / "dist").mkdir()
        (self.root / "dist/lpot-1.1.0-cp311-cp311-linux.whl").write_text("new")
        (self.root / "dist/lpot-1.0.0-cp311-cp311-linux.whl").write_text("old")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Begin")

    def git(self, *words: str) -> None:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        subprocess.run(["git", *identity, *words], cwd=self.root, check=True)

    def check(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.root / "dist", check=True, capture_output=True, text=True
        )
        return done.stdout

    def test_contains_wheel_archive_notes_and_checksums(self):
        names = {path.name for path in release.make_release(self.root, "")}
        wheel = "lpot-1.1.0-cp311-cp311-linux.whl"
        expected = {wheel, "lpot-1.1.0.tar.gz", "RELEASE_NOTES.md", "SHA256SUMS"}
        self.assertEqual(names, expected)
        self.assertEqual(
            self.check("sha256sum", "--check", "SHA256SUMS").count(": OK\n"), 3
        )
        listed = self.check("tar", "-tzf", "lpot-1.1.0.tar.gz")
        self.assertIn("lpot-1.1.0/lpot/core/version.h", listed)

    def test_needs_a_wheel_of_the_version(self):
        (self.root / "dist/lpot-1.1.0-cp311-cp311-linux.whl").unlink()
        with self.assertRaisesRegex(SystemExit, "no wheel of version 1.1.0"):
            release.make_release(self.root, "")

    def test_needs_committed_files(self):
        (self.root / "CHANGELOG.md").write_text(Notes.CHANGELOG + "\nmore\n")
        with self.assertRaisesRegex(SystemExit, "M CHANGELOG.md"):
            release.make_release(self.root, "")

    @unittest.skipUnless(shutil.which("gpg"), "gpg is not installed")
    def test_signs_the_checksums_with_a_key(self):
        with tempfile.TemporaryDirectory() as home:
            old = os.environ.get("GNUPGHOME")
            os.environ["GNUPGHOME"] = home
            try:
                command = ["gpg", "--batch", "--quiet", "--passphrase", ""]
                command += ["--quick-generate-key", "release@example.org"]
                subprocess.run(command, check=True, capture_output=True)
                release.make_release(self.root, "release@example.org")
                self.check("gpg", "--verify", "SHA256SUMS.asc", "SHA256SUMS")
                release.make_release(self.root, "")
                self.assertFalse((self.root / "dist/SHA256SUMS.asc").exists())
            finally:
                subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)
                os.environ.pop("GNUPGHOME")
                if old:
                    os.environ["GNUPGHOME"] = old


if __name__ == "__main__":
    unittest.main()
