"""Ports that a wire may lead to, and the order source to target."""

from __future__ import annotations

from collections.abc import Iterable

from ...blocks import Port
from .block_cards import WORLD
from .document import Document
from .element_assignment import choices, why_not


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
            if not port.acausal and port.width != 1:
                references |= {f"{reference}[{k}]": port for k in choices(document, reference)}
    return references


def fitting(document: Document, reference: str) -> list[str]:
    """Ports and elements that a wire from a reference may lead to."""
    ports = references(document)
    mine = ports.pop(reference, None)
    return [
        other
        for other, port in ports.items()
        if mine and may_fit(mine, port) and not why_not(document, *ordered(reference, other, port))
    ]
