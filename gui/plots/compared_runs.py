"""Runs to compare with: earlier ones of the window, and results of files, with names, colours and parameters.

Pure but for Qt's signals: what draws them is `ReferenceCurves`, what lists them `RunList`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from ..run.run_history import History

MOST = 5  # earlier runs that stay by themselves; the oldest goes


@dataclass(eq=False)
class ComparedRun:
    name: str
    history: History
    parameters: Mapping[str, object] = field(default_factory=dict)
    colour: str = ""  # of its curves; empty: the quiet one of earlier runs
    shown: bool = True
    pinned: bool = False  # stays until it is thrown away
    # what was set under way: its first value, and the time when it was set first
    moved: dict[str, tuple[object, float]] = field(default_factory=dict)

    def note_set(self, path: str, value: object) -> None:
        """A parameter that was set while the run was under way."""
        if path not in self.moved:
            self.moved[path] = self.parameters.get(path), self.history.span()[1]
        self.parameters = {**self.parameters, path: value}


class ComparedRuns(QObject):
    """The run that is on, or the last one, and those before it, the oldest first."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.current: ComparedRun | None = None
        self.earlier: list[ComparedRun] = []
        self._count = 0

    def begin(self, history: History, parameters: Mapping[str, object]) -> None:
        """A new run; the one before it goes behind."""
        if self.current is not None and self.current.history.rows:
            self.earlier.append(self.current)
        self._count += 1
        self.current = ComparedRun(f"Run {self._count}", history, parameters)
        loose = [run for run in self.earlier if not run.pinned]
        for run in loose[: max(0, len(loose) - MOST)]:
            self.earlier.remove(run)
        self.changed.emit()

    def add(self, run: ComparedRun) -> None:
        self.earlier.append(run)
        self.changed.emit()

    def remove(self, run: ComparedRun) -> None:
        if run in self.earlier:
            self.earlier.remove(run)
            self.changed.emit()

    def forget(self) -> None:
        """All that lie behind."""
        self.earlier = []
        self.changed.emit()

    def clear(self) -> None:
        """Another model is shown."""
        self.current, self.earlier, self._count = None, [], 0
        self.changed.emit()

    def note_set(self, path: str, value: object) -> None:
        """A parameter of the run under way was set."""
        if self.current is not None:
            self.current.note_set(path, value)
            self.changed.emit()

    def touch(self) -> None:
        """Something of a run was changed."""
        self.changed.emit()

    def visible(self) -> list[ComparedRun]:
        return [run for run in self.earlier if run.shown]

    def differences(self, run: ComparedRun) -> dict[str, tuple[object, object]]:
        """Parameters in which a run differs from the present one: its value, and that one's."""
        if self.current is None or run is self.current:
            return {}
        mine, theirs = run.parameters, self.current.parameters
        return {
            name: (mine.get(name), theirs.get(name))
            for name in sorted({*mine, *theirs})
            if not _same(mine.get(name), theirs.get(name)) or name in run.moved or name in self.current.moved
        }


def _same(a: object, b: object) -> bool:
    return a == b or (a != a and b != b)  # a number that was not given is NaN, which is the same
