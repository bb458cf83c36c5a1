"""Watch of a document's file for what other programs write to it."""

from __future__ import annotations

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from .document import Document

SETTLED = 150  # ms without a further event: a program that saves may write in parts


class FileWatch(QObject):
    """Emits `changed` once for each content that another program gives the document's file."""

    changed = Signal()

    def __init__(self, document: Document):
        super().__init__(document)
        self.document = document
        self._watcher = QFileSystemWatcher(self)
        self._told: bytes | None = None
        self._timer = QTimer(self, singleShot=True, interval=SETTLED)
        self._timer.timeout.connect(self._check_file)
        # an editor may write a new file and rename it: only the folder tells of that
        self._watcher.fileChanged.connect(lambda _: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _: self._timer.start())
        document.titled.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        """Watch the file that the document has now, and its folder."""
        path = self.document.path
        wanted = {str(path), str(path.parent)} if path else set()
        seen = {*self._watcher.files(), *self._watcher.directories()}
        if seen - wanted:
            self._watcher.removePaths(sorted(seen - wanted))
        if wanted - seen:
            self._watcher.addPaths(sorted(wanted - seen))

    def end(self) -> None:
        """Watch no more."""
        self._timer.stop()
        self.document.titled.disconnect(self._follow)
        self._watcher.deleteLater()
        self.changed.disconnect()

    def _check_file(self) -> None:
        self._follow()
        content = self.document.changed_content()
        if content is not None and content != self._told:
            self._told = content
            self.changed.emit()
