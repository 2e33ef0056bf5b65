"""A real Chromium, driven by its own driver over HTTP (the WebDriver protocol): no dependency beside Debian's packages.

They are installed first where they are missing and that may be done (as root, or with CI=true).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.debian import found_or_installed

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the name that WebDriver gives to a reference to an element
TAB, ENTER, SPACE, DOWN = "\ue004", "\ue007", " ", "\ue015"


def programs() -> tuple[str, str]:
    """The browser and its driver; installs them if it may."""
    return found_or_installed(_find, "Chromium", "chromium chromium-driver")


def _find() -> tuple[str, str] | None:
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return None if browser is None or driver is None else (browser, driver)


class Browser:
    """One window. What it downloads goes to `downloads`."""

    def __init__(self, address: str, session: str, downloads: Path) -> None:
        self._base, self.downloads = f"{address}/session/{session}", downloads

    def call(self, method: str, path: str, body: object = None) -> Any:
        return _call(method, self._base + path, body)

    def open(self, url: str) -> None:
        self.call("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: object) -> Any:
        """The value of a script in the page."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_until_done(self, script: str, *arguments: object) -> Any:
        """The value that a script hands to its last argument, when it does."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def press(self, *keys: str) -> None:
        """Keys as a person presses them, wherever the focus is."""
        actions = [
            step
            for key in keys
            for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})
        ]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def devtools(self, command: str, **parameters: object) -> Any:
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def requests(self) -> list[dict[str, Any]]:
        """Everything that the pages asked the network for since the last look."""
        log = self.call("POST", "/se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in log]
        return [m["params"]["request"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def wait(self, script: str, seconds: float = 30) -> Any:
        """The value of a script as soon as it is true."""
        end = time.monotonic() + seconds
        while not (value := self.run(f"return {script}")):
            assert time.monotonic() < end, f"not within {seconds} s: {script}"
            time.sleep(0.02)
        return value

    def forget(self) -> None:
        """A person who was never here."""
        self.run("localStorage.clear()")

    def offline(self, is_offline: bool) -> None:
        """Cuts the cable, or puts it back."""
        if is_offline:
            cut = {"offline": True, "latency": 0, "throughput": 0}
            self.call("POST", "/chromium/network_conditions", {"network_conditions": cut})
        else:
            self.call("DELETE", "/chromium/network_conditions")


@contextmanager
def started() -> Iterator[Browser]:
    """A browser of one's own, with an empty profile, gone at the end."""
    browser, driver = programs()
    with tempfile.TemporaryDirectory(prefix="lapcat-chromium-") as folder:
        downloads = Path(folder) / "downloads"
        downloads.mkdir()
        process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            address = f"http://127.0.0.1:{_port(process)}"
            session = _call(
                "POST", f"{address}/session", {"capabilities": {"alwaysMatch": _wanted(browser, folder)}}
            )
            opened = Browser(address, session["sessionId"], downloads)
            try:
                opened.call("POST", "/timeouts", {"script": 600_000})
                opened.devtools("Page.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
                yield opened
            finally:
                opened.call("DELETE", "")
        finally:
            process.terminate()
            process.wait(30)


def _wanted(browser: str, folder: str) -> dict[str, object]:
    arguments = [
        "--headless=new",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        f"--user-data-dir={folder}/profile",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]
    return {
        "browserName": "chrome",
        "goog:chromeOptions": {"binary": browser, "args": arguments},
        "goog:loggingPrefs": {"performance": "ALL"},
    }


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.search(r"started successfully on port (\d+)", line):
            return int(match[1])
    raise RuntimeError("the driver of Chromium did not start")


def _call(method: str, url: str, body: object) -> Any:
    data = None if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=700) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as problem:
        raise RuntimeError(f"{method} {url}: {problem.read().decode()[:2000]}") from None
