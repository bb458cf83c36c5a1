"""Ports and vector elements of a wire: which ports fit, and which free elements it takes where whole ports do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...blocks import ConnectError, LuffError, Port
from ...blocks.ports import ANY, TRAJECTORY
from ...blocks.text.quantity import Dimension
from ...solver.diagram.port_compatibility import check_pair, wire_sign
from ...solver.flatten.unit_flow import alike, dimension_of
from ...solver.netlist.wire_syntax import End, WireText, parse_end, parse_wire
from ..theme.block_catalog import MECHANICAL
from .block_cards import WORLD
from .document import Document, without_place
from .following_units import unit_at

MEASURED = "measured"  # input of a controller


@dataclass(frozen=True)
class WireChoice:
    """Planned connection of two ports: source, target, the wire that must move with its new end, and wires that then
    begin at the first element of their output."""

    source: str
    target: str
    moved: str = ""
    moved_to: str = ""
    first: tuple[str, ...] = ()


def written(end: End) -> str:
    """Netlist text of an end, as `pd.measured[1]`"""
    if end.elements is None:
        return str(end)
    first, last = end.elements[0], end.elements[-1]
    return f"{end}[{first}]" if first == last else f"{end}[{first}:{last + 1}]"


def port_of(document: Document, end: End) -> Port | None:
    return document.ports(end.block).get(end.port)


def width_of(document: Document, block: str, port: str, but: tuple[str, ...] = ()) -> int | None:
    """Width of a port from its parameters or from wires to the whole port, without the wires `but`; None while
    undetermined."""
    start, wiring = End(block, port), document.wiring
    if not _is_open(document, start):
        return _own_width(document, start)
    known = {} if but else wiring.widths
    if block in known:
        return known[block]
    width: int | None = None
    seen: set[str] = set()
    waiting = [start]
    while waiting and width is None:
        end = waiting.pop()
        width = len(end.elements) if end.elements is not None else _own_width(document, end)
        if width is not None or end.block in seen:
            continue
        seen.add(end.block)
        for text, here, there in wiring.leaving(end.block):
            if text in but or here.elements is not None or port_of(document, there) is None:
                continue
            if _is_open(document, here):
                waiting.append(there)
    # blocks that have been passed are joined by whole open ports: they have this width too
    known.update(dict.fromkeys(seen | {block}, width))
    return width


def _is_open(document: Document, end: End) -> bool:
    port = port_of(document, end)
    return port is not None and port.width == ANY


def _own_width(document: Document, end: End) -> int | None:
    port = port_of(document, end)
    if port is None or port.width != ANY:
        return None if port is None else port.width
    return document.own_width(end.block)


def used_elements(document: Document, reference: str, but: str = "") -> set[int]:
    """Element indices of a port that have wires of their own, without the wire `but`"""
    port = parse_end(reference)
    return {
        k
        for text, wire in document.wiring.at(port)
        for end in (wire.a, wire.b)
        if text != but and str(end) == str(port)
        for k in end.elements or ()
    }


def choices(document: Document, reference: str) -> list[int]:
    """Element indices that may be chosen at a port; one more than are wired where the width is undetermined."""
    end = parse_end(reference)
    port = port_of(document, end)
    if port is None or port.acausal:
        return []
    width = width_of(document, end.block, end.port)
    if width is None:
        return list(range(max(used_elements(document, reference), default=-1) + 2))
    return list(range(width)) if width > 1 else []


def choose_wire(document: Document, a: str, b: str) -> WireChoice:
    """Plan a connection from output to input: as named where elements are named, else so that existing wires are
    kept."""
    plain = WireChoice(a, b)
    try:
        source, target = parse_end(a), parse_end(b)
    except LuffError:
        return plain
    ports = port_of(document, source), port_of(document, target)
    if ports[0] is None or ports[1] is None or ports[0].acausal or ports[0].width == ports[1].width == 1:
        return plain
    if (ports[0].direction, ports[1].direction) == ("in", "out"):
        source, target = target, source
    wide = [_wide(document, end) for end in (source, target)]
    wide[0] = wide[0] or _least_width(document, source)
    into = [(text, wire) for text, wire in document.wiring.at(target) if str(wire.b) == str(target)]
    if not into and (None in wide or wide[0] == wide[1]):
        return WireChoice(written(source), written(target))
    moved = _whole(into) if target.elements is None else ""
    if moved and _may_share(document, moved, target):
        target = replace(target, elements=(1,))
    elif moved:
        moved = ""  # all of it is wired: the check says so
    elif target.elements is None and wide[1] != 1:
        target = _next(document, target, wide[1])
    if source.elements is None and wide[0] is not None and wide[0] > 1 and wide[0] != _wide(document, target):
        source = _next(document, source, wide[0])
    moved_to = written(replace(parse_end(str(target)), elements=(0,))) if moved else ""
    first = tuple(_whole_outputs(document, target.block)) if moved else ()
    return WireChoice(written(source), written(target), moved, moved_to, first)


def _wide(document: Document, end: End) -> int | None:
    return width_of(document, end.block, end.port) if end.elements is None else len(end.elements)


def _least_width(document: Document, end: End) -> int | None:
    """Elements that wires to other ports of the block ask for, if these are several; None otherwise."""
    ports = [key for key, port in document.ports(end.block).items() if port.width == ANY]
    used = [k for port in ports for k in used_elements(document, f"{end.block}.{port}")]
    return max(used) + 1 if max(used, default=0) > 0 and _is_open(document, end) else None


def _whole(into: list[tuple[str, WireText]]) -> str:
    """Connection that takes the whole input; empty if none."""
    return next((text for text, wire in into if wire.b.elements is None), "")


def _may_share(document: Document, text: str, target: End) -> bool:
    """True if another wire into the port can only mean a further element (trajectories); signals may be meant to add
    up."""
    port, source = port_of(document, target), parse_wire(text).a
    if port is None or port.kind != TRAJECTORY or port.width != ANY or _wide(document, source) != 1:
        return False
    return width_of(document, target.block, target.port, (text, *_whole_outputs(document, target.block))) != 1


def _whole_outputs(document: Document, block: str) -> list[str]:
    """Wires from all of a block's outputs of open width to inputs of one element."""
    return [
        text
        for text, here, there in document.wiring.leaving(block)
        if here.elements is None
        and (port := port_of(document, here)) is not None
        and (port.direction, port.width) == ("out", ANY)
        and _own_width(document, there) == 1
    ]


def _next(document: Document, end: End, width: int | None) -> End:
    """First element without a wire; if all have one, the whole of an input or the first element of an output."""
    used = used_elements(document, str(end))
    free = next(k for k in range(len(used) + 1) if k not in used)
    if width is not None and free >= width:
        port = port_of(document, end)
        return replace(end, elements=(0,)) if port is not None and port.direction == "out" else end
    return replace(end, elements=(free,))


def refusal_reason(document: Document, a: str, b: str) -> str:
    """Reason why two ports or elements cannot be wired; empty if they can."""
    pair = choose_wire(document, a, b)
    if not pair.moved:
        return document.can_connect(pair.source, pair.target)
    ends = parse_end(pair.source), parse_end(pair.target)
    ports = [port_of(document, end) for end in ends]
    assert ports[0] is not None  # `choose_wire` has looked at them
    assert ports[1] is not None
    try:
        check_pair(ends[0], wire_sign(ports[0]), ends[1], ports[0], ports[1])
    except ConnectError as error:
        return without_place(error.problems[0])
    return ""


def connect_ports(document: Document, a: str, b: str) -> str:
    """Connect two ports and return the connection text. Raises ConnectError if they do not fit."""
    pair = choose_wire(document, a, b)
    with document.step(f"connect {pair.source} and {pair.target}"):
        if pair.moved:
            document.rewire(pair.moved, written(parse_wire(pair.moved).a), pair.moved_to)
        for text in pair.first:
            wire = parse_wire(text)
            document.rewire(text, written(replace(wire.a, elements=(0,))), written(wire.b))
        return document.connect_ports(pair.source, pair.target)


def change_element(document: Document, connection: str, end: int, element: int | None) -> str:
    """Assign another element, or all (None), to one end of a wire; return the connection. Raises ConnectError if it
    is taken."""
    wire = parse_wire(connection)
    references = [wire.a, wire.b]
    references[end] = replace(references[end], elements=None if element is None else (element,))
    return document.rewire(connection, written(references[0]), written(references[1]))


def free_choices(document: Document, connection: str, end: int) -> list[int]:
    """Elements that one end of a wire may have; at an input those without another wire."""
    wire = parse_wire(connection)
    reference = str((wire.a, wire.b)[end])
    others = used_elements(document, reference, connection) if end == 1 else set()
    return [k for k in choices(document, reference) if k not in others]


def may_fit(a: Port, b: Port) -> bool:
    """Quick test of kind and direction, before the document's full check."""
    return a.kind == b.kind and (a.acausal or a.direction != b.direction)


def ordered(reference: str, other: str, port: Port | None) -> tuple[str, str]:
    """References ordered from source to target; `port` is the port of `other`."""
    return (other, reference) if port is not None and port.direction == "out" else (reference, other)


def references(document: Document, first: Iterable[str] = ()) -> dict[str, Port]:
    """All ports of the diagram, each followed by its elements; the blocks in `first` come first."""
    names = dict.fromkeys([*first, *document.block_names(), WORLD])
    references: dict[str, Port] = {}
    for name in names:
        for key, port in document.ports(name).items():
            reference = f"{name}.{key}"
            references[reference] = port
            elements = choices(document, reference) if port.width != 1 else []
            if len(elements) > 1:  # else the element is the port
                references |= {f"{reference}[{k}]": port for k in elements}
    return references


def fitting(document: Document, reference: str) -> list[str]:
    """Ports and elements that a wire from a reference may lead to; for an input, the likeliest outputs first.

    Those of its own block, which close a loop, come last, before them those of another unit than the input's, as far as
    wires tell both.
    What a controller measures is first looked for at the blocks on which it acts, its other inputs elsewhere. Then come
    outputs without a wire, and of those that are alike the ones of the input's unit, of signal blocks (for what is
    measured, of mechanical ones) and of the input's width; last what cards fold, as reactions of joints.
    """
    ports = references(document)
    mine = ports.pop(reference, None)
    fit = [
        other
        for other, port in ports.items()
        if mine and may_fit(mine, port) and not refusal_reason(document, *ordered(reference, other, port))
    ]
    if mine is None or mine.direction != "in":
        return fit
    used, (block, port) = document.used_ports(), document.split(reference)
    own = document.ports(block)
    controls = MEASURED in own
    measures = controls and port == MEASURED
    acts = [key for key, each in own.items() if controls and each.direction == "out"]
    driven = {there.block for _, here, there in document.wiring.leaving(block) if here.port in acts}
    width = _wide(document, parse_end(reference)) or 1
    sources = {document.split(other)[0] for other in fit}
    folded = {source: document.folded_ports(source) for source in sources}
    mechanical = {source for source in sources if document.type_and_family(source)[1] in MECHANICAL}
    wanted = _dimension_at(document, reference)
    misfits = {other: _misfit(wanted, _dimension_at(document, other)) for other in fit}

    def rank(other: str) -> tuple[int, ...]:
        source, output = document.split(other)
        return (
            source == block,
            misfits[other] == 2,
            (source in driven) != measures,
            output in folded[source],
            output in used.get(source, ()),
            misfits[other],
            (source in mechanical) != measures,
            (_wide(document, parse_end(other)) or width) != width,
        )

    return sorted(fit, key=rank)


def _dimension_at(document: Document, reference: str) -> Dimension | None:
    unit = unit_at(document, reference)
    return None if unit is None else dimension_of(unit)


def _misfit(wanted: Dimension | None, found: Dimension | None) -> int:
    """How badly an output suits an input that asks for a unit: 0 of this kind, 1 of none known, 2 of another."""
    if wanted is None:
        return 0
    return 1 if found is None else 2 * (not alike(wanted, found))
