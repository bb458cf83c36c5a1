"""A page in Firefox: without a screen, spoken to by its own protocol, one message of JSON behind its length."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .browser import Shown
from .process import PATIENCE

_NAMES = ("firefox", "firefox-esr")
_ASK = """const done = arguments[arguments.length - 1];
Promise.resolve(window.eval(arguments[0])).then(done, wrong => done(`${wrong}`));"""


def firefox_path() -> str | None:
    return next(filter(None, map(shutil.which, _NAMES)), None)


class Firefox(Shown):
    """One open page."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._rest, self._count = line, b"", 0
        self._message()
        self.version = self.command("WebDriver:NewSession")["capabilities"]["browserVersion"]
        self.command("WebDriver:SetTimeouts", script=1000 * PATIENCE)

    def command(self, name: str, **parameters: Any) -> Any:
        self._count += 1
        text = json.dumps([0, self._count, name, parameters]).encode()
        self._line.sendall(b"%d:%s" % (len(text), text))
        _, _, wrong, answer = self._message()
        assert wrong is None, wrong
        return answer

    def _message(self) -> Any:
        while b":" not in self._rest:
            self._more()
        size, _, self._rest = self._rest.partition(b":")
        while len(self._rest) < int(size):
            self._more()
        text, self._rest = self._rest[: int(size)], self._rest[int(size) :]
        return json.loads(text)

    def _more(self) -> None:
        piece = self._line.recv(1 << 20)
        assert piece, "the browser has ended"
        self._rest += piece

    def open(self, address: str) -> None:
        self.command("WebDriver:Navigate", url=address)

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript, which sees what `window` has."""
        return self.command("WebDriver:ExecuteAsyncScript", script=_ASK, args=[expression], sandbox=None)[
            "value"
        ]

    def press(self, x: float, y: float) -> None:
        there = {"type": "pointerMove", "x": round(x), "y": round(y), "origin": "viewport"}
        steps = [there, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.command(
            "WebDriver:PerformActions", actions=[{"type": "pointer", "id": "mouse", "actions": steps}]
        )


@contextmanager
def opened(browser: str, profile: Path) -> Iterator[Firefox]:
    """`profile` is an empty folder for the browser's own files."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    words = [browser, "--headless", "--marionette", "--profile", str(profile), "--no-remote"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with _connected(port, process) as line:
            line.settimeout(PATIENCE)
            yield Firefox(line)
    finally:
        process.kill()
        process.wait()


def _connected(port: int, process: subprocess.Popen[bytes]) -> socket.socket:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        except OSError:
            assert process.poll() is None and time.monotonic() < end, "the browser does not listen"  # noqa: PT018
            time.sleep(0.1)
