"""A page as its reader opens it: a browser without a screen, spoken to through two pipes.

What a page does with time depends on how many frames the machine finds time for, so that nothing here waits for
seconds: `until` waits for the page itself to say that something has happened.
"""

from __future__ import annotations

import base64
import io
import json
import os
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .process import PATIENCE

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# the developer tools' protocol on file descriptors 3 and 4, one message to a NUL
_WORDS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe")
# puts the two ends where the browser looks for them, by way of numbers that are neither
_START = """import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for end, number in zip(ends, (3, 4)):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
# resolves as soon as the condition holds, looked at in each frame that the page draws
_UNTIL = "new Promise(done => (function look() { (%s) ? done(true) : requestAnimationFrame(look); })())"


def browser_path() -> str | None:
    return next(filter(None, map(shutil.which, _NAMES)), None)


# where a part of the page is on the screen, and whether a press there would reach it
_PLACE = """(one => {{ one.scrollIntoView({{ block: "center" }}); const at = one.getBoundingClientRect();
    const x = at.x + {across} * at.width, y = at.y + at.height / 2, top = document.elementFromPoint(x, y);
    return [x, y, one.contains(top) && !one.disabled]; }})(document.querySelector({selector}))"""


class Shown:
    """What the reader of a page does in any browser."""

    def open(self, address: str) -> None:
        raise NotImplementedError

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        raise NotImplementedError

    def press(self, x: float, y: float) -> None:
        """The mouse, there, down and up."""
        raise NotImplementedError

    def until(self, condition: str) -> None:
        assert self.ask(_UNTIL % condition)

    def click(self, selector: str, across: float = 0.5) -> None:
        """Press what a selector finds, this share of its width from its left."""
        x, y, reached = self.ask(_PLACE.format(selector=json.dumps(selector), across=across))
        assert reached, f"{selector} is covered by something else, or switched off"
        self.press(x, y)


class Page(Shown):
    """One open page in Chromium."""

    def __init__(self, asked: int, told: int) -> None:
        self._asked, self._told = asked, told
        self._count, self._rest, self._session = 0, b"", ""
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def command(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._asked, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]

    def _message(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self._told, selectors.EVENT_READ)
            while b"\0" not in self._rest:
                assert selector.select(end - time.monotonic()), "the browser says nothing more"
                piece = os.read(self._told, 1 << 20)
                assert piece, "the browser has ended"
                self._rest += piece
        first, self._rest = self._rest.split(b"\0", 1)
        return json.loads(first)

    def open(self, address: str) -> None:
        self.command("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def ask(self, expression: str) -> Any:
        given = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self.command("Runtime.evaluate", **given)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self) -> NDArray[np.uint8]:
        """What is seen: rows, columns, red green blue."""
        png = base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"])
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@contextmanager
def opened(browser: str, profile: Path) -> Iterator[Page]:
    """`profile` is an empty folder for the browser's own files."""
    in_child, asked = os.pipe()
    told, from_child = os.pipe()
    words = [sys.executable, "-c", _START, str(in_child), str(from_child)]
    words += [browser, *_WORDS, f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        words, pass_fds=(in_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(in_child)
    os.close(from_child)
    try:
        yield Page(asked, told)
    finally:
        process.kill()
        process.wait()
        os.close(asked)
        os.close(told)
