"""Compilation progress in the status bar: of a run, of the model check, or ahead of use."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from ...solver.codegen import object_loader
from ..theme.small_widgets import laid
from . import precompile

FOR_WHOM = {"luff run": "for the run", "luff analyse": "for the model", "luff warmup": "ahead"}
ORDER = tuple(FOR_WHOM)  # whoever is waited for is shown first


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

    def listen(self) -> None:
        object_loader.listener = self.hear

    def warm_up(self) -> None:
        """Start precompiling in the background and report its progress."""
        precompile.start_precompile(self.hear)

    def hear(self, done: int, total: int, what: str) -> None:
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
            names = sorted(self._works, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
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
        laid(QHBoxLayout(self), self.label, self.bar, margins=(0, 0, 8, 0))
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
        what = " ".join(filter(None, ("Compiling", work.what, FOR_WHOM.get(name))))
        spent = f"{time.monotonic() - work.since:.0f} s"
        self.label.setText(f"{what}, {work.done} of {work.total}, {spent}")
        self.setToolTip("Once for this version of luff and this machine; what is compiled is kept")
        self.bar.setRange(0, work.total)
        self.bar.setValue(work.done)
        if not self._timer.isActive():
            self._timer.start()
