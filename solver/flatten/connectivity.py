"""Blocks that no joint and no wire leads to from the world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...blocks.errors import Problem
from ...blocks.multibody_parts import Body, Element, Grounded, Joint, Offset, Part, Sensor

Node = tuple[str, str]  # block, frame
WORLD: Node = ("world", "frame")


class FrameGroups:
    """Sets of frames that become one where two of them are joined."""

    def __init__(self) -> None:
        self.first: dict[Node, Node] = {}

    def of(self, node: Node) -> Node:
        first = self.first
        first.setdefault(node, node)
        while first[node] != node:
            first[node] = first[first[node]]
            node = first[node]
        return node

    def join(self, a: Node, b: Node) -> None:
        self.first[self.of(b)] = self.of(a)


def ground_bonds(
    parts: Mapping[str, Sequence[Part]], bonds: Iterable[tuple[Node, Node]]
) -> list[tuple[Node, Node]]:
    """Frames that stand in the world's where nothing is wired to them."""
    wired = {node for bond in bonds for node in bond}
    grounded = [
        (block, part.frame) for block, own in parts.items() for part in own if isinstance(part, Grounded)
    ]
    return [(WORLD, node) for node in grounded if node not in wired]


def unconnected_blocks(
    parts: Mapping[str, Sequence[Part]],
    bonds: Sequence[tuple[Node, Node]],
    excused: Iterable[Node] = (),
    worlds: Iterable[Node] = (),
) -> Iterator[Problem]:
    """Yield a problem for each block or frame that nothing holds.

    A frame that is `excused` may be held by what could not be read. What stands on another of the `worlds` is told
    by one problem of that.
    """
    groups = FrameGroups()
    for a, b in (*bonds, *ground_bonds(parts, bonds)):
        groups.join(a, b)
    # whatever joints lead to it: nothing would hold what is wired to it
    apart = [world for world in worlds if groups.of(world) != groups.of(WORLD)]
    for block, own in parts.items():
        for part in own:
            if isinstance(part, Joint | Offset):
                of = part.of if isinstance(part, Offset) else ""
                groups.join((of or block, part.frame_a), (block, part.frame_b))
    held = {groups.of(WORLD), *map(groups.of, excused), *map(groups.of, apart)}
    for world in apart:
        message = "found a second world, but there is only one, which always exists as `world`"
        yield Problem(message, world[0], "wire to world.frame, and remove this block")
    loose = []
    for block, own in parts.items():
        frames = [
            part.frame if isinstance(part, Body) else part.frame_a
            for part in own
            if isinstance(part, Body | Joint)
        ]
        if any(groups.of((block, frame)) not in held for frame in frames):
            loose.append(block)
            fix = "wire it, or put a `free` joint between world.frame and it"
            yield Problem("no chain of joints leads from the world to this block", block, fix)
    yield from _unsupported_ends(parts, groups, held, bonds, loose)


def _unsupported_ends(
    parts: Mapping[str, Sequence[Part]],
    groups: FrameGroups,
    held: set[Node],
    bonds: Sequence[tuple[Node, Node]],
    loose: Sequence[str],
) -> Iterator[Problem]:
    """Ends of ropes, springs and sensors that nothing holds: they would stand at the world's origin, unsaid."""
    told = {groups.of(node) for bond in bonds for node in bond if node[0] in loose}
    ends: dict[Node, None] = {}
    for block, own in parts.items():
        for part in own:
            if isinstance(part, Element | Sensor):
                against = part.frame_a if isinstance(part, Element) else ""  # a sensor's is the world
                nodes = [(block, frame) for frame in (against, part.frame_b) if frame]
                ends |= dict.fromkeys(
                    node for node in nodes if groups.of(node) not in held and groups.of(node) not in told
                )
    for node in ends:
        if node[0] not in loose:
            yield Problem(
                "this frame is connected to no body", ".".join(node), "wire it to a body, or to world.frame"
            )


def part_frames(part: Part) -> Iterator[str]:
    """The frames that a part names."""
    frames = (getattr(part, name, "") for name in ("frame", "frame_a", "frame_b"))
    yield from (frame for frame in frames if frame)
