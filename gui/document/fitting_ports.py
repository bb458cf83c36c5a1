"""Which ports a wire from a port may lead to, and which of its ends is the source."""

from __future__ import annotations

from collections.abc import Iterable

from ...blocks import Port
from .block_cards import WORLD
from .document import Document
from .element_assignment import choices, why_not


def may_fit(a: Port, b: Port) -> bool:
    """The cheap part of the question, before the document is asked."""
    return a.kind == b.kind and (a.acausal or a.direction != b.direction)


def ordered(reference: str, other: str, port: Port | None) -> tuple[str, str]:
    """The source first, whichever end the wire was begun from; `port` is the other one."""
    return (other, reference) if port is not None and port.direction == "out" else (reference, other)


def references(document: Document, first: Iterable[str] = ()) -> dict[str, Port]:
    """All ports of the diagram, each with its elements behind it; those of some blocks before the rest."""
    names = dict.fromkeys([*first, *document.block_names(), WORLD])
    references: dict[str, Port] = {}
    for name in names:
        for key, port in document.ports(name).items():
            reference = f"{name}.{key}"
            references[reference] = port
            if not port.acausal and port.width != 1:
                references |= {f"{reference}[{k}]": port for k in choices(document, reference)}
    return references


def fitting(document: Document, reference: str) -> list[str]:
    """The ports and elements that a wire from one may lead to."""
    ports = references(document)
    mine = ports.pop(reference, None)
    return [
        other
        for other, port in ports.items()
        if mine and may_fit(mine, port) and not why_not(document, *ordered(reference, other, port))
    ]
