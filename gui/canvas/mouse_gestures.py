"""Mouse gestures as objects: each begins with a press and makes at most one edit of the document at its end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent

from ..document import note_edits
from ..document.wire_splice import splice_block
from ..drawing.exposed_ports import MORE
from ..drawing.polylines import Point
from ..drawing.snap_guides import Guide, snap, to_grid
from ..theme.dial_painting import area_of
from .block_item import BlockItem
from .dial_item import DialItem
from .gesture import Gesture
from .note_item import NoteItem
from .wire_drawing import DrawWire, draw_from
from .wire_item import NEAR_WIRE, piece_at

if TYPE_CHECKING:
    from .canvas_protocol import CanvasSurface


def begin(view: CanvasSurface, event: QMouseEvent) -> Gesture | None:
    """Create the gesture for a press, chosen by the item under the cursor."""
    if event.button() == Qt.MouseButton.MiddleButton:
        return Pan(view, event)
    if event.button() != Qt.MouseButton.LeftButton:
        return None
    place = view.place_of(event)
    dial = view.canvas.dials.at(place)
    if dial:
        return WorkDial(view, event, dial) if dial.operates_at(place) else MoveBlocks(view, event, dial)
    port = view.canvas.port_at(place)
    if port and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        if port[1] == MORE:
            names = view.document.folded_ports(port[0])
            view.offer_more(port[0], names, lambda name: draw_from(view, port[0], name))
            return None
        return DrawWire(view, event, port)
    block = view.canvas.block_at(place)
    if block:
        return MoveBlocks(view, event, block)
    wire = view.canvas.wire_at(place)
    if wire:
        return DragSegment(view, event, wire.connection)
    note = view.canvas.note_at(place)
    if note:
        return SizeNote(view, event, note) if note.at_corner(place) else MoveBlocks(view, event, note)
    return RubberBand(view, event)


class Pan(Gesture):
    def __init__(self, view: CanvasSurface, event: QMouseEvent):
        super().__init__(view, event)
        self.last = event.position()
        view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(self, event: QMouseEvent) -> None:
        moved = event.position() - self.last
        self.last = event.position()
        self.view.scroll_by(moved.x(), moved.y())

    def release(self, event: QMouseEvent) -> None:
        self.view.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.finish()


class MoveBlocks(Gesture):
    """Select on a click; move the selection with its wires on a drag, snapped to the grid and guides. Alt turns
    snapping off."""

    def __init__(self, view: CanvasSurface, event: QMouseEvent, lead: BlockItem | NoteItem | DialItem):
        super().__init__(view, event)
        self.lead = lead
        self.extend = bool(
            event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        )
        self.was_selected = lead.isSelected()
        if self.extend:
            lead.setSelected(True)
        elif not self.was_selected:
            self._select_lead()
        self.notes = {k: QPointF(self.canvas.notes[k].pos()) for k in self.canvas.selected_notes()}
        self.dials = {k: QPointF(self.canvas.dials.items[k].pos()) for k in self.canvas.dials.selected()}
        known = note_edits.notes(self.document)  # an item may not show yet what was changed a moment ago
        inside = [
            name for k in self.notes if known[k].holds for name in note_edits.held(self.document, known[k])
        ]
        self.names = list(dict.fromkeys([*self.canvas.selected_blocks(), *inside]))
        self.origins = {n: QPointF(self.canvas.blocks[n].pos()) for n in self.names}
        self.attached = self.canvas.attached_wires(self.names)
        self.displaced: dict[str, list[Point]] = {}  # wires of others that make way, as they ran before
        self.offset = (0.0, 0.0)
        self.crossed = self._wires_of_others()

    def move(self, event: QMouseEvent) -> None:
        if not self.past_threshold(event):
            return
        place = self.view.place_of(event)
        wanted = (place.x() - self.start.x(), place.y() - self.start.y())
        guides: list[Guide] = []
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.offset = (round(wanted[0]), round(wanted[1]))
        else:
            rect = self._lead_rect()
            area = self.view.mapToScene(self.view.viewport().rect()).boundingRect()
            seen = (area.left(), area.top(), area.right(), area.bottom())
            others = self.canvas.router.obstacles.cards(seen, self.origins)
            self.offset, guides = snap(rect, wanted, others)
        self._show(self.offset, guides)

    def _wires_of_others(self) -> dict[str, list[Point]]:
        """Wires before rerouting. A single unwired block that is dropped on a wire is spliced into it."""
        if len(self.names) != 1 or self.notes or self.dials or self.attached:
            return {}
        return {text: list(wire.points) for text, wire in self.canvas.wires.items()}

    def _insert_into_wire(self, place: QPointF) -> bool:
        rect = self._lead_rect()
        dx, dy = self.offset
        middle = QPointF((rect[0] + rect[2]) / 2 + dx, (rect[1] + rect[3]) / 2 + dy)
        for point in (place, middle):
            for text, points in self.crossed.items():
                if piece_at(points, point, NEAR_WIRE) < 0:
                    continue
                kind, at = self.canvas.wires[text].kind, (middle.x(), middle.y())
                if splice_block(self.document, text, kind, points, self.names[0], at):
                    return True
                self.view.message.emit(f"{self.names[0]} does not fit into {text}")
                return False
        return False

    def _select_lead(self) -> None:
        if isinstance(self.lead, NoteItem):
            self.canvas.select([], notes=[self.lead.index])
        elif isinstance(self.lead, DialItem):
            self.canvas.select([], dials=[self.lead.k])
        else:
            self.canvas.select([self.lead.name])

    def _lead_rect(self) -> tuple[float, float, float, float]:
        if isinstance(self.lead, DialItem):
            return area_of(self.lead.dial)
        if isinstance(self.lead, NoteItem):
            origin, size = self.notes[self.lead.index], self.lead.note
        else:
            origin, size = self.origins[self.lead.name], self.lead.block_shape
        return origin.x(), origin.y(), origin.x() + size.width, origin.y() + size.height

    def _show(self, offset: tuple[float, float], guides: list[Guide], finish: bool = False) -> None:
        for k, origin in self.notes.items():
            self.canvas.notes[k].setPos(origin.x() + offset[0], origin.y() + offset[1])
        for k, origin in self.dials.items():
            self.canvas.dials.items[k].setPos(origin.x() + offset[0], origin.y() + offset[1])
        for n, origin in self.origins.items():
            item = self.canvas.blocks[n]
            item.move_to(origin.x() + offset[0], origin.y() + offset[1])
            self.canvas.router.put_block(n, item.rect(), item.unwired())
        wires = self.canvas.wires
        for text in self.canvas.crossing(self.names) - self.attached:
            self.displaced.setdefault(text, wires[text].points)
        self.canvas.reroute(self.attached | self.displaced.keys(), finish)
        # those that run as before are no longer in the way
        self.displaced = {text: way for text, way in self.displaced.items() if wires[text].points != way}
        self.view.guides = guides
        self.view.viewport().update()

    def release(self, event: QMouseEvent) -> None:
        self.view.guides = []
        if self.dragging:
            if not self._insert_into_wire(self.view.place_of(event)):
                note_edits.move(self.document, self.notes, self.names, self.offset, self.dials)
            # without room the blocks are beside the place, or back at their start
            self.canvas.sync(self.names, self.attached | self.displaced.keys())
        elif self.extend and self.was_selected:
            self.lead.setSelected(False)
        elif not self.extend:
            self._select_lead()
            if isinstance(self.lead, BlockItem):
                self.view.block_clicked.emit(self.lead.name)
        self.view.viewport().update()
        self.finish()

    def holds(self) -> bool:
        return self.dials.keys() <= self.canvas.dials.items.keys()

    def cancel(self) -> None:
        self.dials = {k: origin for k, origin in self.dials.items() if k in self.canvas.dials.items}
        self._show((0.0, 0.0), [], finish=True)


class WorkDial(Gesture):
    """Operate a lever, knob, switch or button during a run."""

    def __init__(self, view: CanvasSurface, event: QMouseEvent, item: DialItem):
        super().__init__(view, event)
        self.item = item
        self.canvas.select([], dials=[item.k])
        item.hand.grip(self.start)

    def move(self, event: QMouseEvent) -> None:
        self.item.hand.pull(self.view.place_of(event), self.item.size())

    def release(self, event: QMouseEvent) -> None:
        self.item.hand.release_dial()
        self.finish()

    def holds(self) -> bool:
        return self.canvas.dials.items.get(self.item.k) is self.item

    def cancel(self) -> None:
        if self.holds():
            self.item.hand.release_dial()


class SizeNote(Gesture):
    """Resize a note by its corner."""

    def __init__(self, view: CanvasSurface, event: QMouseEvent, item: NoteItem):
        super().__init__(view, event)
        self.item, self.before = item, item.note
        self.canvas.select([], notes=[item.index])

    def move(self, event: QMouseEvent) -> None:
        place = self.view.place_of(event) - self.item.pos()
        size = (float(to_grid(place.x())), float(to_grid(place.y())))
        width, height = (max(given, least) for given, least in zip(size, note_edits.LEAST, strict=True))
        self.item.show_note(replace(self.before, width=width, height=height))

    def release(self, event: QMouseEvent) -> None:
        sized = self.item.note
        self.item.show_note(self.before)
        note_edits.change(self.document, self.item.index, "size note", width=sized.width, height=sized.height)
        self.finish()

    def holds(self) -> bool:
        return self.canvas.notes.get(self.item.index) is self.item

    def cancel(self) -> None:
        self.item.show_note(self.before)


class DragSegment(Gesture):
    """Select a wire on a click; on a drag move the segment under the cursor across its direction."""

    def __init__(self, view: CanvasSurface, event: QMouseEvent, connection: str):
        super().__init__(view, event)
        self.wire = self.canvas.wires[connection]
        extend = event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        if extend:
            self.wire.setSelected(not self.wire.isSelected())
        else:
            self.canvas.select([], [connection])
        self.piece = self.wire.piece_near(self.start)
        self.before = list(self.wire.points)
        self.route: list[tuple[float, float]] = []

    def move(self, event: QMouseEvent) -> None:
        if not self.past_threshold(event) or self.piece < 0:
            return
        place = self.view.place_of(event)
        free = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        route = with_dragged_segment(self.before, self.piece, place.x(), place.y(), free)
        if not self.canvas.is_routable(self.wire.connection, route):
            return  # a block is there: the wire stays where it could go last
        self.route = route
        self.wire.setData(0, self.route)
        self.canvas.reroute([self.wire.connection], finish=False)

    def release(self, event: QMouseEvent) -> None:
        if self.route:
            self.document.drag_wire(self.wire.connection, self.route)
            self.canvas.sync()
            self.canvas.reroute([self.wire.connection])
        self.finish()

    def cancel(self) -> None:
        if self.route:
            self.wire.setData(0, self.document.route(self.wire.connection))
            self.canvas.reroute([self.wire.connection])


def with_dragged_segment(
    points: list[tuple[float, float]], piece: int, x: float, y: float, free: bool
) -> list[tuple[float, float]]:
    """Corners of a wire after segment `piece` was dragged to (x, y); the wire's ends stay at their ports."""
    (x1, _y1), (x2, _y2) = points[piece], points[piece + 1]
    upright = x1 == x2
    to = (lambda value: round(value)) if free else to_grid
    shift = lambda p: (float(to(x)), p[1]) if upright else (p[0], float(to(y)))  # noqa: E731
    corners: list[tuple[float, float]] = list(points[1:piece])
    if piece == 0:
        stub = _point_towards(points[0], points[1])
        corners += [stub, shift(stub)]
    else:
        corners.append(shift(points[piece]))
    if piece + 1 == len(points) - 1:
        stub = _point_towards(points[-1], points[-2])
        corners += [shift(stub), stub]
    else:
        corners += [shift(points[piece + 1]), *points[piece + 2 : -1]]
    return corners


def _point_towards(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Point 10 units from a towards b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    far = abs(dx) + abs(dy) or 1.0
    return a[0] + 10.0 * dx / far, a[1] + 10.0 * dy / far


class RubberBand(Gesture):
    """Select the blocks and dials that the rectangle touches and the wires inside it; Shift adds to the selection."""

    def __init__(self, view: CanvasSurface, event: QMouseEvent):
        super().__init__(view, event)
        keep = event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        canvas = self.canvas
        self.kept: tuple[list[str], list[str], list[int], list[int]] = ([], [], [], [])
        if keep:
            self.kept = (
                canvas.selected_blocks(),
                canvas.selected_wires(),
                canvas.selected_notes(),
                canvas.dials.selected(),
            )
        canvas.select(*self.kept)

    def move(self, event: QMouseEvent) -> None:
        if not self.past_threshold(event):
            return
        band = QRectF(self.start, self.view.place_of(event)).normalized()
        self.view.band = band
        names = [n for n, item in self.canvas.blocks.items() if band.intersects(item.area)]
        wires = [
            t
            for t, wire in self.canvas.wires.items()
            if wire.isVisible() and band.contains(wire.path().boundingRect().adjusted(-1, -1, 1, 1))
        ]
        dials = [
            k for k, item in self.canvas.dials.items.items() if band.intersects(item.sceneBoundingRect())
        ]
        kept = self.kept
        self.canvas.select([*kept[0], *names], [*kept[1], *wires], kept[2], [*kept[3], *dials])
        self.view.viewport().update()

    def release(self, event: QMouseEvent) -> None:
        self.cancel()
        self.finish()

    def cancel(self) -> None:
        self.view.band = None
        self.view.viewport().update()
