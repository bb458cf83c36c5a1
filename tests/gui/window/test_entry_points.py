"""`luff gui`, with and without a file, as it is typed: on an X display, until its window is there, and to its end."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import luff
from luff.tests.process import INTERRUPTIBLE, PATIENCE, luff_script
from luff.tests.shared.planted_programs import plant

ROOT = Path(luff.__file__).resolve().parent
COMMAND = "gui"  # what tests/test_entry_points.py looks for


class Desk:
    """A display, and `luff gui` processes on it."""

    def __init__(self, display: str, home: Path):
        self.display, self.home = display, home
        self.environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            **{f"XDG_{name}_HOME": str(home / name) for name in ("DATA", "CONFIG", "CACHE")},
        }
        self.started: list[subprocess.Popen[str]] = []

    def open(self, *words: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            luff_script(COMMAND, *words),
            cwd=self.home,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **INTERRUPTIBLE,
        )
        self.started.append(process)
        return process

    def _xdotool(self, *words: str) -> str:
        return subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, text=True
        ).stdout.strip()

    def window(self, process: subprocess.Popen[str], title: str) -> int:
        """Its number, once it is shown under this title."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found = self._xdotool("search", "--onlyvisible", "--name", f"^{title} – luff$")
            if found:
                return int(found.splitlines()[0])
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline, f"no window is titled {title}"
            time.sleep(0.05)

    def close(self, window: int) -> None:
        """As a window manager does when the cross is clicked: WM_DELETE_WINDOW."""
        xlib = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
        xlib.XOpenDisplay.restype = ctypes.c_void_p
        xlib.XInternAtom.restype = ctypes.c_ulong
        display = ctypes.c_void_p(xlib.XOpenDisplay(self.display.encode()))
        protocols, delete = (
            xlib.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")
        )
        # XClientMessageEvent: type, serial, send_event, display, window, message_type, format, data[5]
        event = (ctypes.c_long * 24)(33, 0, 0, 0, window, protocols, 32, delete, 0)
        xlib.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
        xlib.XFlush(display)
        xlib.XCloseDisplay(display)

    def ends(self, process: subprocess.Popen[str]) -> None:
        said = process.communicate(timeout=PATIENCE)
        assert (process.returncode, *said) == (0, "", "")


@pytest.fixture
def desk(display: str, tmp_path: Path) -> Iterator[Desk]:
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed (Debian: apt-get install xdotool)")
    made = Desk(display, tmp_path)
    yield made
    for process in made.started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(("words", "title"), [([], "Untitled"), (["crane_demo.yaml"], "crane_demo.yaml")])
def test_gui_opens_and_closes(words: list[str], title: str, desk: Desk) -> None:
    shutil.copy(ROOT / "library" / "crane_demo.yaml", desk.home)
    ran = desk.home / "ran"
    plant(desk.home, ran)
    process = desk.open(*words)
    desk.close(desk.window(process, title))
    desk.ends(process)
    assert not ran.exists(), ran.read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_gui_ends_by_a_signal(number: signal.Signals, desk: Desk) -> None:
    shutil.copy(ROOT / "library" / "crane_demo.yaml", desk.home)
    process = desk.open("crane_demo.yaml")
    desk.window(process, "crane_demo.yaml")
    process.send_signal(number)
    desk.ends(process)


# a signal after the last look at what was caught, and before the event loop
LATE = """\
import os, signal, sys
from luff.gui.app import application
from luff.gui.termination_signals import Interrupts
app = application()
interrupts = Interrupts(app)
os.kill(os.getpid(), signal.SIGTERM)
sys.exit(app.exec() if interrupts.caught else 1)
"""


def test_gui_ends_by_a_signal_that_came_before_its_event_loop(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(
        [sys.executable, "-c", LATE], env=environment, check=True, timeout=PATIENCE, **INTERRUPTIBLE
    )


def test_gui_explains_a_file_that_is_not_there(desk: Desk) -> None:
    process = desk.open("nothing.yaml")
    window = desk.window(process, "Untitled")
    assert desk._xdotool("search", "--sync", "--onlyvisible", "--name", "^Cannot Open File$")
    process.send_signal(signal.SIGTERM)
    desk.ends(process)
    assert window
