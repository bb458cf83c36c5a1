"""Runs for comparison: earlier ones of the window and results from files, with names, colours and parameters.

No widgets here: `ReferenceCurves` draws the runs, `RunList` lists them.
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
    colour: str = ""  # colour of the curves; empty for the grey of earlier runs
    shown: bool = True
    pinned: bool = False  # stays until it is thrown away
    # parameters changed during the run: first value, and time of the first change [s]
    moved: dict[str, tuple[object, float]] = field(default_factory=dict)

    def note_set(self, path: str, value: object) -> None:
        """Record a parameter change during the run."""
        if path not in self.moved:
            self.moved[path] = self.parameters.get(path), self.history.span()[1]
        self.parameters = {**self.parameters, path: value}


class ComparedRuns(QObject):
    """Current or last run, and the earlier ones, the oldest first."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.current: ComparedRun | None = None
        self.earlier: list[ComparedRun] = []
        self._count = 0

    def begin(self, history: History, parameters: Mapping[str, object]) -> None:
        """Add a new run; the previous one becomes an earlier run."""
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
        """Remove all earlier runs."""
        self.earlier = []
        self.changed.emit()

    def clear(self) -> None:
        """Remove all runs, for another model."""
        self.current, self.earlier, self._count = None, [], 0
        self.changed.emit()

    def note_set(self, path: str, value: object) -> None:
        """Record a parameter change in the active run."""
        if self.current is not None:
            self.current.note_set(path, value)
            self.changed.emit()

    def touch(self) -> None:
        """Report a change of a run's name, colour or visibility."""
        self.changed.emit()

    def visible(self) -> list[ComparedRun]:
        return [run for run in self.earlier if run.shown]

    def differences(self, run: ComparedRun) -> dict[str, tuple[object, object]]:
        """Parameters that differ from the current run: this run's value, and the current one's."""
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
