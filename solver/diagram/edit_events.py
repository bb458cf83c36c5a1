"""Events of edits, and how they appear at the levels around and inside."""

from __future__ import annotations

from dataclasses import field

from ...blocks.light_dataclass import record
from ...blocks.text.raw_types import RawMap


@record
class Event:
    """An edit that was made. `renamed` has the new name, and the old one in `detail`; `changed` the path in it.

    Outside of the subsystem of a renamed block it is a `reset` with the block's new and old path. `before` is the data
    of the outermost netlist before a `reset` of all of it.
    """

    kind: str  # added removed renamed changed connected disconnected moved routed section reset
    name: str
    detail: str = ""
    before: RawMap | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, str] | None:
        """Old and new path of a renamed block."""
        return (self.detail, self.name) if self.kind in ("renamed", "reset") and self.detail else None


def seen_from(level: tuple[str, ...], where: tuple[str, ...], event: Event) -> Event | None:
    """Event at the level `where` as it appears at another one.

    Outside it is a change of the subsystem's block, inside a new diagram; None where it concerns nothing there.
    """
    if where == level:
        return event
    depth = min(len(level), len(where))
    if level[:depth] != where[:depth]:
        return None
    if len(where) > depth:
        block = where[depth]
        if event.kind == "renamed":  # names outside have followed
            path = ".".join(where[depth:])
            return Event("reset", f"{path}.{event.name}", f"{path}.{event.detail}")
        if event.kind in ("moved", "routed") or (event.kind == "section" and event.name == "layout"):
            return Event("moved", block)
        inner = ".".join(where[depth:])
        path = f"{inner}.{event.detail}" if event.kind == "changed" else f"{block}.type"
        return Event("changed", block, path)
    block = level[depth]
    own = event.kind in ("added", "removed", "renamed", "changed") and block in (event.name, event.detail)
    shared = event.kind == "reset" or (event.kind == "section" and event.name in ("parameters", "blocks"))
    return Event("reset", "") if own or shared else None
