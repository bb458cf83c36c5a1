"""Cards of a diagram's blocks: visible blocks, ports, card shapes and places.

Places that the diagram does not give come from the automatic layout and are kept here until they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from ...blocks import LuffError, Port
from ...blocks.block import Block
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.params import convert_all
from ...blocks.ports import FRAME
from ...solver.diagram.composite_types import CompositeType, type_in_words
from ...solver.diagram.dashboard_section import Dial, dials_of
from ...solver.diagram.edit_events import Event
from ...solver.diagram.enabled import parameters_of
from ...solver.flatten.diagram import Diagram
from ..drawing import wire_nets
from ..drawing.automatic_layout import page_layout
from ..drawing.block_spacing import Room, spread
from ..drawing.card_geometry import Shape, arrange
from ..drawing.exposed_ports import exposed, inner_names, shown, used_ports
from ..drawing.inner_picture import InnerPicture, inner_picture
from ..drawing.layout_graph import Graph, graph_of
from ..drawing.net_labels import corners_of
from ..drawing.polylines import Rect
from ..drawing.statechart_layout import NAME_ROOM, TYPE, Chart, chart_of
from ..drawing.wire_nets import ends
from ..theme.dial_painting import area_of
from .wiring import Wiring

CardPlace = tuple[float, float, int]
WORLD = "world"


class Cards:
    """Cards of a diagram's blocks, cached between edits."""

    split = staticmethod(wire_nets.split)

    def __init__(self, diagram: Diagram):
        self.diagram = diagram
        self._automatic: dict[str, CardPlace] | None = None
        self.clear_caches()

    def clear_caches(self) -> None:
        """Clear all caches; files that the diagram refers to may have changed."""
        self._shapes: dict[str, dict[tuple[int, frozenset[str]], Shape]] = {}
        self._ports: dict[str, dict[str, Port]] = {}
        self._types: dict[str, tuple[str, str]] = {}
        self._widths: dict[str, int | None] = {}
        self._pictures: dict[str, InnerPicture | None] = {}
        self._names: list[str] | None = None
        self._shown: dict[str, CardPlace] | None = None
        self._used: dict[str, frozenset[str]] | None = None
        self._wiring: Wiring | None = None

    def block_names(self) -> list[str]:
        """Visible blocks: `world` is included once something can be wired to it, in a composite once something is."""
        if self._names is None:
            self._names = self._named()
        return list(self._names)

    def _named(self) -> list[str]:
        names = list(self.diagram.blocks)
        if WORLD not in names and (WORLD in (self.diagram.layout or {}) or self._wants_world(names)):
            names.insert(0, WORLD)
        return [*names, INPUTS] if self.diagram.inputs and INPUTS not in names else names

    def _wants_world(self, names: Iterable[str]) -> bool:
        if self.diagram.ports or self.diagram.level:
            return any(self.split(ref)[0] == WORLD for text in self.diagram.connections for ref in ends(text))
        return any(port.kind == FRAME for name in names for port in self.ports(name).values())

    def ports(self, name: str) -> dict[str, Port]:
        if name not in self._ports:
            self._ports[name] = self.diagram.block_ports(name)
        return self._ports[name]

    def shown_ports(self, name: str) -> dict[str, Port]:
        """Ports on a block's card: all of them, or the usual and used ones and one port for the rest."""
        ports = self.ports(name)
        if self.type_and_family(name)[1] == "composites":
            return ports
        return shown(ports, self.used_ports().get(name, ()))

    def folded_ports(self, name: str) -> list[str]:
        here = self.shown_ports(name)
        return [name for name, port in self.ports(name).items() if name not in here and not port.inner]

    def used_ports(self) -> dict[str, frozenset[str]]:
        """Ports by block that have a wire or are ports of the whole diagram."""
        if self._used is None:
            self._used = {block: frozenset(ports) for block, ports in used_ports(self.diagram).items()}
        return self._used

    @property
    def wiring(self) -> Wiring:
        """Wires by block and port."""
        if self._wiring is None:
            self._wiring = Wiring(self.diagram.connections)
        return self._wiring

    def own_width(self, name: str) -> int | None:
        """Width that a block's parameters give to its open ports; None where wires decide."""
        if name not in self._widths:
            self._widths[name] = self._own_width(name)
        return self._widths[name]

    def _own_width(self, name: str) -> int | None:
        try:
            cls = self.diagram.block_class(name)
            if not isinstance(cls, type) or not issubclass(cls, Block):
                return None
            raw = parameters_of(self.diagram.block_entry(name))
            values = convert_all(cls.params, raw, self.diagram.scope(), "", cls.type_name)
            return cls(name, values, frozenset(raw)).width()
        except LuffError:
            return None  # half written: the wires decide until it is whole

    def type_and_family(self, name: str) -> tuple[str, str]:
        """Type and family of a block, as `("revolute", "joints")`; `composites` for a composite, an empty family for
        an unknown type."""
        if name not in self._types:
            self._types[name] = self._type_and_family(name)
        return self._types[name]

    def _type_and_family(self, name: str) -> tuple[str, str]:
        raw = self.diagram.block_entry(name)
        type_name = name if name in (WORLD, INPUTS) and "type" not in raw else type_in_words(raw)
        try:
            cls = self.diagram.block_class(name)
        except LuffError:
            return type_name, ""
        family = getattr(cls, "family", None)
        return type_name, family if isinstance(family, str) and isinstance(cls, type) else "composites"

    def has_picture(self, name: str) -> bool:
        """True if the picture of a composite is known: one takes a layout and routes."""
        return name in self._pictures

    def picture(self, name: str) -> InnerPicture | None:
        """Picture of what is inside a composite; None for other blocks."""
        if name not in self._pictures:
            try:
                self._pictures[name] = _picture_of(self.diagram.block_class(name))
            except LuffError:
                self._pictures[name] = None
        return self._pictures[name]

    def shape(self, name: str) -> Shape:
        return self._shape(name, self.place(name)[2])

    def _shape(self, name: str, rotation: int) -> Shape:
        known = self._shapes.setdefault(name, {})
        key = rotation, self.used_ports().get(name, frozenset())
        if key in known:
            return known[key]
        try:
            inner = inner_names(self.diagram.block_class(name))
        except LuffError:
            inner = {}
        family = self.type_and_family(name)[1]
        chart = self.chart(name)
        least = (chart.width, chart.height + NAME_ROOM) if chart else (0.0, 0.0)
        shape = arrange(self.shown_ports(name), name, rotation, family, inner, least)
        known[key] = shape
        return shape

    def chart(self, name: str) -> Chart | None:
        """State chart on the card of a state machine; None for other blocks."""
        raw = self.diagram.block_entry(name)
        return chart_of(raw) if raw.get("type") == TYPE else None

    def place(self, name: str) -> CardPlace:
        """Place of a block as shown: from the file, shifted where the file lets cards overlap."""
        if self._shown is None:
            names = sorted(self.block_names(), key=lambda other: self._given_place(other) is None)
            wanted = {other: self._wanted_place(other) for other in names}
            moves = spread({other: self._card(other, place) for other, place in wanted.items()})
            self._shown = {
                other: moved_cards(place, *moves.get(other, (0, 0))) for other, place in wanted.items()
            }
        return self._shown.get(name) or self._wanted_place(name)

    def card(self, name: str) -> Rect:
        return self._card(name, self.place(name))

    def _card(self, name: str, place: CardPlace) -> Rect:
        x, y, rotation = place
        shape = self._shape(name, rotation)
        return x, y, x + shape.width, y + shape.height

    def free_places(
        self, places: Mapping[str, CardPlace], settled: bool = True, apart: bool = False
    ) -> dict[str, CardPlace]:
        """Nearest free places for a group of blocks. With `settled`, blocks without a place in the file give way:
        the world comes with the first block of a mechanism. With `apart`, no other block may lie inside the group.
        New blocks keep clear of dials."""
        room = self._room_beside_dials() if settled else Room()
        for name in self.block_names():
            if name not in places and not (settled and self._given_place(name) is None):
                room.put(name, self._card(name, self.place(name)))
        cards = [self._card(name, place) for name, place in places.items()]
        if apart and cards:
            left, top, right, bottom = zip(*cards, strict=True)
            cards = [(min(left), min(top), max(right), max(bottom))]
        dx, dy = room.nearest(cards)
        return {name: moved_cards(place, dx, dy) for name, place in places.items()}

    def _wanted_place(self, name: str) -> CardPlace:
        given = self._given_place(name)
        if given is not None:
            return given
        if self._automatic is None or name not in self._automatic:
            # if only the world has no place, no layout is needed
            others = [other for other in self.block_names() if other != WORLD]
            placed = others and all(map(self._given_place, others))
            arranged = {} if placed else self._layout()
            self._automatic = {**self._clear_of_placed(arranged), **(self._automatic or {})}
        return self._automatic.get(name, (0.0, 0.0, 0))

    def _given_place(self, name: str) -> CardPlace | None:
        entry = (self.diagram.layout or {}).get(name)
        if not isinstance(entry, list):
            return None
        numbers = [n for n in entry[:3] if isinstance(n, int | float)]
        if len(numbers) < max(2, len(entry[:3])):
            return None
        return float(numbers[0]), float(numbers[1]), int(numbers[2]) if len(numbers) > 2 else 0

    def _clear_of_placed(self, places: dict[str, CardPlace]) -> dict[str, CardPlace]:
        """Places of blocks that the file does not place, clear of those that it places: world to the left, the rest
        below."""
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

    def _layout(self) -> dict[str, CardPlace]:
        return self.clear_of_dials(page_layout(self.graph()))

    def clear_of_dials(self, places: Mapping[str, tuple[float, float]]) -> dict[str, CardPlace]:
        """Layout shifted as a whole so that none of its cards covers a dial."""
        put: dict[str, CardPlace] = {name: (x, y, 0) for name, (x, y) in places.items()}
        cards = [self._card(name, place) for name, place in put.items()]
        dx, dy = self._room_beside_dials().nearest(cards)
        return {name: moved_cards(place, dx, dy) for name, place in put.items()}

    def _room_beside_dials(self) -> Room:
        room = Room()
        for k, dial in self.dials().items():
            room.put(k, area_of(dial))
        return room

    def dials(self) -> dict[int, Dial]:
        """Dials on the canvas by their index in `dashboard:`; empty while an entry is invalid."""
        try:
            made = dials_of(self.diagram.dashboard, self.diagram.scope(), "dashboard")
        except LuffError:
            return {}
        return {k: dial for k, dial in enumerate(made) if dial.at is not None}

    def graph(self) -> Graph:
        return graph_of(
            {name: self._shape(name, 0) for name in self.block_names()},
            self.ports,
            self.diagram.connections,
            exposed(self.diagram),
        )

    def route(self, connection: str) -> list[tuple[float, float]]:
        return list(corners_of(self.diagram.layout or {}, connection))

    def forget(self, event: Event) -> None:
        """Clear the cached cards and places that an edit may have changed."""
        if event.kind == "routed":
            return
        self._shown = None
        self._pictures.pop(event.name.partition(".")[0], None)
        if event.kind != "moved" or event.name == WORLD:  # which is there once it has a place
            self._names = None
        if event.kind == "removed" and self._automatic:
            # the world stays, where the file shows it without its entry
            self._automatic.pop(event.name, None)
        if event.kind == "moved":
            return
        self._used = self._wiring = None
        if event.kind in ("added", "changed", "removed"):
            for known in (self._shapes, self._ports, self._types, self._widths):
                known.pop(event.name.partition(".")[0], None)
        elif event.kind == "section" and event.name in (
            "layout",
            "plots",
            "dashboard",
            "view",
            "doc",
            "name",
        ):
            return
        elif event.kind not in ("connected", "disconnected"):
            self.clear_caches()


_of_files: WeakKeyDictionary[object, InnerPicture | None] = WeakKeyDictionary()


def _picture_of(cls: object) -> InnerPicture | None:
    """Picture of a composite; all blocks of one file share theirs until it changes."""
    if not isinstance(cls, CompositeType) or cls.in_place:
        return inner_picture(cls)
    if cls.diagram not in _of_files:
        _of_files[cls.diagram] = inner_picture(cls)
    return _of_files[cls.diagram]


def moved_cards(place: CardPlace, dx: float, dy: float) -> CardPlace:
    return place[0] + dx, place[1] + dy, place[2]
