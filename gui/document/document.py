"""`Document`: one diagram with its undo stack. It knows no widgets; every edit is one undo command.

Places that the diagram does not give come from the automatic layout and live here until the first edit that a later
automatic layout would not reproduce; from then on the file holds them, so that what is seen is what comes back.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from ...blocks import ConnectError, LuffError, Port
from ...blocks.errors import Problem
from ...blocks.inputs import NAME as INPUTS
from ...blocks.ports import FRAME
from ...blocks.raw import Raw, RawMap
from ...solver.diagram.edits import Event
from ...solver.flat.opening import Diagram
from ...solver.netlist.structure import RESERVED
from ..drawing.arrange import layout
from ..drawing.exposed import exposed, inner_names
from ..drawing.folding import shown
from ..drawing.geometry import GRID, Shape, arrange
from ..drawing.graph import Graph, graph_of
from ..drawing.nets import ends
from ..drawing.room import Room, spread
from ..drawing.router import Rect
from ..drawing.wrap import wrapped
from . import commands

Place = tuple[float, float, int]
WORLD = "world"
CHECK_DELAY = 150  # ms after the last edit


class Document(QObject):
    edited = Signal(object)  # a Diagram event
    checked = Signal()  # `problems` are up to date
    titled = Signal()  # path or modified state changed

    def __init__(self, diagram: Diagram | None = None, parent: QObject | None = None):
        super().__init__(parent)
        self.diagram = diagram or Diagram()
        self.undo = QUndoStack(self)
        self.undo.cleanChanged.connect(self.titled)
        self.problems: list[Problem] = []
        self.recovered = False  # read from an autosave: never clean until saved
        self._stamp = self._on_disk()
        self._automatic: dict[str, Place] | None = None
        self._shapes: dict[tuple[str, int], Shape] = {}
        self._shown: dict[str, Place] | None = None
        self._used: dict[str, set[str]] | None = None
        self._timer = QTimer(self, singleShot=True, interval=CHECK_DELAY)
        self._timer.timeout.connect(self.check)
        self._unsubscribe = self.diagram.subscribe(self._on_event)
        self._timer.start()

    # ------------------------------------------------------------------ reading

    @property
    def path(self) -> Path | None:
        return self.diagram.path

    @property
    def title(self) -> str:
        return self.path.name if self.path else self.diagram.name or "Untitled"

    @property
    def modified(self) -> bool:
        return self.recovered or not self.undo.isClean()

    def block_names(self) -> list[str]:
        """Every block that the canvas shows: the world too, once something may be wired to it; in a composite, once
        something is."""
        names = list(self.diagram.blocks)
        if WORLD not in names and (WORLD in (self.diagram.layout or {}) or self._wants_world(names)):
            names.insert(0, WORLD)
        return [*names, INPUTS] if self.diagram.inputs and INPUTS not in names else names

    def _wants_world(self, names: Iterable[str]) -> bool:
        if self.diagram.ports:
            return any(self.split(ref)[0] == WORLD for text in self.diagram.connections for ref in ends(text))
        return any(port.kind == FRAME for name in names for port in self.ports(name).values())

    def ports(self, name: str) -> dict[str, Port]:
        return self.diagram.block_ports(name)

    def shown_ports(self, name: str) -> dict[str, Port]:
        """The ports on a block's card: all, or the usual and used ones and one for the rest."""
        ports = self.ports(name)
        if self.type_and_family(name)[1] == "composites":
            return ports
        return shown(ports, self.used_ports().get(name, ()))

    def folded_ports(self, name: str) -> list[str]:
        here = self.shown_ports(name)
        return [port for port in self.ports(name) if port not in here]

    def used_ports(self) -> dict[str, set[str]]:
        """By block, the ports that are wired or are ports of the whole diagram."""
        if self._used is None:
            self._used = {block: set(ports) for block, ports in exposed(self.diagram).items()}
            for text in self.diagram.connections:
                for reference in ends(text):
                    block, port = self.split(reference)
                    self._used.setdefault(block, set()).add(port)
        return self._used

    def type_and_family(self, name: str) -> tuple[str, str]:
        """`("revolute", "joints")`; a composite's family is `composites`, an unknown type's is empty."""
        raw = self.diagram.blocks.get(name) or {}
        type_name = name if name in (WORLD, INPUTS) and not raw else str(raw.get("type", ""))
        try:
            cls = self.diagram.block_class(name)
        except LuffError:
            return type_name, ""
        family = getattr(cls, "family", None)
        return type_name, family if isinstance(family, str) and isinstance(cls, type) else "composites"

    def shape(self, name: str) -> Shape:
        return self._shape(name, self.place(name)[2])

    def _shape(self, name: str, rotation: int) -> Shape:
        known = self._shapes.get((name, rotation))
        if known is not None:
            return known
        try:
            inner = inner_names(self.diagram.block_class(name))
        except LuffError:
            inner = {}
        family = self.type_and_family(name)[1]
        found = arrange(self.shown_ports(name), name, rotation, family, inner)
        self._shapes[name, rotation] = found
        return found

    def place(self, name: str) -> Place:
        """Where a block stands: where the file says, or clear of others where the file lets blocks overlap."""
        if self._shown is None:
            names = sorted(self.block_names(), key=lambda other: self._given_place(other) is None)
            wanted = {other: self._wanted_place(other) for other in names}
            moves = spread({other: self._card(other, place) for other, place in wanted.items()})
            self._shown = {other: _moved(place, *moves.get(other, (0, 0))) for other, place in wanted.items()}
        return self._shown.get(name) or self._wanted_place(name)

    def card(self, name: str) -> Rect:
        return self._card(name, self.place(name))

    def _card(self, name: str, place: Place) -> Rect:
        x, y, rotation = place
        shape = self._shape(name, rotation)
        return x, y, x + shape.width, y + shape.height

    def freed(self, places: Mapping[str, Place], settled: bool = True) -> dict[str, Place]:
        """Blocks that are put somewhere, as a group, at the nearest place where they have room. Once the others are
        settled, what has no place yet makes room: the world comes with the first block of a mechanism."""
        room = Room()
        for name in self.block_names():
            if name not in places and not (settled and self._given_place(name) is None):
                room.put(name, self._card(name, self.place(name)))
        dx, dy = room.nearest([self._card(name, place) for name, place in places.items()])
        return {name: _moved(place, dx, dy) for name, place in places.items()}

    def _wanted_place(self, name: str) -> Place:
        given = self._given_place(name)
        if given is not None:
            return given
        if self._automatic is None or name not in self._automatic:
            # where only the world has no place, nothing needs to be laid out
            placed = self.diagram.blocks and all(map(self._given_place, self.diagram.blocks))
            arranged = {} if placed else self._arranged()
            self._automatic = {**self._beside_the_given(arranged), **(self._automatic or {})}
        return self._automatic.get(name, (0.0, 0.0, 0))

    def _given_place(self, name: str) -> Place | None:
        entry = (self.diagram.layout or {}).get(name)
        if not isinstance(entry, list):
            return None
        numbers = [n for n in entry[:3] if isinstance(n, int | float)]
        if len(numbers) < max(2, len(entry[:3])):
            return None
        return float(numbers[0]), float(numbers[1]), int(numbers[2]) if len(numbers) > 2 else 0

    def _beside_the_given(self, places: dict[str, Place]) -> dict[str, Place]:
        """Where some blocks have their places, the others go clear of them: the world to the left, the rest below."""
        names = self.block_names()
        given = {name: place for name in names if (place := self._given_place(name)) is not None}
        missing = [name for name in names if name not in given]
        if not given or not missing:
            return places
        left = min(given.values())
        free = {name: places[name] for name in missing if name != WORLD}
        if WORLD in missing:
            free_world = (left[0] - self._shape(WORLD, 0).width - 80, left[1], 0)
        else:
            free_world = places.get(WORLD, left)
        floor = max(y + self._shape(name, turn).height for name, (_, y, turn) in given.items()) + 60
        top = min((y for _, y, _ in free.values()), default=0.0)
        x0 = min((x for x, _, _ in free.values()), default=0.0)
        moved = {name: (x - x0 + left[0], y - top + floor, turn) for name, (x, y, turn) in free.items()}
        return {**places, **moved, WORLD: free_world}

    def _arranged(self) -> dict[str, Place]:
        return {name: (x, y, 0) for name, (x, y) in layout(self.graph()).items()}

    def graph(self) -> Graph:
        return graph_of(
            {name: self._shape(name, 0) for name in self.block_names()},
            self.ports,
            self.diagram.connections,
            self.split,
            exposed(self.diagram),
        )

    def split(self, reference: str) -> tuple[str, str]:
        """Block and port of a reference; an element (`out[2]`) belongs to its port."""
        bare = re.sub(r"\[[^\]]*\]$", "", reference.strip())
        block, _, port = bare.rpartition(".")
        return block, port

    def route(self, connection: str) -> list[tuple[float, float]]:
        routes = (self.diagram.layout or {}).get("wires")
        points = routes.get(connection, []) if isinstance(routes, dict) else []
        corners = (
            [p for p in points if isinstance(p, list) and len(p) == 2] if isinstance(points, list) else []
        )
        return [
            (float(x), float(y))
            for x, y in corners
            if isinstance(x, int | float) and isinstance(y, int | float)
        ]

    def can_connect(self, a: str, b: str) -> str:
        """Empty, or the sentence that the netlist would say."""
        try:
            self.diagram.check_connect(a, b)
        except ConnectError as error:
            problem = error.problems[0]
            return problem.message + (f" ({problem.fix})" if problem.fix else "")
        return ""

    def fresh_name(self, stem: str, taken: Iterable[str] = ()) -> str:
        stem = re.sub(r"\W+", "_", stem).strip("_") or "block"
        used = {*self.diagram.blocks, WORLD, *RESERVED, *taken}
        if stem not in used:
            return stem
        base = re.sub(r"_?\d+$", "", stem) or stem
        return next(f"{base}{k}" for k in range(2, len(used) + 3) if f"{base}{k}" not in used)

    # ------------------------------------------------------------------ checking

    def _forget_shapes(self, event: Event) -> None:
        """What an edit may have changed of cards and their places."""
        self._shown = self._used = None
        if event.kind in ("connected", "disconnected"):
            touched = {self.split(reference)[0] for reference in ends(event.name)}
        elif event.kind in ("added", "changed", "removed"):
            touched = {event.name.partition(".")[0]}
        elif event.kind == "section" and event.name in ("layout", "plots", "doc", "name"):
            return
        else:
            self._shapes = {}
            return
        self._shapes = {key: shape for key, shape in self._shapes.items() if key[0] not in touched}

    def _on_event(self, event: Event) -> None:
        if event.kind == "moved":
            self._shown = None
        elif event.kind != "routed":
            self._forget_shapes(event)
        if event.kind == "renamed" and self._automatic and event.detail in self._automatic:
            self._automatic[event.name] = self._automatic[event.detail]
        if event.kind not in ("moved", "routed"):
            self._timer.start()
        self.edited.emit(event)

    def check(self) -> None:
        self._timer.stop()
        try:
            self.problems = list(self.diagram.check())
        except LuffError as error:
            self.problems = error.problems
        self.checked.emit()

    # ------------------------------------------------------------------ editing

    def push(self, command: QUndoCommand) -> None:
        self.undo.push(command)

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Several commands that undo as one; an error takes back what was done."""
        self.undo.beginMacro(text)
        try:
            yield
        except BaseException:
            self.undo.endMacro()
            self.undo.undo()
            raise
        self.undo.endMacro()

    def settle(self) -> None:
        """Write the places that are only automatic so far."""
        missing = self._unwritten()
        if missing:
            self.push(commands.Place(self.diagram, "place blocks", missing))

    def _unwritten(self) -> dict[str, Place]:
        """Places as shown that the file does not give."""
        shown = {name: self.place(name) for name in self.block_names()}
        return {name: place for name, place in shown.items() if self._given_place(name) != place}

    def add_block(self, type_name: str, x: float, y: float, raw: RawMap | None = None, name: str = "") -> str:
        name = self.fresh_name(name or Path(type_name).stem)
        with self.step(f"add {name}"):
            self.settle()
            if type_name != WORLD:
                self.push(
                    commands.AddBlock(
                        self.diagram, name, {"type": type_name, **copy.deepcopy(dict(raw or {}))}
                    )
                )
            else:
                name = WORLD
            self.push(commands.Place(self.diagram, "place", self.freed({name: (x, y, 0)})))
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
                self.push(commands.Disconnect(self.diagram, text))
            for name in names:
                self.push(commands.RemoveBlock(self.diagram, name))

    def rename(self, old: str, new: str) -> None:
        """Raises LuffError when the name cannot be."""
        if new == old:
            return
        if not re.fullmatch(r"[A-Za-z_]\w*", new):
            raise LuffError(f'found the name "{new}", expected letters, digits and underscores', path=old)
        if new in (*self.diagram.blocks, WORLD, *RESERVED):
            raise LuffError(f'"{new}" is taken', path=old, fix=f'for example "{self.fresh_name(new)}"')
        if old not in self.diagram.blocks:
            raise LuffError(f"{old} cannot be renamed")
        self.push(commands.RenameBlock(self.diagram, old, new))

    def set_value(self, path: str, raw: Raw, merge: int = -1) -> None:
        if raw is not commands.UNSET and commands.current(self.diagram, path) == raw:
            return
        self.push(commands.SetValue(self.diagram, path, raw, merge))

    def unset_value(self, path: str) -> None:
        if commands.current(self.diagram, path) is not commands.UNSET:
            self.push(commands.SetValue(self.diagram, path, commands.UNSET))

    def set_parameter(self, name: str, raw: Raw, merge: int = -1) -> None:
        """Of the diagram's own parameters."""
        found = self.diagram.data.get("parameters")
        known: RawMap = dict(found) if isinstance(found, dict) else {}
        if known.get(name) != raw:
            known[name] = raw
            self.push(commands.SetSection(self.diagram, "parameters", known, merge, name))

    def set_section(self, name: str, raw: Raw) -> None:
        if self.diagram.data.get(name) != raw:
            self.push(commands.SetSection(self.diagram, name, raw))

    def connect_ports(self, a: str, b: str) -> str:
        """Raises ConnectError when they do not fit."""
        self.diagram.check_connect(a, b)
        command = commands.Connect(self.diagram, a, b)
        with self.step(command.text()):
            self.settle()
            self.push(command)
        return command.connection

    def expose(self, reference: str, name: str = "") -> None:
        """Make a port of a block a port of the whole diagram, or with no name take it back; raises LuffError."""
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
        """As far as wanted, or to the nearest free room; dragged wires between the blocks go along."""
        wanted = {name: _moved(self.place(name), dx, dy) for name, (dx, dy) in offsets.items()}
        places = self.freed(wanted, settled=False)
        moved = {name: place for name, place in places.items() if place != self.place(name)}
        if not moved:
            return
        text = text or f"move {next(iter(moved)) if len(moved) == 1 else f'{len(moved)} blocks'}"
        routes = self._carried(moved)
        self.push(commands.Place(self.diagram, text, {**self._unwritten(), **moved}, merge, routes))

    def _carried(self, moved: Mapping[str, Place]) -> dict[str, list[tuple[float, float]]]:
        """The corners of dragged wires both ends of which move by the same distance."""
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
        """Each about its middle, on the grid, or beside what is in the way."""
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
                turned = self.freed({name: (x + dx, y + dy, (rotation + 90) % 360)})
                self.push(commands.Place(self.diagram, "rotate", turned))

    def arrange_all(self, aspect: float = 0.0) -> None:
        """Lay the whole diagram out anew, dragged wires included; long chains in rows that fill a window of this
        aspect."""
        with self.step("arrange"):
            routes = self.diagram.layout.get("wires")
            for connection in list(routes) if isinstance(routes, dict) else []:
                self.push(commands.Route(self.diagram, connection, []))
            graph = self.graph()
            places = layout(graph)
            if aspect:
                places = wrapped(places, graph, aspect)
            turned = {name: (x, y, 0) for name, (x, y) in places.items()}
            self.push(commands.Place(self.diagram, "arrange", turned))

    def drag_wire(self, connection: str, points: list[tuple[float, float]]) -> None:
        with self.step("drag wire" if points else "route wire"):
            self.settle()
            self.push(commands.Route(self.diagram, connection, points))

    # ------------------------------------------------------------------ saving

    def _on_disk(self) -> tuple[int, int] | None:
        try:
            found = self.diagram.path.stat() if self.diagram.path else None
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_size) if found else None

    @property
    def changed_on_disk(self) -> bool:
        """Whether another program has written the file since it was read or saved."""
        now = self._on_disk()
        return now is not None and now != self._stamp

    def save(self, path: Path | None = None) -> None:
        self.diagram.save(path)
        self.recovered = False
        self._stamp = self._on_disk()
        self.undo.setClean()
        self.titled.emit()

    def close(self) -> None:
        self._timer.stop()
        self._unsubscribe()
        self.undo.blockSignals(True)  # a stack says goodbye when it is deleted


def _moved(place: Place, dx: float, dy: float) -> Place:
    return place[0] + dx, place[1] + dy, place[2]
