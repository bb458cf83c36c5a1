"""Document: one diagram with its undo stack, without widgets. Every edit is one undo command.

Places that the diagram does not give are written at the first edit after which the automatic layout would differ;
from then on the file holds them.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from ...blocks import ConnectError, LuffError
from ...blocks.errors import Problem
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.edit_events import Event
from ...solver.diagram.enabled import KEY, is_enabled
from ...solver.diagram.port_compatibility import check_wire
from ...solver.flatten.diagram import Diagram
from ...solver.flatten.flatten import check
from ...solver.netlist import same_data
from ...solver.netlist.section_structure import RESERVED
from ...solver.netlist.wire_syntax import parse_end
from ..drawing.automatic_layout import layout, wrapped
from ..drawing.card_geometry import GRID
from ..drawing.wire_nets import ends
from . import undo_commands
from .block_cards import WORLD, CardPlace, Cards, moved_cards
from .undo_commands import Command

INCOMPLETE = "incomplete"
CHECK_DELAY = 150  # ms after the last edit


def without_place(problem: Problem) -> str:
    """Sentence of a problem with its subject, without its place in the file."""
    return str(replace(problem, mark=None))


class Document(Cards, QObject):
    edited = Signal(object)  # a Diagram event
    checked = Signal()  # `problems` are up to date
    titled = Signal()  # path or modified state changed

    def __init__(
        self,
        diagram: Diagram | None = None,
        parent: QObject | None = None,
        checked: bool = True,
        outer: Document | None = None,
    ):
        """Document of a diagram; `outer` is that of the level around a subsystem in place, with which it shares file,
        undo stack and checks."""
        QObject.__init__(self, parent)
        Cards.__init__(self, diagram or Diagram())
        self.root: Document = outer.root if outer is not None else self
        self.undo = self.root.undo if outer is not None else QUndoStack(self)
        self._made: list[Command] | None = None  # of a step under way, in its order
        self.outer = outer
        self.problems: list[Problem] = []
        self.units: Mapping[tuple[str, str, int], str] = {}  # by the last check, which the root makes
        self._tried = False
        self.number = 0  # among documents without a name, that of the window; 0 for others
        self.recovered = False  # read from an autosave: never clean until saved
        self._stamp = self._on_disk() if outer is None else None  # of the file, which the root knows
        self._timer = QTimer(self, singleShot=True, interval=CHECK_DELAY)
        self._unsubscribe = self.diagram.subscribe(self._on_event)
        if self.is_root:
            self.undo.cleanChanged.connect(self.titled)
            self._timer.timeout.connect(self.check)
            if checked:
                self._timer.start()
        else:
            self.root.checked.connect(self._take_problems)
            self._take_problems()

    @property
    def is_root(self) -> bool:
        """True for the document of a file, False for that of a subsystem in it."""
        return self.root is self

    def inside(self, name: str) -> Document:
        """Document of a subsystem in place."""
        diagram = self.diagram
        return Document(diagram.at_level((*diagram.level, name)), outer=self)

    @property
    def exists(self) -> bool:
        """True as long as the subsystem is there; always for the document of a file."""
        return self.diagram.exists

    def report_to(self, heard: Callable[[Event], None], instead_of: Document | None) -> None:
        """Connect `heard` to this document's edits, and disconnect it from another document."""
        if instead_of is not None:
            instead_of.edited.disconnect(heard)
        self.edited.connect(heard)

    # ------------------------------------------------------------------ reading

    @property
    def path(self) -> Path | None:
        return self.diagram.path

    @property
    def title(self) -> str:
        untitled = f"Untitled {self.number}" if self.number > 1 else "Untitled"
        return self.path.name if self.path else self.diagram.name or untitled

    @property
    def modified(self) -> bool:
        return self.root.recovered or not self.undo.isClean()

    @property
    def tried(self) -> bool:
        """True from a Run until the next edit: what is incomplete in a model that is to run is wrong."""
        return self.root._tried

    @tried.setter
    def tried(self, tried: bool) -> None:
        self.root._tried = tried

    def can_connect(self, a: str, b: str) -> str:
        """Reason why two ports cannot be wired, as the netlist's error message; empty if they can."""
        try:
            pair = parse_end(a), parse_end(b)
            here, there = (self.ports(end.block).get(end.port) for end in pair)
            if here is None or there is None:  # inside a composite, or not there
                self.diagram.check_connect(a, b)
            else:
                check_wire(pair, (here, there), self.wiring.at, self.ports)
        except ConnectError as error:
            return without_place(error.problems[0])
        return ""

    def fresh_name(self, stem: str, taken: Iterable[str] = ()) -> str:
        stem = re.sub(r"\W+", "_", stem).strip("_") or "block"
        used = {*self.diagram.blocks, WORLD, *RESERVED, *taken}
        if stem not in used:
            return stem
        base = re.sub(r"_?\d+$", "", stem) or stem
        return next(f"{base}{k}" for k in range(2, len(used) + 3) if f"{base}{k}" not in used)

    # ------------------------------------------------------------------ checking

    def _on_event(self, event: Event) -> None:
        self.forget(event)
        if event.kind == "renamed" and self._automatic and event.detail in self._automatic:
            self._automatic[event.name] = self._automatic[event.detail]
        if event.kind not in ("moved", "routed"):
            self.problems = without_stale(self.problems, event, self.diagram)
            if self.is_root:
                self._tried = False  # a draft again
                self._timer.start()
        self.edited.emit(event)

    def mark_of(self, problem: Problem) -> str:
        """Mark of a problem: `error`, `warning`, or incomplete in a draft."""
        return INCOMPLETE if problem.incomplete and not self.tried else problem.severity

    def _take_problems(self) -> None:
        """Show those of the whole document's problems that concern this level."""
        self.problems = list(self.diagram.problems_here(self.root.problems))
        self.checked.emit()

    def check(self) -> None:
        if not self.is_root:
            self.root.check()
            return
        self._timer.stop()
        try:
            found = check(self.diagram)
            self.problems, self.units = list(found.problems), found.units
        except LuffError as error:
            self.problems = error.problems
        self.checked.emit()

    # ------------------------------------------------------------------ editing

    def push(self, command: Command) -> None:
        """Make an edit, a step of undo; one that is refused raises LuffError and leaves steps done and undone as they
        were."""
        command.make()
        if self.root._made is None:
            self.undo.push(command)
        else:
            self.root._made.append(command)

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Group several commands into one undo step; an error takes back those of the step, and leaves steps done and
        undone as they were."""
        root = self.root
        outer = root._made
        made: list[Command] = []
        root._made = made
        try:
            yield
        except BaseException:
            for command in reversed(made):
                command.undo()
            raise
        finally:
            root._made = outer
        if outer is not None:
            outer += made
        elif made:
            self.undo.beginMacro(text)  # which ends what could be done again: not before all is made
            for command in made:
                self.undo.push(command)
            self.undo.endMacro()

    def settle(self) -> None:
        """Write places that so far come from the automatic layout only."""
        missing = self._unsaved_places()
        if missing:
            self.push(undo_commands.MoveBlocks(self.diagram, "place blocks", missing))

    def _unsaved_places(self) -> dict[str, CardPlace]:
        """Places shown that the file does not give."""
        shown = {name: self.place(name) for name in self.block_names()}
        return {name: place for name, place in shown.items() if self._given_place(name) != place}

    def add_block(self, type_name: str, x: float, y: float, raw: RawMap | None = None, name: str = "") -> str:
        name = WORLD if type_name == WORLD else self.fresh_name(name or Path(type_name).stem)
        with self.step(f"add {name}"):
            self.settle()
            self._automatic = {**(self._automatic or {}), name: (x, y, 0)}  # no layout for it alone
            if type_name != WORLD:
                self.push(
                    undo_commands.AddBlock(
                        self.diagram, name, {"type": type_name, **copy.deepcopy(dict(raw or {}))}
                    )
                )
            self.push(undo_commands.MoveBlocks(self.diagram, "place", self.free_places({name: (x, y, 0)})))
            self._automatic.pop(name, None)
        return name

    def remove(self, names: Iterable[str], connections: Iterable[str] = ()) -> None:
        names = [name for name in names if name in self.diagram.blocks]
        inside = set(names)
        wires = [text for text in connections if not {self.split(end)[0] for end in ends(text)} & inside]
        if not names and not wires:
            return
        count = len(names) + len(wires)
        with self.step(
            f"remove {names[0] if count == 1 and names else f'{count} items' if count > 1 else 'wire'}"
        ):
            if names:
                self.settle()
            for text in wires:
                self.push(undo_commands.Disconnect(self.diagram, text))
            for name in names:
                self.push(undo_commands.RemoveBlock(self.diagram, name))

    def rename(self, old: str, new: str) -> None:
        """Rename a block. Raises LuffError for an invalid or used name."""
        if new == old:
            return
        if not re.fullmatch(r"[A-Za-z_]\w*", new):
            raise LuffError(f'found the name "{new}", expected letters, digits and underscores', path=old)
        if new in (*self.diagram.blocks, WORLD, *RESERVED):
            raise LuffError(f'"{new}" is taken', path=old, fix=f'for example "{self.fresh_name(new)}"')
        if old not in self.diagram.blocks:
            raise LuffError(f"{old} cannot be renamed")
        self.push(undo_commands.RenameBlock(self.diagram, old, new))

    def set_value(self, path: str, raw: Raw, merge: int = -1) -> None:
        if raw is not undo_commands.UNSET and undo_commands.current(self.diagram, path) == raw:
            return
        self.push(undo_commands.SetValue(self.diagram, path, raw, merge))

    def unset_value(self, path: str) -> None:
        if undo_commands.current(self.diagram, path) is not undo_commands.UNSET:
            self.push(undo_commands.SetValue(self.diagram, path, undo_commands.UNSET))

    def set_parameter(self, name: str, raw: Raw, merge: int = -1) -> None:
        """Set a parameter of the diagram."""
        parameters = self.diagram.data.get("parameters")
        known: RawMap = dict(parameters) if isinstance(parameters, dict) else {}
        if known.get(name) != raw:
            known[name] = raw
            self.push(undo_commands.SetSection(self.diagram, "parameters", known, merge, name))

    def set_section(self, name: str, raw: Raw) -> None:
        if self.diagram.data.get(name) != raw:
            self.push(undo_commands.SetSection(self.diagram, name, raw))

    def connect_ports(self, a: str, b: str) -> str:
        """Connect two ports and return the connection text. Raises ConnectError if they do not fit."""
        self.diagram.check_connect(a, b)
        command = undo_commands.Connect(self.diagram, a, b)
        with self.step(command.text()):
            self.settle()
            self.push(command)
        return command.connection

    def rewire(self, connection: str, a: str, b: str) -> str:
        """Reconnect a wire to other ports or elements; its index and corners are kept. Raises ConnectError if they
        do not fit."""
        index, entry = (
            self.diagram.connections.index(connection),
            undo_commands.route_of(self.diagram, connection),
        )
        with self.step("rewire"):
            self.push(undo_commands.Disconnect(self.diagram, connection))
            self.diagram.check_connect(a, b)
            command = undo_commands.Connect(self.diagram, a, b, index)
            self.push(command)
            if entry is not None:
                self.push(undo_commands.RouteAs(self.diagram, command.connection, entry))
        return command.connection

    def expose(self, reference: str, name: str = "") -> None:
        """Make a block's port a port of the whole diagram, or with an empty name undo that. Raises LuffError for an
        invalid name."""
        ports: RawMap = {**self.diagram.ports}
        others: RawMap = {key: inner for key, inner in ports.items() if str(inner).strip() != reference}
        if not name:
            self.set_section("ports", others or None)
            return
        if not name.isidentifier():
            raise LuffError(
                f'found the name "{name}", expected letters, digits and underscores', path=reference
            )
        if name in others:
            raise LuffError(f'"{name}" is taken by {others[name]}', path=reference)
        renamed: RawMap = {
            name if str(inner).strip() == reference else key: inner for key, inner in ports.items()
        }
        self.set_section("ports", renamed if name in renamed else {**ports, name: reference})

    def move(self, offsets: Mapping[str, tuple[float, float]], text: str = "", merge: int = -1) -> None:
        """Move blocks by the offsets or to the nearest free place; dragged wires between moved blocks move along."""
        wanted = {name: moved_cards(self.place(name), dx, dy) for name, (dx, dy) in offsets.items()}
        places = self.free_places(wanted, settled=False)
        carried = {name: place for name, place in places.items() if place != self.place(name)}
        if not carried:
            return
        text = text or f"move {next(iter(carried)) if len(carried) == 1 else f'{len(carried)} blocks'}"
        routes = self._carried_corners(carried)
        self.push(
            undo_commands.MoveBlocks(self.diagram, text, {**self._unsaved_places(), **carried}, merge, routes)
        )

    def _carried_corners(self, moved: Mapping[str, CardPlace]) -> dict[str, list[tuple[float, float]]]:
        """Corners of dragged wires both ends of which move by the same distance."""
        routes: dict[str, list[tuple[float, float]]] = {}
        for text in self.diagram.connections:
            blocks = {self.split(reference)[0] for reference in ends(text)}
            points = self.route(text)
            if not points or not blocks <= moved.keys():
                continue
            shifts = {
                (moved[name][0] - self.place(name)[0], moved[name][1] - self.place(name)[1])
                for name in blocks
            }
            if len(shifts) == 1:
                dx, dy = shifts.pop()
                routes[text] = [(x + dx, y + dy) for x, y in points]
        return routes

    def rotate(self, names: Iterable[str]) -> None:
        """Rotate each block by 90 degrees about its centre, on the grid, or beside what is in the way."""
        names = list(names)
        if not names:
            return
        with self.step("rotate"):
            self.settle()
            for name in names:
                x, y, rotation = self.place(name)
                before, after = self.shape(name), self._shape(name, (rotation + 90) % 360)
                dx = round((before.width - after.width) / 2 / GRID) * GRID
                dy = round((before.height - after.height) / 2 / GRID) * GRID
                turned = self.free_places({name: (x + dx, y + dy, (rotation + 90) % 360)})
                self.push(undo_commands.MoveBlocks(self.diagram, "rotate", turned))

    def arrange_all(self, aspect: float = 0.0) -> None:
        """Lay out the whole diagram anew, dragged wires included, labels kept; long chains fold into rows for a
        window of this aspect."""
        with self.step("arrange"):
            for connection in [text for text in self.diagram.connections if self.route(text)]:
                self.push(undo_commands.Route(self.diagram, connection, []))
            graph = self.graph()
            places = layout(graph)
            if aspect:
                places = wrapped(places, graph, aspect)
            self.push(undo_commands.MoveBlocks(self.diagram, "arrange", self.clear_of_dials(places)))

    def drag_wire(self, connection: str, points: list[tuple[float, float]]) -> None:
        with self.step("drag wire" if points else "route wire"):
            self.settle()
            self.push(undo_commands.Route(self.diagram, connection, points))

    # ------------------------------------------------------------------ saving

    def _on_disk(self) -> bytes | None:
        """Digest of the file's content; None without a file."""
        try:
            return hashlib.sha256(self.diagram.path.read_bytes()).digest() if self.diagram.path else None
        except OSError:
            return None

    @property
    def changed_on_disk(self) -> bool:
        """True if the file's content is another one than was read or saved."""
        return self.changed_content() is not None

    def changed_content(self) -> bytes | None:
        """Digest of what another program has written to the file; None where the content is that read or saved."""
        now = self._on_disk()
        return None if now == self._stamp else now

    def reread(self) -> None:
        """Take over the file as it is now, in one step of undo. Raises LuffError if it does not open."""
        own, path = self.diagram, self.path
        if path is None:
            return
        fresh = Diagram.load(path, own.allow_code, own.files)
        if not same_data(fresh.data, own.data):
            self.push(
                undo_commands.Snapshot(own, "reload", lambda diagram: diagram.restore(fresh.snapshot()))
            )
        own.take_text(fresh)
        self.recovered = False
        self._stamp = self._on_disk()
        self.undo.setClean()
        self.titled.emit()

    def accept_disk(self) -> None:
        """Take the file as known: saving replaces it without a question."""
        self._stamp = self._on_disk()
        self.undo.resetClean()

    def save(self, path: Path | None = None) -> None:
        if not self.is_root:
            self.root.save(path)
            return
        self.diagram.save(path)
        self.clear_caches()
        self.recovered = False
        self._stamp = self._on_disk()
        self.undo.setClean()
        self.titled.emit()

    def close(self) -> None:
        self._timer.stop()
        self._unsubscribe()
        if not self.is_root:
            self.root.checked.disconnect(self._take_problems)
            return
        self.undo.blockSignals(True)  # a stack says goodbye when it is deleted
        self.undo.clear()  # while its commands are there: a collector may end them before the stack that owns them


def without_stale(problems: Iterable[Problem], event: Event, diagram: Diagram) -> list[Problem]:
    """Problems that may still hold after an edit: without those of blocks that it removed, renamed or put into another
    level, or of wires whose index may have changed."""
    gone = {"removed": event.name, "renamed": event.detail}.get(event.kind, "")
    numbers = event.kind in ("removed", "disconnected", "reset")
    known = {*diagram.blocks, WORLD, INPUTS} if event.kind == "reset" else None
    return [
        problem
        for problem in problems
        if not (gone and block_of(problem) == gone)
        and not (numbers and problem.path.startswith("connect["))
        and (known is None or not problem.path.startswith("blocks.") or block_of(problem) in known)
    ]


def block_of(problem: Problem) -> str:
    return problem.path.removeprefix("blocks.").replace("[", ".").partition(".")[0]


def toggle_enabled(document: Document, names: Sequence[str]) -> None:
    """Disable the blocks, or enable them if all are disabled already."""
    enabled = [name for name in names if is_enabled(document.diagram.blocks.get(name))]
    with document.step("take out of effect" if enabled else "take into effect"):
        for name in enabled or names:
            if enabled:
                document.set_value(f"{name}.{KEY}", False)
            else:
                document.unset_value(f"{name}.{KEY}")
