"""Insertion of blocks into or at the end of a wire, aligned with it; later blocks move to make room."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...blocks import ConnectError, Port
from ...blocks.ports import FRAME
from ...solver.diagram.port_compatibility import check_pair, wire_sign
from ...solver.flatten.diagram import Diagram
from ...solver.netlist.wire_syntax import parse_end
from ..drawing.block_spacing import GAP as BETWEEN
from ..drawing.card_geometry import GRID, NEAR_WORLD
from ..drawing.polylines import Point, Rect
from ..drawing.snap_guides import to_grid
from ..drawing.wire_nets import ends
from . import undo_commands
from .block_cards import WORLD
from .document import Document
from .element_assignment import MEASURED, connect_ports, refusal_reason

APART = 40.0  # px of wire on both sides of the block
NEAR = 4 * GRID  # px by which the block may have been dropped beside the line
BODY = {
    "frame_sensor": "frame_b",
    "contact": "of",
}  # by type, of what is on a body; the others count from the world
NAMESAKES = {MEASURED: "trajectory"}  # inputs, each with the output that it is called in a joint
MECHANICAL = ("joints", "forces")
FACING = {("left", "right"), ("right", "left"), ("top", "bottom"), ("bottom", "top")}


def splice(
    document: Document,
    connection: str,
    kind: str,
    points: list[Point],
    type_name: str,
    at: Point,
    makes_room: bool = True,
) -> str:
    """Splice a new block into a wire near `at` and return its name; empty if its ports do not fit.

    Where it does not make room, the others stay, and it stands in the nearest free place.
    """
    name = document.fresh_name(Path(type_name).stem)
    way = _plan_splice(document, connection, kind, points, name, ports_of_type(document, type_name))
    if way is None:
        return ""
    with document.step(f"insert {name}"):
        document.settle()
        document.push(undo_commands.AddBlock(document.diagram, name, {"type": type_name}))
        _lead_through(document, connection, way)
        if makes_room:
            _put(document, name, way, at)
        else:
            shape = document.shape(name)
            corner = to_grid(at[0] - shape.width / 2), to_grid(at[1] - shape.height / 2), 0
            place = document.free_places({name: corner})
            document.push(undo_commands.MoveBlocks(document.diagram, "place", place))
    return name


def splice_block(
    document: Document, connection: str, kind: str, points: list[Point], name: str, at: Point
) -> bool:
    """Splice an existing block into a wire; False if the ports needed do not fit or are wired."""
    way = _plan_splice(document, connection, kind, points, name, document.ports(name))
    if way is None or {way.into, way.out} & document.used_ports().get(name, set()):
        return False
    with document.step(f"insert {name}"):
        document.settle()
        _lead_through(document, connection, way)
        _put(document, name, way, at)
    return True


@dataclass(frozen=True)
class Way:
    """Planned splice: the wire's ends, the block's two ports, and the wire's points from its first end."""

    first: str
    into: str
    out: str
    second: str
    points: list[Point]
    name: str


def _plan_splice(
    document: Document,
    connection: str,
    kind: str,
    points: list[Point],
    name: str,
    ports: Mapping[str, Port],
) -> Way | None:
    """Plan a splice; None if the block does not fit the wire."""
    first, second = ends(connection)
    if "--" in connection and document.split(first)[1] in NEAR_WORLD and document.split(first)[0] != WORLD:
        first, second, points = second, first, points[::-1]
    into, out = _through_ports(ports, kind)
    if not into or not out or name in (document.split(first)[0], document.split(second)[0]):
        return None
    mine = {f"{name}.{key}": ports[key] for key in (into, out)}
    for a, b in ((first, f"{name}.{into}"), (f"{name}.{out}", second)):
        if not ports_fit(document, a, b, mine):
            return None
    return Way(first, into, out, second, points, name)


def ports_fit(document: Document, a: str, b: str, mine: Mapping[str, Port]) -> bool:
    """True if kinds, units and widths of two ports fit, existing wires aside."""
    known = [parse_end(a), parse_end(b)]
    ports = [mine.get(str(end)) or document.ports(end.block).get(end.port) for end in known]
    if ports[0] is None or ports[1] is None:
        return False
    try:
        check_pair(known[0], wire_sign(ports[0]), known[1], ports[0], ports[1])
    except ConnectError:
        return False
    return True


def _lead_through(document: Document, connection: str, way: Way) -> None:
    document.push(undo_commands.Disconnect(document.diagram, connection))
    for a, b in ((way.first, f"{way.name}.{way.into}"), (f"{way.name}.{way.out}", way.second)):
        document.push(undo_commands.Connect(document.diagram, a, b))


def _put(document: Document, name: str, way: Way, at: Point) -> None:
    x, y = _insertion_place(document, name, way.into, way.points, at)
    place = document.free_places({name: (x, y, document.place(name)[2])})
    document.push(undo_commands.MoveBlocks(document.diagram, "place", place))


def ports_of_type(document: Document, type_name: str) -> Mapping[str, Port]:
    """Ports of a new block of a type."""
    scratch = Diagram()
    scratch.base = document.diagram.base
    scratch.add_block("new", {"type": type_name})
    return scratch.block_ports("new")


def _through_ports(ports: Mapping[str, Port], kind: str) -> tuple[str, str]:
    """Ports at which a wire of some kind enters and leaves the block."""
    fitting = [port for port in ports.values() if port.kind == kind]
    entries = [p.name for p in fitting if p.direction == "in" or (p.acausal and p.name in (*NEAR_WORLD, "a"))]
    exits = [p.name for p in fitting if p.direction == "out" or (p.acausal and p.name not in entries)]
    return entries[0] if entries else "", exits[0] if exits else ""


def _insertion_place(
    document: Document, name: str, into: str, points: list[Point], at: Point
) -> tuple[float, float]:
    """Place of the block on the wire's nearest horizontal segment; what stands to its right moves to make room."""
    shape = document.shape(name)
    pieces = [(a, b) for a, b in itertools.pairwise(points) if a[1] == b[1] and a[0] < b[0]]
    anchor = shape.anchors[into]
    if not pieces or anchor.side != "left":
        return to_grid(at[0] - shape.width / 2), to_grid(at[1] - shape.height / 2)
    (left, y), (right, _) = min(pieces, key=lambda piece: _distance(piece, at))
    needed = shape.width + 2 * APART
    missing = math.ceil((needed - (right - left)) / GRID) * GRID
    if missing > 0:
        row = (left + right) / 2, y - anchor.y, right, y - anchor.y + shape.height
        document.move(dict.fromkeys(_moving_along(document, name, row), (missing, 0.0)))
        right += missing
    x = min(max(at[0] - shape.width / 2, left + APART), right - APART - shape.width)
    return to_grid(x), y - anchor.y


def _moving_along(document: Document, name: str, row: Rect) -> set[str]:
    """Blocks right of a new one that move with its row: those of the row, those wired to them, and their rows."""
    cards = {other: document.card(other) for other in document.block_names() if other != name}
    after = {other: card for other, card in cards.items() if card[0] >= row[0]}

    def behind(place: Rect) -> set[str]:
        left, top, _, bottom = place
        return {
            other for other, card in after.items()
            if card[0] >= left and card[1] < bottom + BETWEEN and card[3] > top - BETWEEN
        }  # fmt: skip

    found = behind(row)
    waiting = [*found]
    while waiting:
        here = waiting.pop()
        wired = {there.block for _, _, there in document.wiring.leaving(here)} & after.keys()
        more = (wired | behind(after[here])) - found
        found |= more
        waiting += more
    return found


def _distance(piece: tuple[Point, Point], at: Point) -> float:
    (left, y), (right, _) = piece
    return abs(at[1] - y) + max(left - at[0], 0.0, at[0] - right)


def outgoing_port(document: Document, name: str) -> str:
    """Port at which a chain of blocks goes on: the frame, oil port or shaft away from the world, else an output; free
    ones first. Where all outputs are wired it is an input that has to be wired and is not. Empty if there is none."""
    used, folded = document.used_ports().get(name, ()), document.folded_ports(name)
    ports = [port for key, port in document.ports(name).items() if key not in folded and not port.inner]
    exits = [p for p in ports if (p.acausal and p.name not in (*NEAR_WORLD, "a")) or p.direction == "out"]
    best = min(exits, key=lambda port: (not port.acausal, port.name in used), default=None)
    missing = _missing_inputs(document, name)
    if missing and (best is None or (not best.acausal and best.name in used)):
        best = missing[0]
    return f"{name}.{best.name}" if best else ""


def _missing_inputs(document: Document, name: str) -> list[Port]:
    """Inputs that have to be wired and are not."""
    used = document.used_ports().get(name, ())
    ports = document.ports(name).values()
    return [p for p in ports if p.direction == "in" and p.default is None and p.name not in used]


def wire_new(document: Document, reference: str, name: str) -> tuple[bool, list[str]]:
    """Connect a port to a new block: False if none of its ports fits. Signals of one name come along, and are returned:
    with the trajectory of a joint to a drive its effort, and the other way round. A drive for which a joint's frame is
    given stands under the joint. A block of which nothing fits feeds an input that is missing: a planner a drive."""
    block, port = document.split(reference)
    mine = _wire_aligned(document, reference, name)
    if mine and NAMESAKES.get(mine, mine) != port:
        return True, []
    others = _wire_by_name(document, block, name)
    if others and not mine:
        (left, _, _, bottom), (x, y, _) = document.card(block), document.place(name)
        document.move({name: (left - x, bottom + 2 * APART - y)})
    return bool(mine), others if mine or others else _feed(document, block, name)


def _wire_aligned(document: Document, reference: str, name: str) -> str:
    """Connect a port to the first fitting port of a new block, and align the block with it; return that port, empty if
    none fits."""
    source = document.split(reference)[0]
    measures = document.type_and_family(source)[1] in MECHANICAL
    meant = MEASURED if measures else ""
    if source != WORLD:
        meant = BODY.get(document.type_and_family(name)[0], meant)
    for port in sorted(document.ports(name).values(), key=lambda port: port.name != meant):
        mine = f"{name}.{port.name}"
        a, b = (mine, reference) if port.direction == "out" else (reference, mine)
        if not refusal_reason(document, a, b):
            _align(document, name, connect_ports(document, a, b))
            return port.name
    return ""


def _feed(document: Document, block: str, name: str) -> list[str]:
    """Connect an output of a new block to the first missing input of another that it fits, and put it before the
    input; return the input, nothing if none fits."""
    outputs = [port for port in document.ports(name).values() if port.direction == "out"]
    for inlet, outlet in itertools.product(_missing_inputs(document, block), outputs):
        a, b = f"{name}.{outlet.name}", f"{block}.{inlet.name}"
        if not refusal_reason(document, a, b):
            _align(document, name, connect_ports(document, a, b), wherever=True)
            return [b]
    return []


def _wire_by_name(document: Document, block: str, name: str) -> list[str]:
    """Connect a new block to free signals of the same name of another, and what it measures to its trajectory; return
    the ports of the other."""
    wired: list[str] = []
    used = {*document.used_ports().get(name, ())}
    for key, port in document.ports(name).items():
        mine, other = f"{name}.{key}", f"{block}.{NAMESAKES.get(key, key)}"
        a, b = (mine, other) if port.direction == "out" else (other, mine)
        if not port.acausal and key not in used and not refusal_reason(document, a, b):
            connect_ports(document, a, b)
            wired.append(other)
    return wired


def stand_on_world(document: Document, name: str) -> None:
    """Wire a joint to the world if it is the first block with a frame."""
    others = [other for other in document.block_names() if other not in (name, WORLD)]
    begun = any(port.kind == FRAME for other in others for port in document.ports(other).values())
    base, joint = f"{WORLD}.frame", f"{name}.frame_a"
    if begun or not document.is_root or document.type_and_family(name)[1] != "joints":
        return
    if not refusal_reason(document, base, joint):
        connect_ports(document, base, joint)


def _align(document: Document, name: str, connection: str, wherever: bool = False) -> None:
    """Move a new block level with the port to which it is wired, and so far out that the wire between them is seen;
    one that stands elsewhere stays there, but for `wherever`."""
    mine, other = sorted(ends(connection), key=lambda end: document.split(end)[0] != name)
    (side, x, y), (facing, ox, oy) = _port_place(document, mine), _port_place(document, other)
    if (side, facing) not in FACING:
        return
    level, out = side in ("left", "right"), 1 if facing in ("right", "bottom") else -1
    across, along = (oy - y, x - ox) if level else (ox - x, y - oy)
    near = -document.shape(name).width < out * along < APART
    shifted = APART * (1 + wherever) * out - along if wherever or near else 0.0
    across = across if wherever or abs(across) <= NEAR else 0.0
    if across or shifted:
        document.move({name: (shifted, across) if level else (across, shifted)})


def _port_place(document: Document, reference: str) -> tuple[str, float, float]:
    """Side of a port on its card, and its scene coordinates."""
    block, port = document.split(reference)
    shape, (left, top, _) = document.shape(block), document.place(block)
    anchor = shape.anchors.get(port)
    return (anchor.side, left + anchor.x, top + anchor.y) if anchor else ("", 0.0, 0.0)
