"""Readers of a joint's trajectory that see its acceleration: blocks that lead to other mechanisms only.

A block that leads back to the mechanism of the joint sees value and rate: an acceleration that depends on itself is a
ring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...blocks.ports import FRAME
from ..flatten.flatten import Flat
from ..mechanism.mechanism import Mechanism

TRAJECTORY, ACCELERATION = "trajectory", "acceleration"
Seen = set[tuple[str, str]]  # a block, and a joint whose trajectory is wired to it


def accelerations_seen(flat: Flat, trees: Sequence[Mechanism]) -> Seen:
    """Blocks that are evaluated behind the mechanism of a joint whose trajectory they read."""
    joints = {joint.block: k for k, tree in enumerate(trees) for joint in tree.joints if not joint.part.name}
    wires = [
        (wire.source.block, wire.target.block)
        for wire in flat.wires
        if wire.source.port == TRAJECTORY and wire.source.block in joints
    ]
    if len(trees) == 1 or not wires:
        return set()
    node = {block: f"mechanism {k}" for k, tree in enumerate(trees) for block in blocks_of(tree)}
    leads: dict[str, set[str]] = defaultdict(set)
    for wire in flat.wires:
        leads[node.get(wire.source.block, wire.source.block)].add(
            node.get(wire.target.block, wire.target.block)
        )
    for bond in flat.bonds:
        if bond.kind != FRAME:  # oil and shafts act both ways
            a, b = (node.get(end.block, end.block) for end in (bond.a, bond.b))
            leads[a].add(b)
            leads[b].add(a)
    seen: Seen = set()
    for joint, block in wires:
        found = reached(leads, node.get(block, block))
        own = f"mechanism {joints[joint]}"
        if own not in found and any(name in found for name in node.values()):
            seen.add((block, joint))
    return seen


def blocks_of(tree: Mechanism) -> Iterable[str]:
    """Blocks whose parts act in a mechanism, or watch it."""
    yield from (block for block, homes in tree.homes.items() if any(homes))
    for placed in (*tree.elements, *tree.sensors, *tree.others, *tree.joints, *tree.cuts):
        yield placed.block


def reached(leads: dict[str, set[str]], first: str) -> set[str]:
    """Nodes that wires reach from a node, itself included."""
    found, left = {first}, [first]
    while left:
        new = leads[left.pop()] - found
        found |= new
        left += new
    return found
