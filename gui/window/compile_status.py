"""Compilation progress in the status bar, and precompilation in another process from the start of the window."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from ...solver.codegen import object_loader
from ...solver.codegen.python_subprocess import python_words
from ..theme.small_widgets import laid, tool_button

PRECOMPILE = "luff warmup"  # name of its thread
FOR_WHOM = {"luff run": "for the run", "luff analyse": "for the model"}
ORDER = (*FOR_WHOM, PRECOMPILE)  # whoever is waited for is shown first
LOW_PRIORITY = 15
BELOW_NORMAL = 0x00004000  # the same on Windows
Progress = Callable[[int, int, str], object]  # done, of how many, what


@dataclass
class ThreadProgress:
    """Compilation progress of one thread."""

    thread: threading.Thread
    done: int
    total: int
    what: str
    since: float


class CompileMonitor(QObject):
    """Monitor of compilations in all threads; its signals arrive in the window's thread."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._works: dict[str, ThreadProgress] = {}
        self._lock = threading.Lock()
        self.dismissed = False  # precompilation is not shown any more

    def listen(self) -> None:
        object_loader.listener = self.on_compiled

    def warm_up(self) -> None:
        """Start precompiling in the background and report its progress."""
        start_precompile(self.on_compiled)

    def on_compiled(self, done: int, total: int, what: str) -> None:
        thread = threading.current_thread()
        with self._lock:
            if done < total:
                before = self._works.get(thread.name)
                since = before.since if before and before.thread is thread else time.monotonic()
                self._works[thread.name] = ThreadProgress(thread, done, total, what, since)
            else:
                self._works.pop(thread.name, None)
        with contextlib.suppress(RuntimeError):  # the program ends
            self.changed.emit()

    @property
    def work(self) -> tuple[str, ThreadProgress] | None:
        """Compilation shown: the one that the user waits for most, with its progress."""
        with self._lock:
            for name in [name for name, work in self._works.items() if not work.thread.is_alive()]:
                del self._works[name]
            seen = [name for name in self._works if not (name == PRECOMPILE and self.dismissed)]
            names = sorted(seen, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
            return (names[0], self._works[names[0]]) if names else None


compiling = CompileMonitor()


class CompileBar(QWidget):
    """Status bar widget with text such as `Compiling articulate for the run, 3 of 12, 4 s` and a bar; hidden when
    idle."""

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(120)
        self.bar.setAccessibleName("Compiled functions")
        self.close_button = tool_button("close", "Hide this until the next start", "Hide preparation")
        self.close_button.setFixedSize(
            self.close_button.iconSize()
        )  # the status bar stays as low as its words
        self.close_button.clicked.connect(self._dismiss)
        laid(QHBoxLayout(self), self.label, self.bar, self.close_button, margins=(0, 0, 8, 0))
        self._timer = QTimer(self, interval=500)
        self._timer.timeout.connect(self.follow)
        compiling.changed.connect(self.follow, Qt.ConnectionType.QueuedConnection)
        self.follow()

    def follow(self) -> None:
        task = compiling.work
        self.setVisible(task is not None)
        if task is None:
            self._timer.stop()
            return
        name, work = task
        waited_for = name != PRECOMPILE
        if waited_for:
            what = " ".join(filter(None, ("Compiling", work.what, FOR_WHOM.get(name))))
            count = f"{work.done} of {work.total}, {time.monotonic() - work.since:.0f} s"
        else:
            what, count = "Preparing faster starts", f"{100 * work.done // max(work.total, 1)} %"
        self.label.setText(f"{what}, {count}")
        self.close_button.setVisible(not waited_for)
        self.label.setEnabled(waited_for)  # muted
        self.bar.setVisible(waited_for)
        self.setToolTip("Once for this version of luff and this machine; what is compiled is kept")
        self.bar.setRange(0, work.total)
        self.bar.setValue(work.done)
        if not self._timer.isActive():
            self._timer.start()

    def _dismiss(self) -> None:
        """Hide precompilation, which goes on; what is waited for still shows."""
        compiling.dismissed = True
        compiling.changed.emit()


def start_precompile(progress: Progress | None = None) -> subprocess.Popen[str] | None:
    """Start the precompilation process, unless all is compiled or LUFF_WARMUP is 0. It ends with its work.

    `progress` is called from a thread of its own.
    """
    from ...solver.simulation.warmup import is_warm

    if os.environ.get("LUFF_WARMUP") == "0" or is_warm():
        return None
    windows = sys.platform == "win32"
    process = subprocess.Popen(
        python_words("luff.__main__", "warmup", "--json"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
        creationflags=BELOW_NORMAL if windows else 0, preexec_fn=None if windows else lower,
    )  # fmt: skip
    threading.Thread(target=_listen, args=(process, progress), name=PRECOMPILE, daemon=True).start()
    return process


def lower() -> None:
    os.nice(LOW_PRIORITY)


def _listen(process: subprocess.Popen[str], progress: Progress | None) -> None:
    """Read the process's output until it ends, since a full pipe would block it, and report progress."""
    with process:
        for line in process.stdout or ():
            try:
                told = json.loads(line)
                words = int(told["done"]), int(told["total"]), str(told["what"])
            except (ValueError, KeyError, TypeError):
                continue
            if progress is not None:
                progress(*words)
