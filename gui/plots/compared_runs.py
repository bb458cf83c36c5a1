"""Runs for comparison: earlier ones of the window and results from files, with names, colours and parameters.

No widgets here: `ReferenceCurves` draws the runs, `RunList` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.block_renaming import Change
from ..run.run_history import History
from ..theme.active_theme import Paper

MOST = 5  # earlier runs that stay by themselves; the oldest goes


class NewNames(NamedTuple):
    """Names after an edit: of recorded signals, the way back of these, and of what the netlist says of them."""

    signals: Change
    back: Change
    written: Change


@dataclass(eq=False)
class ComparedRun:
    name: str
    history: History
    parameters: Mapping[str, object] = field(default_factory=dict)
    colour: str = ""  # colour of the curves; empty for the quiet tint of earlier runs
    tint: int = 0  # its number among the tints
    written: Mapping[str, Raw] = field(default_factory=dict)  # settings as the netlist has them, by path
    shown: bool = True
    pinned: bool = False  # stays until it is thrown away
    # parameters changed during the run: first value, and time of the first change [s]
    moved: dict[str, tuple[object, float]] = field(default_factory=dict)

    def ink(self, paper: Paper) -> str:
        """Colour of its curves behind those of the last run."""
        return self.colour or self.quiet_ink(paper)

    def quiet_ink(self, paper: Paper) -> str:
        """Tint that its curves have without a colour."""
        return paper.earlier[self.tint % len(paper.earlier)]

    def declared(self) -> dict[str, Raw]:
        """Parameters of the diagram, as the netlist has them."""
        return {path: raw for path, raw in self.written.items() if "." not in path}

    def rename(self, change: Change) -> None:
        """Follow a block's new name; parameters of the diagram, without a dot, have theirs."""
        follow = lambda path: change(path) if "." in path else path  # noqa: E731
        self.parameters = {follow(path): value for path, value in self.parameters.items()}
        self.written = {follow(path): raw for path, raw in self.written.items()}
        self.moved = {follow(path): first for path, first in self.moved.items()}

    def note_set(self, path: str, value: object) -> None:
        """Record a parameter change during the run."""
        if path not in self.moved:
            self.moved[path] = self.parameters.get(path), self.history.span()[1]
        self.parameters = {**self.parameters, path: value}


class ComparedRuns(QObject):
    """The current run, which is the last one or one of the model as it is, and the others, the oldest first."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.current: ComparedRun | None = None
        self.earlier: list[ComparedRun] = []
        self._count = 0

    def begin(
        self, history: History, parameters: Mapping[str, object], written: Mapping[str, Raw] | None = None
    ) -> None:
        """Add a new run; the previous one becomes an earlier run."""
        if self.current is not None and self.current.history.rows:
            self.earlier.append(self.current)
        self._count += 1
        self.current = ComparedRun(
            f"Run {self._count}", history, parameters, tint=self._count - 1, written=written or {}
        )
        loose = [run for run in self.earlier if not run.pinned]
        for run in loose[: max(0, len(loose) - MOST)]:
            self.earlier.remove(run)
        self.changed.emit()

    def take_up(self, history: History) -> None:
        """Make an earlier run the current one again, which becomes an earlier one."""
        for run in [run for run in self.earlier if run.history is history]:
            self.earlier[self.earlier.index(run)] = self.current or run
            self.current = run
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

    def all(self) -> list[ComparedRun]:
        """Earlier runs, and the current or last one."""
        return [*self.earlier, *filter(None, (self.current,))]

    def differences(self, run: ComparedRun) -> dict[str, tuple[object, object]]:
        """Parameters that differ from the current run: this run's value, and the current one's.

        Those of the diagram come first, as they are written; what follows from them by the same expression in both
        runs is left out.
        """
        last = self.current
        if last is None or run is last:
            return {}
        mine, theirs = run.parameters, last.parameters
        if run.written and last.written:
            mine, theirs = {**run.declared(), **mine}, {**last.declared(), **theirs}
        names = sorted({*mine, *theirs}, key=lambda name: ("." in name, name))
        moved = {*run.moved, *last.moved}
        return {
            name: (mine.get(name), theirs.get(name))
            for name in names
            if name in moved
            or not (_same(mine.get(name), theirs.get(name)) or _follows(name, run.written, last.written))
        }


def written_settings(netlist: RawMap) -> dict[str, Raw]:
    """Settings of a netlist by path, as they are written: `load_mass`, `slew_plan.stops[0]`."""
    settings: dict[str, Raw] = {}

    def add(path: str, raw: Raw) -> None:
        if isinstance(raw, dict):
            for key, inner in raw.items():
                add(f"{path}.{key}" if path else str(key), inner)
        elif isinstance(raw, list):
            for k, inner in enumerate(raw):
                add(f"{path}[{k}]", inner)
        else:
            settings[path] = raw

    for section in ("parameters", "blocks"):
        add("", netlist.get(section) or {})
    return settings


def _follows(path: str, a: Mapping[str, Raw], b: Mapping[str, Raw]) -> bool:
    """True if a value is the same expression in both netlists, or one that a block makes of such settings alone."""
    raw = a.get(path)
    if path in a or path in b:
        return _is_expression(raw) and raw == b.get(path)
    block = path.partition(".")[0] + "."
    own, theirs = ({k: v for k, v in one.items() if k.startswith(block)} for one in (a, b))
    return path.count(".") == 1 and own == theirs and any(map(_is_expression, own.values()))


def _is_expression(raw: Raw | None) -> bool:
    return isinstance(raw, str) and raw.startswith("=")


def _same(a: object, b: object) -> bool:
    return a == b or (a != a and b != b)  # a number that was not given is NaN, which is the same
