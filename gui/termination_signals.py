"""Unix signals that end the desktop without a question (SIGINT, SIGTERM, SIGHUP); autosaves of unsaved work remain."""

from __future__ import annotations

import signal
import socket
from types import FrameType

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier

NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Interrupts(QObject):
    """Signal handler through a socket pair; `caught` is True once a signal has arrived, even before the event loop."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self.caught = False
        # Qt waits outside of the interpreter, which runs handlers between its own instructions only: a byte in a
        # socket wakes it
        self._ours, self._theirs = socket.socketpair()
        for end in (self._ours, self._theirs):
            end.setblocking(False)
        signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)
        notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._empty)
        for number in NUMBERS:
            # signals that the parent ignores (nohup, a background job) stay ignored
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._note)

    def _empty(self) -> None:
        """Read the socket inside the event loop; an exit requested before the loop started would be lost."""
        self._ours.recv(4096)
        if self.caught:
            # not `quit`, which would ask every window whether to save
            QCoreApplication.exit(0)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.caught = True
