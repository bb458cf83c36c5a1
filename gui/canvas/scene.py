"""Scene of a document: it follows the document's events and never edits it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

from PySide6.QtCore import QObject, QRect, QRectF, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem

from ...blocks.errors import Problem
from ...blocks.ports import FRAME
from ...solver.diagram.edit_events import Event
from ...solver.diagram.enabled import is_enabled
from ..document.document import Document
from ..document.following_units import is_controller, number_unit
from ..document.note_edits import notes
from ..drawing.net_labels import SHOWN, is_labelled, labels
from ..drawing.obstacles import CLEARANCE
from ..drawing.polylines import End, Point, Rect
from ..drawing.router import Router
from ..drawing.wire_layout import (
    ROUNDS,
    Ways,
    Wire,
    dragged_way,
    forget_wire,
    put,
    route_wires,
    routing,
    way_of,
)
from ..drawing.wire_nets import ends, net_of_each, spread_ends, wired_ports
from ..theme import active_theme as themes
from .block_item import BEYOND, BlockItem, value_line
from .canvas_items import CanvasItems
from .note_item import NoteItem
from .overview import paint_overview
from .problem_marks import marks_of
from .rest_routing import RestRouting
from .shape_links import ShapeLinks, shape_links
from .wire_item import WireItem, show_crossings

OVERVIEW_BELOW = 0.3  # pixels to a unit under which blocks and wires are painted together, without details
LARGE = 300  # blocks of a large diagram, of which more are seen than can be painted one by one
LARGE_BELOW = 0.55  # pixels to a unit under which those of a large diagram are painted together
ROUTED_ANEW = 120  # wires, of which all are routed in less than one frame of 15 a second


class CanvasScene(CanvasItems):
    synced = Signal()
    lit = Signal()  # other states of state machines are active

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(document, parent)
        self.document = document
        self.router = Router()
        self._spread: dict[str, float] = {}  # see spread_ends
        self._renamed: set[str] = set()  # wires that belong to another net than when they were laid
        self._gaps: tuple[int, dict[Rect, float]] = (0, {})  # edits of obstacles; free width of each card
        self.overview = False
        self.run_problems: list[Problem] = []
        self._dirty: set[str] = set()
        self._gains: dict[str, str] = {}  # units of controllers, which wires far from them may tell
        self._wires_dirty = True
        self.rest = RestRouting(self, self._route_anew)
        self.shape_links = ShapeLinks()
        self.addItem(self.shape_links)
        self.selectionChanged.connect(lambda: self.shape_links.follow(self.blocks))
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.sync)
        self._asked: dict[str, None] = {}  # composites whose pictures are wanted, in order
        self._pictures = QTimer(self, singleShot=True, interval=0)
        self._pictures.timeout.connect(self._next_picture)
        document.edited.connect(self._on_event)
        document.checked.connect(self._on_checked)
        themes.holder.changed.connect(self.update)
        self.sync_all()

    # ------------------------------------------------------------------ following the document

    def _on_event(self, event: Event) -> None:
        if event.kind in ("reset", "section"):
            self._dirty.update(self.document.block_names())
            self._wires_dirty = True
        elif event.kind == "renamed":
            item = self.blocks.pop(event.detail, None)
            if item is not None:  # it stays the same, selected if it was
                self.blocks[event.name], item.name = item, event.name
                self.router.drop_block(event.detail)
            self._dirty.add(event.name)
            self._wires_dirty = True
        else:
            if event.kind in ("added", "removed", "connected", "disconnected", "routed"):
                self._wires_dirty = True
            if event.kind in ("added", "changed", "moved"):
                self._dirty.add(event.name.partition(".")[0])
        self._timer.start()

    def sync_all(self) -> None:
        self._dirty.update(self.document.block_names())
        self._wires_dirty = True
        self.sync()

    def sync(self, shifted: Iterable[str] = (), rerouted: Collection[str] = ()) -> None:
        """Synchronise the items with the document; `shifted` blocks are not where the document has them, and the
        `rerouted` wires not as they are laid."""
        self._timer.stop()
        self._dirty.update(shifted)
        names = self.document.block_names()
        lost = self.blocks.keys() - set(names)
        for name in lost:
            self.removeItem(self.blocks.pop(name))
            self.router.drop_block(name)
            self._wires_dirty = True
        self._dirty.update(name for name in names if name not in self.blocks)
        wired = wired_ports(self.document.diagram.connections)
        moved: set[str] = set()
        for name in names:
            item = self.blocks.get(name)
            own = wired.get(name, set())
            stale = item is None or name in self._dirty or item.wired != own or self._is_elsewhere(name, item)
            if stale and self._show_block(name, own):
                moved.add(name)
        self._dirty.clear()
        before = set(self.wires)
        stale = self._sync_wires() if self._wires_dirty else set()
        gone = before - self.wires.keys()
        self._wires_dirty = False
        if moved:
            stale |= self._touched_by(moved)
        stale |= self.wires.keys() & rerouted
        diagram = self.document.diagram
        self.shape_links.pairs = [*shape_links({name: diagram.block_entry(name) for name in names})]
        if lost or moved or gone or stale or self._renamed:
            self.reroute(stale)
        else:
            self.shape_links.follow(self.blocks)
        self._mark_problems()
        self._sync_notes()
        self.show_room()

    def show_room(self) -> None:
        super().show_room()
        self.synced.emit()

    def show_states(self, states: Mapping[str, int]) -> None:
        """Highlight the active state of each state machine; `states` maps block to state number, 0 or absent for
        none."""
        changed = False
        for name, item in self.blocks.items():
            number = states.get(name, 0) if item.chart else 0
            if item.active_state != number:
                item.active_state, changed = number, True
                item.update()
        if changed:
            self.lit.emit()

    def show_fates(self, fates: Mapping[str, str]) -> None:
        """Mark blocks and wires as added, removed, changed or moved between two models."""
        for name, item in (*self.blocks.items(), *self.wires.items()):
            item.fate = fates.get(name, "")
            item.update()

    def _ask_picture(self, name: str) -> None:
        """Have the picture of a composite that is seen made when there is time."""
        if name not in self._asked:
            self._asked[name] = None
            self._pictures.start()

    def _next_picture(self) -> None:
        """Make the next picture; edits and mouse events come between two."""
        name = next(iter(self._asked))
        del self._asked[name]
        if self._asked:
            self._pictures.start()
        self.show_picture(name)

    def show_picture(self, name: str) -> None:
        item = self.blocks.get(name)
        if item is not None and item.picture_due:
            picture = self.document.picture(name)
            item.picture_due = False
            if picture is not item.picture:
                item.picture = picture
                item.update()

    def _is_elsewhere(self, name: str, item: BlockItem) -> bool:
        """True if the document has moved the block since the item was placed, as when a neighbour grew."""
        x, y, _ = self.document.place(name)
        return item.x() != x or item.y() != y

    def _free_width(self, card: Rect) -> float:
        """Free width on both sides of a card, shared with its neighbours."""
        edits = self.router.obstacles.edits
        if self._gaps[0] != edits:
            self._gaps = edits, {}
        known = self._gaps[1].get(card)
        if known is None:
            left, top, right, bottom = card
            near = self.router.obstacles.within((left - BEYOND, top, right + BEYOND, bottom))
            beside = [max(r[0] - right, left - r[2]) + CLEARANCE for r in near]
            known = max(0.0, min((gap for gap in beside if gap > 0.0), default=BEYOND) - 2.0)
            self._gaps[1][card] = known
        return known

    def _show_block(self, name: str, wired: set[str]) -> bool:
        """Create or refresh a block item; True if its place or its ports' places changed."""
        item = self.blocks.get(name)
        if item is None:
            item = self.blocks[name] = BlockItem(name, self._free_width, self._ask_picture)
            item.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents, self.overview)
            self.addItem(item)
        before = (item.pos(), item.block_shape, item.missing_ports())
        type_name, family = self.document.type_and_family(name)
        x, y, turned = self.document.place(name)
        raw = self.document.diagram.block_entry(name)
        chart = self.document.chart(name)
        unit_of = partial(number_unit, self.document, name)
        parameters = self.document.diagram.parameters
        lines = ("", "") if chart else (value_line(raw, parameters, unit_of), value_line(raw, parameters))
        shape, ports = self.document.shape(name), self.document.shown_ports(name)
        item.show_block(type_name, family, shape, ports, wired, lines, turned, chart)
        if shape.face is None:
            item.picture, item.picture_due = None, False
        else:
            item.picture_due = True
            if self.document.has_picture(name):
                self.show_picture(name)
        item.move_to(x, y)
        out = not is_enabled(raw)
        if item.out != out:
            item.out, self._wires_dirty = out, True
        self.router.put_block(name, item.rect(), item.unwired())
        return before != (item.pos(), item.block_shape, item.missing_ports())

    def _sync_wires(self) -> set[str]:
        connections = list(dict.fromkeys(self.document.diagram.connections))
        for text in self.wires.keys() - set(connections):
            self.removeItem(self.wires.pop(text))
            forget_wire(self.router, text)
        stale = set()
        nets = net_of_each(connections)
        spread, self._spread = self._spread, spread_ends(connections)
        for text in connections:
            if any(spread.get(end) != self._spread.get(end) for end in ends(text)):
                stale.add(text)
            item = self.wires.get(text)
            if item is None:
                item = self.wires[text] = WireItem(text)
                item.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents, self.overview)
                self.addItem(item)
                stale.add(text)
            route = (
                SHOWN if is_labelled(self.document.diagram.layout or {}, text) else self.document.route(text)
            )
            if item.data(0) != route:
                item.setData(0, route)
                stale.add(text)
            if item.net != nets[text]:
                item.net = nets[text]
                self._renamed.add(text)
            blocks = [self.blocks.get(self.document.split(end)[0]) for end in ends(text)]
            out = any(block is not None and block.out for block in blocks)
            if item.out != out:
                item.out = out
                item.update()
            item.kind = self._kind(text)
        return stale

    def _sync_notes(self) -> None:
        known = notes(self.document)
        for index in [index for index in self.notes if index not in known]:
            self.removeItem(self.notes.pop(index))
        for index, note in known.items():
            item = self.notes.get(index)
            if item is None:
                item = self.notes[index] = NoteItem(index, note)
                self.addItem(item)
            elif item.note != note or (item.x(), item.y()) != (note.x, note.y):
                item.show_note(note)

    def _kind(self, text: str) -> str:
        for reference in ends(text):
            block, port = self.document.split(reference)
            item = self.blocks.get(block)
            if item and port in item.block_ports:
                return item.block_ports[port].kind
        return "frame" if "--" in text else "signal"

    def attached_wires(self, names: Iterable[str]) -> set[str]:
        inside = set(names)
        return {text for text in self.wires if {self.document.split(r)[0] for r in ends(text)} & inside}

    def _touched_by(self, moved: set[str]) -> set[str]:
        """Wires of the moved blocks, and wires that now run through a block."""
        return self.attached_wires(moved) | self.crossing(moved)

    def crossing(self, moved: Iterable[str]) -> set[str]:
        """Wires near the given blocks that run through a block or have no route yet."""
        rects = [self.blocks[name].rect() for name in moved if name in self.blocks]
        if not rects:
            return set()
        left, top = min(r[0] for r in rects), min(r[1] for r in rects)
        right, bottom = max(r[2] for r in rects), max(r[3] for r in rects)
        crossed = set()
        for text, wire in self.wires.items():
            x1, y1, x2, y2 = wire.extent
            near = x1 < right and x2 > left and y1 < bottom and y2 > top
            lost = not wire.points and wire.data(0) != SHOWN
            if lost or (near and self.router.obstacles.crossed(wire.points)):
                crossed.add(text)
        return crossed

    # ------------------------------------------------------------------ wires

    def wire_ends(self, text: str) -> tuple[End, End] | None:
        pair = []
        for reference in ends(text):
            block, port = self.document.split(reference)
            item = self.blocks.get(block)
            end = item.end(port) if item else None
            if end is None and item is not None:
                end = item.missing_end(port)
            if end is None:
                return None
            pair.append(end.beside(self._spread.get(reference, 0.0)))
        return pair[0], pair[1]

    def reroute(self, texts: Iterable[str], finish: bool = True) -> None:
        """Route some wires; with `finish` also reroute wires that they would overlap, and mark crossings.

        All are then routed anew, in the order of the netlist: what is drawn is what the file shows when it is opened
        again, whatever edits led there. Few wires are at once, many when the edits have come to rest.
        """
        self.rest.stop()
        stale = set(texts)
        anew = finish and (len(self.wires) <= ROUTED_ANEW or len(stale) == len(self.wires))
        if anew:
            self._put_in_order()
            stale = set(self.wires)
        laid = self._laid_routes(self.wires if finish else stale)
        for text in stale:
            self.wires[text].setVisible(text in laid)
            if text not in laid:
                forget_wire(self.router, text)
        ways = {text: self.wires[text].points for text in laid}
        for text in self._renamed & laid.keys() - stale:
            put(self.router, text, laid[text], ways, ways[text])
        self._renamed.clear()
        # in a frame of a drag no wire waits for better places of the others
        route_wires(self.router, laid, ways, stale & laid.keys(), ROUNDS if finish else 0)
        self._show_ways(laid, ways, finish)
        if finish and not anew:
            self.rest.begin()

    def _route_anew(self) -> Iterator[None]:
        """Route all wires as when the file is opened."""
        self._put_in_order()
        router, laid = Router(), self._laid_routes(self.wires)
        router.obstacles, router.unwired = self.router.obstacles, self.router.unwired
        ways: dict[str, list[Point]] = {text: [] for text in laid}
        yield from routing(router, laid, ways, laid.keys())
        self.router = router
        self._show_ways(laid, ways)
        self.update()

    def _put_in_order(self) -> None:
        """Put the wires in the order of the netlist."""
        for text in [text for text in self.document.diagram.connections if text in self.wires]:
            self.wires[text] = self.wires.pop(text)

    def _show_ways(self, laid: Mapping[str, Wire], ways: Ways, finish: bool = True) -> None:
        for text, way in ways.items():
            wire = laid[text]
            self.wires[text].show_points(way, () if way else labels(text, wire.net, wire.start, wire.end))
        self.shape_links.follow(self.blocks)
        if finish:
            show_crossings(self.wires.values(), self.router.tracks)

    def _laid_routes(self, texts: Iterable[str]) -> dict[str, Wire]:
        return {text: wire for text in texts if (wire := self._laid_route(text))}

    def _laid_route(self, text: str) -> Wire | None:
        item, both = self.wires[text], self.wire_ends(text)
        corners = item.data(0)
        if both is None:
            return None
        labelled = corners == SHOWN
        return Wire(*both, item.net, item.kind == FRAME, () if labelled else tuple(corners or ()), labelled)

    def is_routable(self, text: str, corners: list[Point]) -> bool:
        """True if a wire can be routed through the corners that it is dragged to."""
        both = self.wire_ends(text)
        return both is not None and bool(
            dragged_way(self.router, Wire(*both, self.wires[text].net, corners=tuple(corners)))
        )

    def found_way(self, a: End, b: End, corners: list[Point]) -> list[Point]:
        """Route of a wire that is being drawn; empty if there is none around the blocks."""
        return way_of(self.router, Wire(a, b, ("", ""), corners=tuple(corners)))

    # ------------------------------------------------------------------ marking

    def show_run_problems(self, problems: list[Problem]) -> None:
        """Show problems found by compilation in addition to the document's own checks."""
        self.run_problems = list(problems)
        self._mark_problems()

    def _on_checked(self) -> None:
        self._mark_problems()
        document = self.document
        gains = {
            name: number_unit(document, name, "kp") for name in self.blocks if is_controller(document, name)
        }
        changed = {name for name, unit in gains.items() if unit != self._gains.get(name)}
        self._gains = gains
        if changed:
            self._dirty.update(changed)
            self._timer.start()

    def _mark_problems(self) -> None:
        marks = marks_of([*self.document.problems, *self.run_problems], self.document, self.blocks)
        for name, item in (*self.blocks.items(), *self.wires.items()):
            if item.problem != marks.get(name, ""):
                item.problem = marks.get(name, "")
                item.update()

    # ------------------------------------------------------------------ painting from afar

    def show_detail(self, pixels: float) -> None:
        """Paint items one by one, or all together where they are small, at so many pixels to a unit."""
        self.set_overview(pixels < (LARGE_BELOW if len(self.blocks) > LARGE else OVERVIEW_BELOW))

    def set_overview(self, on: bool) -> None:
        if on == self.overview:
            return
        self.overview = on
        for item in [*self.blocks.values(), *self.wires.values(), self.shape_links]:
            item.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents, on)
        self.update()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        if self.overview:
            chosen = set(self.selectedItems())
            paint_overview(painter, self.blocks.values(), self.wires.values(), chosen, QRectF(rect))
