"""Tests of scripts/lint.py, nightly.py, coverage.py and lock_wheels.py."""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import coverage  # noqa: E402
import lint  # noqa: E402
import lock_wheels  # noqa: E402
import nightly  # noqa: E402


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def patch(self, module, name: str, value) -> None:
        patcher = mock.patch.object(module, name, value)
        patcher.start()
        self.addCleanup(patcher.stop)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Lint(Folder):
    def setUp(self):
        super().setUp()
        self.patch(lint, "ROOT", self.root)
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("lpot/a.h", "")
        self.write("lpot/a.cpp", '#include "lpot/a.h"\n')
        self.write("lpot/b.cpp", '#include "lpot/a.h"\n')
        self.write("python/src/c.h", "")
        self.write("python/src/c.cpp", '#include "c.h"\n')
        self.write("examples/d.cpp", "")
        self.commit()

    def git(self, *words: str) -> None:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        subprocess.run(["git", *identity, *words], cwd=self.root, check=True)

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Change")

    def test_changed_files_are_those_of_the_branch_and_of_the_working_tree(self):
        self.git("checkout", "--quiet", "-b", "branch")
        self.write("lpot/a.h", "// committed\n")
        (self.root / "examples/d.cpp").unlink()
        self.commit()
        self.write("lpot/b.cpp", "// not committed\n")
        self.assertEqual(lint.tracked_files("main"), ["lpot/a.h", "lpot/b.cpp"])
        self.assertEqual(len(lint.tracked_files(None)), 5)

    def test_a_changed_header_is_checked_with_one_source_that_includes_it(self):
        self.assertEqual(lint.sources_to_tidy(["lpot/a.h"]), ["lpot/a.cpp"])
        self.assertEqual(lint.sources_to_tidy(["python/src/c.h"]), ["python/src/c.cpp"])
        files = ["lpot/a.h", "lpot/b.cpp"]
        self.assertEqual(lint.sources_to_tidy(files), ["lpot/b.cpp"])

    def test_sources_that_the_build_does_not_compile_are_left_out(self):
        self.assertEqual(lint.sources_to_tidy(["examples/d.cpp"]), [])


class Nightly(Folder):
    PARTS = {
        "bad": ["sh", "-c", "echo broken; exit 3"],
        "good": ["true"],
        "never": ["false"],
    }

    def run_nightly(self, *words: str) -> tuple[int, str]:
        self.patch(nightly, "LOGS", self.root / "logs")
        self.patch(nightly, "PARTS", self.PARTS)
        target = self.root / "summary.md"
        command = ["nightly.py", *words, "--summary", str(target)]
        with (
            mock.patch.object(sys, "argv", command),
            contextlib.redirect_stdout(io.StringIO()),
            self.assertRaises(SystemExit) as end,
        ):
            nightly.main()
        return end.exception.code, target.read_text()

    def test_continues_after_a_failure_and_shows_its_last_lines(self):
        code, text = self.run_nightly("--parts", "bad", "good")
        self.assertEqual(code, 1)
        self.assertIn("Failed: bad.", text)
        self.assertRegex(text, r"\| bad \| .* \| failed, exit code 3 \|")
        self.assertRegex(text, r"\| good \| `true` \| passed \|")
        self.assertIn("```text\nbroken\n```", text)
        self.assertNotIn("never", text)

    def test_succeeds_if_all_parts_do(self):
        code, text = self.run_nightly("--parts", "good")
        self.assertEqual(code, 0)
        self.assertIn("All parts passed.", text)

    def test_every_part_is_a_target_of_make(self):
        for command in nightly.PARTS.values():
            dry = subprocess.run(
                ["make", "-n", *command[1:]], cwd=ROOT, capture_output=True, check=False
            )
            self.assertEqual(dry.returncode, 0, dry.stderr)


class Coverage(unittest.TestCase):
    def test_lists_the_least_covered_files_and_the_total(self):
        def file(name: str, total: int, covered: int) -> dict:
            return {
                "filename": name,
                "line_total": total,
                "line_covered": covered,
                "line_percent": 100 * covered / total,
            }

        files = [file("a", 100, 90), file("b", 100, 20), file("tiny", 2, 0)]
        text = coverage.report(files, least=1)
        self.assertTrue(text.startswith("54.5% of 202 lines in 3 files"))
        self.assertIn("| `b` | 20.0% | 80 |", text)
        self.assertNotIn("`a`", text)
        self.assertNotIn("tiny", text)
        with self.assertRaisesRegex(SystemExit, "run the tests first"):
            coverage.report([], least=1)


class LockWheels(Folder):
    def test_rows_of_other_requirement_files_stay(self):
        self.patch(lock_wheels, "SCRIPTS", self.root)
        self.write("requirements.txt", "direct==1\n")
        self.write("requirements-new.txt", "other==1\n")
        lines = "# comment\ndirect==1 --hash=x\nshared==1 --hash=x\nold==1 --hash=x\n"
        self.write("locked/requirements.txt", lines)
        table = "| old | MIT | direct |\n| shared | MIT | direct |\n| gone | MIT | direct |\n"
        rows = lock_wheels.with_other_files(
            ["| shared | MIT | other |\n"], table, ["requirements-new.txt"]
        )
        expected = ["| old | MIT | direct |\n", "| shared | MIT | direct, other |\n"]
        self.assertEqual(rows, expected)


if __name__ == "__main__":
    unittest.main()
