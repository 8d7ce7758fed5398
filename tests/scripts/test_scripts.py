"""Tests of scripts/check_language.py and scripts/list_messages.py."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_language  # noqa: E402
import list_messages  # noqa: E402


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for module in (check_language, list_messages):
            self.addCleanup(setattr, module, "ROOT", module.ROOT)
            module.ROOT = self.folder

    def write(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def language(self, name: str, text: str) -> list[str]:
        found = check_language.check(
            self.write(name, text), check_language.compile_phrases()
        )
        return [finding.rsplit(":", 1)[0] for finding in found]


class Language(Checks):
    def test_finds_phrases_in_comments_and_literals_and_not_in_code(self):
        text = (
            'int anew = 1;  // made anew\nauto s = "all the same";\nint of_its_own;\n'
        )
        self.assertEqual(
            self.language("a.cpp", text), ["a.cpp:1: anew", "a.cpp:2: all the same"]
        )

    def test_finds_phrases_that_continue_on_the_next_line(self):
        self.assertEqual(
            self.language("a.cpp", "// it hangs\n// on times\n"), ["a.cpp:1: hangs on"]
        )
        self.assertEqual(
            self.language("b.cpp", 'f("it hangs "\n  "on");\n'), ["b.cpp:1: hangs on"]
        )
        self.assertEqual(
            self.language("a.py", '"""it hangs\non times"""\n'), ["a.py:1: hangs on"]
        )

    def test_ignores_inline_code_in_markdown(self):
        self.assertEqual(
            self.language("a.md", "`so many`\nso many\n"), ["a.md:2: so many"]
        )

    def test_finds_long_lines_outside_tables_code_blocks_and_link_targets(self):
        long = "word " * 30
        link = "[page](" + "x" * 120 + ") text"
        text = f"{long}\n| {long} |\n```\n{long}\n```\n{link}\n"
        self.assertEqual(self.language("a.md", text), ["a.md:1: line"])


class Messages(Checks):
    def messages(self, text: str) -> list[tuple[str, str]]:
        return [
            (each.head, each.text)
            for each in list_messages.cpp_messages(self.write("a.cpp", text))
        ]

    def test_joins_literals_and_replaces_values(self):
        text = 'throw DataError("npy", fmt::format("{}: no "\n "rows (a, b)", path));\n'
        self.assertEqual(self.messages(text), [("npy", "{}: no rows (a, b)")])
        self.assertEqual(
            self.messages('throw DataError(name_, "" + path + ": empty");'),
            [("{}", "{}: empty")],
        )

    def test_ignores_comments_and_declarations(self):
        self.assertEqual(
            self.messages(
                '// throw DataError("a", "b");\nError(std::string_view a, int b);\n'
            ),
            [],
        )

    def test_reads_log_lines_options_and_summaries(self):
        text = 'o.log(LogLevel::Info, "saved");\nv.add_flag("--x", x, "Print it");\nP{.summary = "a size"};\n'
        self.assertEqual(
            self.messages(text),
            [("info", "saved"), ("--x", "Print it"), ("", "a size")],
        )

    def test_finds_messages_that_break_a_rule(self):
        def faults(head: str, text: str) -> int:
            return len(
                list_messages.faults(
                    list_messages.Message("a", 1, "error", head, text), strict=True
                )
            )

        self.assertEqual(faults("load_model", "{}: no such file"), 0)
        self.assertEqual(faults("kernel variants", "OpenVINO failed"), 0)
        self.assertEqual(faults("", "no such file"), 1)
        self.assertEqual(faults("load, model", "no such file"), 1)
        self.assertEqual(faults("a", ""), 1)
        self.assertEqual(faults("a", "stop!"), 1)
        self.assertEqual(faults("a", "is it?"), 1)
        self.assertEqual(faults("a", "The file"), 1)


if __name__ == "__main__":
    unittest.main()
