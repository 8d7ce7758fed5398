"""Drives Debian's chromium through its debugging pipe (DevTools protocol), with nothing but the standard library."""

import base64
import json
import os
import pathlib
import subprocess
import tempfile


class Browser:
    """with Browser() as browser: browser.open(url); browser.run("document.title")"""

    def __enter__(self) -> "Browser":
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        command = [
            "chromium",
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ]
        command += [
            "--hide-scrollbars",
            f"--user-data-dir={self._profile.name}",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        # The pipe's ends have to be descriptors 3 and 4 there.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._unread = b""
        self.problems: list[str] = []
        target = self._call(
            "Target.createTarget", {"url": "about:blank"}, session=None
        )["targetId"]
        self._session = None
        self._session = self._call(
            "Target.attachToTarget", {"targetId": target, "flatten": True}, session=None
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._profile.cleanup()

    def open(
        self, url: str, width: int = 1280, height: int = 900, dark: bool = False
    ) -> None:
        size = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": False,
        }
        self._call("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", {"features": [scheme]})
        self._loaded = False
        self._call("Page.navigate", {"url": url})
        while not self._loaded:
            self._take()

    def run(self, script: str) -> object:
        answer = self._call(
            "Runtime.evaluate",
            {"expression": script, "returnByValue": True, "awaitPromise": True},
        )
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self, path: pathlib.Path) -> None:
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {
            "x": 0,
            "y": 0,
            "width": size["width"],
            "height": min(size["height"], 6000),
            "scale": 1,
        }
        image = self._call(
            "Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True}
        )["data"]
        path.write_bytes(base64.b64decode(image))

    def _call(
        self, method: str, parameters: dict | None = None, session: str | None = "ours"
    ) -> dict:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._take()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def _take(self) -> dict:
        while b"\0" not in self._unread:
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise AssertionError("chromium ended")
            self._unread += piece
        text, self._unread = self._unread.split(b"\0", 1)
        message = json.loads(text)
        method, told = message.get("method", ""), message.get("params", {})
        self._loaded = (
            getattr(self, "_loaded", False) or method == "Page.loadEventFired"
        )
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(told["exceptionDetails"]))
        if method == "Runtime.consoleAPICalled" and told["type"] in (
            "error",
            "warning",
            "assert",
        ):
            self.problems.append(json.dumps(told["args"]))
        if method == "Log.entryAdded" and told["entry"]["level"] in (
            "error",
            "warning",
        ):
            self.problems.append(json.dumps(told["entry"]))
        return message
