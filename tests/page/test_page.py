"""The report and the dashboard in a real browser: python3 tests/page/test_page.py build/bin/lpot [FOLDER for pictures]"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import workspace
from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples/quickstart/fashion_cnn.onnx"
PROGRAM = pathlib.Path("build/bin/lpot")
PICTURES: pathlib.Path | None = None

# Fourteen trials that take a while each, so that there is something to watch.
CONFIG = """
model: {name: net}
quantization: {calibration: {sampling_size: 20}, recipes: {forms: plain}}
evaluation:
  accuracy:
    metric: {MSE: {compare_label: false}}
    iteration: 60
    dataloader:
      batch_size: 16
      dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}
      transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}
tuning:
  strategy: {name: random}
  accuracy_criterion: {absolute: 0}
  exit_policy: {max_trials: 14}
  workspace: {path: live}
"""

COUNT = "document.querySelectorAll('{}').length"


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.browser = self.enterContext(Browser())

    def picture(self, name: str) -> None:
        if PICTURES:
            self.browser.screenshot(PICTURES / f"{name}.png")

    def count(self, selector: str) -> int:
        return self.browser.run(COUNT.format(selector))

    def report(self, trials: int, ops: int) -> pathlib.Path:
        made = self.folder / f"made{trials}"
        workspace.make_workspace(made, trials, ops)
        path = self.folder / f"report{trials}.html"
        subprocess.run([PROGRAM, "report", made, "--output", path], check=True)
        return path

    def expect_report(self, trials: int, ops: int) -> None:
        path = self.report(trials, ops)
        self.assertLess(path.stat().st_size, 3_000_000)
        for dark in (False, True):
            start = time.monotonic()
            self.browser.open(path.as_uri(), dark=dark)
            print(
                f"{trials} trials, {ops} ops: {path.stat().st_size} bytes, opened in {time.monotonic() - start:.2f} s"
            )
            failed = trials // 50 + (trials % 50 >= 25)
            self.assertEqual(
                self.count("#scatter .met, #scatter .missed"), trials - failed
            )
            self.assertEqual(self.count("#scatter .goal"), 2)
            self.assertEqual(self.count("#scatter .best-mark"), 1)
            self.assertGreaterEqual(self.count("#progress .step"), trials - failed)
            self.assertEqual(self.count("#strip g"), ops)
            self.assertEqual(self.count("#tensors svg"), 6)
            self.assertEqual(self.count("#trials tbody tr"), trials)
            # Of five ranked candidates, the first trial has one.
            self.assertEqual(self.count("#ranked tbody tr"), 4)
            self.assertIn(
                "0.9080 ± 0.002",
                self.browser.run("document.querySelector('#trials tbody').textContent"),
            )
            ranked = self.browser.run("document.querySelector('#ranked').textContent")
            for text in (
                "Ranked, not tried",
                "Recipes of all candidates: smooth_quant.",
                "activations: percentile; weights: minmax per channel",
                "0.9000 ± 0.004",
                "fast_bias_correction",
                "no int8 (fp32)",
                "distance 0.25",
            ):
                self.assertIn(text, ranked)
            self.assertGreaterEqual(self.count("#reasons tbody tr"), 2)
            self.assertEqual(self.count("#comparison #ranges"), 1)
            self.assertEqual(self.count("#reasons #noisiest"), 1)
            # None of the three trials of the small study is faster than its best one.
            self.assertEqual(self.count("#comparison #faster"), 0 if trials == 3 else 1)
            self.assertGreater(self.count("#compare tbody tr"), 0)
            self.assertIn(
                "lpot tune conf.yaml",
                self.browser.run("document.querySelector('#about pre').textContent"),
            )
            self.assertEqual(
                self.browser.run("getComputedStyle(document.body).backgroundColor"),
                "rgb(17, 17, 16)" if dark else "rgb(246, 246, 243)",
            )
            self.picture(f"report-{trials}-{'dark' if dark else 'light'}")
        # Names with markup in them are text.
        self.assertIsNone(self.browser.run("window.hacked"))
        self.assertEqual(self.count("main img, main script"), 0)
        self.assertIn(
            workspace.HOSTILE,
            self.browser.run("document.getElementById('title').textContent"),
        )
        # No number may have come out as NaN.
        self.assertEqual(
            self.browser.run(
                "document.getElementById('main').textContent.match(/NaN|undefined|\\[object/)"
            ),
            None,
        )
        self.assertEqual(self.browser.problems, [])

    def test_a_report_of_three_trials(self) -> None:
        self.expect_report(3, 12)

    def test_a_report_of_three_hundred_trials_of_two_hundred_ops(self) -> None:
        self.expect_report(300, 200)

    def test_the_theme_button_wins_over_the_system(self) -> None:
        self.browser.open(self.report(3, 12).as_uri(), dark=True)
        color = "getComputedStyle(document.body).backgroundColor"
        self.browser.run("document.getElementById('theme').click()")
        self.assertEqual(self.browser.run(color), "rgb(246, 246, 243)")
        self.browser.run("document.getElementById('theme').click()")
        self.assertEqual(self.browser.run(color), "rgb(17, 17, 16)")

    def test_the_dashboard_follows_a_tuning(self) -> None:
        (self.folder / "conf.yaml").write_text(CONFIG)
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder)}
        tuning = subprocess.Popen(
            [PROGRAM, "tune", "conf.yaml", "--model", MODEL, "--quiet"],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        self.addCleanup(lambda: (tuning.kill(), tuning.wait()))
        while (
            tuning.poll() is None and not (self.folder / "live/progress.json").exists()
        ):
            time.sleep(0.02)
        serving = subprocess.Popen(
            [PROGRAM, "serve", "live", "--port", "0", "--json"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
        )
        self.addCleanup(
            lambda: (
                serving.stdout.close(),
                serving.send_signal(signal.SIGTERM),
                serving.wait(),
            )
        )
        self.browser.open(json.loads(serving.stdout.readline())["address"])
        seen: list[int] = []
        progressed = False
        while True:
            ended = tuning.poll() is not None
            found = self.count("#trials tbody tr")
            if found and (not seen or found != seen[-1]):
                seen.append(found)
            progressed = progressed or self.count("progress") > 0
            if ended and seen and seen[-1] == 14 and self.count("#tensors svg"):
                break
            time.sleep(0.1)
        self.assertEqual(tuning.returncode, 3)
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(len(seen), 1, "the trials did not come one after the other")
        self.assertTrue(progressed)
        self.assertEqual(self.count("#scatter .met, #scatter .missed"), 14)
        self.picture("dashboard-light")
        self.assertGreaterEqual(self.count("#live a"), 3)
        size = "fetch('/files/model.bin').then(r => r.arrayBuffer()).then(b => b.byteLength)"
        self.assertEqual(
            self.browser.run(size), (self.folder / "live/best/model.bin").stat().st_size
        )
        self.browser.open(self.browser.run("location.href"), dark=True)
        while not self.count("#scatter svg"):
            time.sleep(0.05)
        self.picture("dashboard-dark")
        self.assertEqual(self.browser.problems, [])


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PICTURES = pathlib.Path(sys.argv.pop(1))
        PICTURES.mkdir(parents=True, exist_ok=True)
    unittest.main(verbosity=2)
