"""Wire drawing by drag or by two clicks: ports that fit are highlighted, others show the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPen
from PySide6.QtWidgets import QGraphicsPathItem

from ...blocks import ConnectError
from ..document.element_assignment import choose_wire, connect_ports, may_fit, ordered, refusal_reason
from ..drawing.exposed_ports import MORE
from ..drawing.polylines import End, Point
from ..drawing.snap_guides import to_grid
from ..drawing.wire_nets import ends
from ..theme.active_theme import theme
from .gesture import Gesture
from .wire_item import rounded

if TYPE_CHECKING:
    from .canvas_protocol import CanvasSurface

MOST_CHECKED = 400  # ports whose fit is looked up when the wire begins: those in view, no more than these


class DrawWire(Gesture):
    def __init__(self, view: CanvasSurface, event: QMouseEvent, port: tuple[str, str]):
        super().__init__(view, event)
        self.port = port
        self.reference = ".".join(port)
        self.clicking = False  # click and click, not drag
        self.corners: list[Point] = []
        item = self.canvas.blocks[port[0]]
        port_end = item.end(port[1]) or item.end(MORE)
        assert port_end is not None  # the port was under the cursor
        self.end = port_end
        self.mine = self.document.ports(port[0])[port[1]]
        self.kind, self.direction = self.mine.kind, self.mine.direction
        self.preview = QGraphicsPathItem()
        self.preview.setZValue(20)
        self.canvas.addItem(self.preview)
        self._highlight_targets()

    def holds(self) -> bool:
        return self.port[0] in self.canvas.blocks and self.port[1] in self.document.ports(self.port[0])

    # ------------------------------------------------------------------ what fits

    def _highlight_targets(self) -> None:
        area = self.view.mapToScene(self.view.viewport().rect()).boundingRect()
        mine = self.mine
        checked = 0
        for name, item in self.canvas.blocks.items():
            fits: set[str] = set()
            if item.mapRectToScene(item.boundingRect()).intersects(area):
                for key, port in item.block_ports.items():
                    if key == MORE:
                        fits |= {key} if self._folded_ports(name) else set()
                        continue
                    if (name, key) == self.port or not may_fit(mine, port) or checked >= MOST_CHECKED:
                        continue
                    checked += 1
                    if not refusal_reason(self.document, *ordered(self.reference, f"{name}.{key}", port)):
                        fits.add(key)
            item.glowing, item.faded = fits, not fits and name != self.port[0]
            item.update()

    def _folded_ports(self, block: str) -> list[str]:
        """Folded ports of a block that may fit the wire."""
        ports = self.document.ports(block)
        names = (name for name in self.document.folded_ports(block) if (block, name) != self.port)
        return [name for name in names if may_fit(self.mine, ports[name])]

    def _target(self, place: QPointF) -> tuple[str, str] | None:
        """Port under the cursor, or the port that the wire under the cursor leads to."""
        port = self.canvas.port_at(place, 12)
        if port and port != self.port:
            return port
        wire = self.canvas.wire_at(place)
        if wire is None or self.port in [self.document.split(r) for r in ends(wire.connection)]:
            return None
        candidates = [self.document.split(r) for r in ends(wire.connection)]
        if "->" in wire.connection:
            return candidates[0]

        def distance(candidate: tuple[str, str]) -> float:
            item = self.canvas.blocks.get(candidate[0])
            end = item.end(candidate[1]) if item else None
            return abs(end.x - place.x()) + abs(end.y - place.y()) if end else float("inf")

        return min(candidates, key=distance)

    def _why_not(self, target: tuple[str, str]) -> str:
        port = self.document.ports(target[0]).get(target[1])
        if target[1] == MORE:
            return "" if self._folded_ports(target[0]) else f"none of the other ports fits {self.reference}"
        return refusal_reason(self.document, *ordered(self.reference, ".".join(target), port))

    def _target_hint(self, target: tuple[str, str]) -> str:
        """Hint for a target port, including the vector elements that the wire would take."""
        other = ".".join(target)
        if target[1] == MORE:
            return other
        port = self.document.ports(target[0]).get(target[1])
        joint = choose_wire(self.document, *ordered(self.reference, other, port))
        if joint.moved:
            return f"{joint.target}; the wire that is there takes {joint.moved_to}"
        picked = [end for end in (joint.source, joint.target) if end.endswith("]")]
        return " -> ".join((joint.source, joint.target)) if len(picked) == 2 else (picked or [other])[0]

    # ------------------------------------------------------------------ events

    def move(self, event: QMouseEvent) -> None:
        place = self.view.place_of(event)
        target = self._target(place)
        reason = self._why_not(target) if target else ""
        end = self.canvas.blocks[target[0]].end(target[1]) if target else None
        self._show(end or End(place.x(), place.y(), self._arrival_side(place)), bool(reason))
        if target and not reason:
            reason = self._target_hint(target)
        self.view.show_hint(reason, QPointF(end.x, end.y) if end else place, end.side if end else "")

    def _arrival_side(self, place: QPointF) -> str:
        """Side from which the loose end of the wire arrives at the cursor."""
        x, y = self.corners[-1] if self.corners else (self.end.x, self.end.y)
        dx, dy = place.x() - x, place.y() - y
        if abs(dx) >= abs(dy):
            return "left" if dx > 0 else "right"
        return "top" if dy > 0 else "bottom"

    def _show(self, end: End, wrong: bool) -> None:
        points = self.canvas.found_way(self.end, end, self.corners)
        if not points:
            return  # over a block: the wire stays where it could go last
        colour = theme().colour("error") if wrong else theme().wire(self.kind)
        self.preview.setPen(QPen(colour, 1.6, Qt.PenStyle.DashLine if wrong else Qt.PenStyle.SolidLine))
        self.preview.setPath(rounded(points))

    def press(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            self.view.cancel_gesture()
            return
        place = self.view.place_of(event)
        target = self._target(place)
        if target:
            self._connect(target)
        elif self.canvas.block_at(place) is None:
            self.corners.append((to_grid(place.x()), to_grid(place.y())))

    def release(self, event: QMouseEvent) -> None:
        if self.clicking or self.view.gesture is not self:
            return
        if (event.position() - self.start_pixel).manhattanLength() < 6:
            self.clicking = True
            return
        place = self.view.place_of(event)
        target = self._target(place)
        if not self.view.viewport().rect().contains(event.position().toPoint()):
            reference, direction = self.reference, self.direction
            self.view.cancel_gesture()
            if direction == "out":
                self.view.port_dropped.emit(reference, event.globalPosition().toPoint())
            elif direction == "in":
                self.view.message.emit(
                    f"{reference} is an input: plots show outputs, such as the one wired to it"
                )
        elif target:
            self._connect(target)
        elif self.canvas.block_at(place):
            self.view.cancel_gesture()
        else:
            # dropped in the air: ask which block should be there
            reference = self.reference
            self.view.cancel_gesture()
            self.view.quick_insert.open(place, "", reference)

    def _connect(self, target: tuple[str, str]) -> None:
        reason = self._why_not(target)
        if reason:
            self.view.message.emit(reason)
            if not self.clicking:
                self.view.cancel_gesture()
            return
        if target[1] == MORE:
            self.clicking = True
            offered = self._folded_ports(target[0])
            self.view.offer_more(target[0], offered, lambda port: self._connect((target[0], port)))
            return
        port = self.document.ports(target[0]).get(target[1])
        a, b = ordered(self.reference, ".".join(target), port)
        corners = self.corners if a == self.reference else self.corners[::-1]
        self.view.gesture = None
        self.cancel()
        self.view.show_hint("")
        try:
            with self.document.step(f"connect {a} and {b}"):
                connection = connect_ports(self.document, a, b)
                if corners:
                    self.document.drag_wire(connection, corners)
        except ConnectError as error:
            self.view.message.emit(str(error))
            return
        self.canvas.sync()

    def cancel(self) -> None:
        if self.preview.scene():
            self.canvas.removeItem(self.preview)
        for item in self.canvas.blocks.values():
            if item.glowing or item.faded:
                item.glowing, item.faded = set(), False
                item.update()


def draw_from(view: CanvasSurface, block: str, port: str) -> None:
    """Start a wire at a named port; the next click ends it."""
    end = view.canvas.blocks[block].end(port) or view.canvas.blocks[block].end(MORE)
    if end is None:
        return
    at, left = QPointF(view.mapFromScene(QPointF(end.x, end.y))), Qt.MouseButton.LeftButton
    globally = view.viewport().mapToGlobal(at)
    kind = QEvent.Type.MouseButtonPress
    event = QMouseEvent(kind, at, globally, left, left, Qt.KeyboardModifier.NoModifier)
    wire = DrawWire(view, event, (block, port))
    wire.clicking = True
    view.gesture = wire
