"""Spanning trees of the frame graph, in rows of one coordinate each, a tree for each component.

Frames that are wired together or fixed in one body form a rigid group; joints are edges between groups. The tree starts
at the world's group; a joint that would close a loop is cut (`CutJoint`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...blocks import CompileError
from ...blocks.geometry import rotations
from ...blocks.multibody_parts import (
    Body,
    Element,
    FlexibleBody,
    Grounded,
    Joint,
    LinearSpring,
    Offset,
    Part,
    Sensor,
)
from ..flatten.connectivity import WORLD, Node, ground_bonds, part_frames
from ..kernels import model_data as f
from .components import blocks_of_components
from .flexible_rows import CLAMP, FLEXIBLE, append_body, append_face, number_faces
from .mechanism import IDENTITY, CutJoint, Mechanism, PlacedPart, Pose, Row, TreeJoint


class _Edge(NamedTuple):
    """Joint between two frames."""

    block: str
    part: Joint
    a: Node
    b: Node


def build_tree(
    parts: Mapping[str, Sequence[Part]], bonds: Sequence[tuple[Node, Node]], busy: Collection[str] = ()
) -> list[Mechanism]:
    """Make the trees of all parts, which all hang on the world, one for each component; `CompileError` for what cannot
    be one.

    Coordinates of `busy` blocks are wired or recorded: they get rows even where their joint closes a loop.
    """
    groups, poses = _rigid_groups(parts, [*bonds, *ground_bonds(parts, bonds)])
    components = blocks_of_components(parts, groups)
    number = {block: k for k, blocks in enumerate(components) for block in blocks}
    # each has a frame of the world, and all others in the order in which they were met
    met = [{WORLD: groups[WORLD]} for _ in components]
    for node, group in groups.items():
        met[number.get(node[0], 0)][node] = group
    trees = [
        _tree({block: parts[block] for block in blocks}, own, poses, busy)
        for blocks, own in zip(components, met, strict=True)
    ]
    order = {id(part): k for k, part in enumerate(part for own in parts.values() for part in own)}

    def first(tree: Mechanism) -> int:
        """Place of the part that begins a tree: its first joint, or the flexible body that this one clamps."""
        if not tree.joints:
            return -1
        part = tree.flexible[0].part if tree.joints[0].part.kind == CLAMP else tree.joints[0].part
        return order[id(part)]

    return sorted(trees, key=first)


def _tree(
    parts: Mapping[str, Sequence[Part]],
    groups: dict[Node, int],
    poses: Mapping[Node, Pose],
    busy: Collection[str],
) -> Mechanism:
    """Spanning tree of one component; `groups` and `poses` hold the rigid groups of all components."""
    edges = [
        _Edge(block, part, (block, part.frame_a), (block, part.frame_b))
        for block, own in parts.items()
        for part in own
        if isinstance(part, Joint)
    ]
    mechanism = Mechanism()
    tree, cuts = _spanning_tree(edges, groups, busy)
    rows_of_group: dict[int, tuple[int, Pose]] = {groups[WORLD]: (-1, IDENTITY)}
    order: dict[int, list[_Edge]] = defaultdict(list)
    for edge in tree:
        order[groups[edge.a]].append(edge)
        order[groups[edge.b]].append(edge)

    bodies = {block: part for block, own in parts.items() for part in own if isinstance(part, FlexibleBody)}
    # depth first, so that the rows of a chain are contiguous
    stack = list(reversed(order[groups[WORLD]]))
    while stack:
        edge = stack.pop()
        backwards = groups[edge.b] in rows_of_group and groups[edge.a] not in rows_of_group
        near, far = (edge.b, edge.a) if backwards else (edge.a, edge.b)
        row, base = rows_of_group[groups[near]]
        if edge.part.kind == FLEXIBLE:
            append_body(mechanism, edge.block, bodies[edge.block], near[1], row, base @ poses[near])
            last, tip = append_face(mechanism, edge.block, edge.part, far[1], backwards), IDENTITY
        else:
            last, tip = _append_rows(mechanism, edge, row, base @ poses[near], backwards)
        child = groups[far]
        rows_of_group[child] = (last, tip @ poses[far].inverse())
        stack.extend(e for e in reversed(order[child]) if e is not edge)

    ends: dict[Node, tuple[int, Pose]] = {}
    for edge in cuts:
        if edge.part.quaternion is not None and edge.block in busy:
            mistake = "closes a loop, where its orientation is no state, and a signal of it is used"
            raise CompileError(mistake, path=edge.block, fix="give it coordinates: angles")
        if edge.part.coordinates and edge.part.quaternion is None and _loaded(edge, busy):
            row, base = rows_of_group[groups[edge.a]]
            ends[edge.block, edge.part.name] = _append_rows(mechanism, edge, row, base @ poses[edge.a], False)
    for node, group in groups.items():
        if group in rows_of_group:
            row, base = rows_of_group[group]
            mechanism.frame_index[node] = len(mechanism.frames)
            mechanism.frames.append((row, base @ poses[node]))
    number_faces(mechanism)
    _attach(mechanism, parts, cuts, ends)
    return mechanism


def _rigid_links(
    parts: Mapping[str, Sequence[Part]], bonds: Sequence[tuple[Node, Node]]
) -> dict[Node, list[tuple[Node, Pose]]]:
    """Frames rigidly linked to each frame, with their poses in it."""
    links: dict[Node, list[tuple[Node, Pose]]] = defaultdict(list)
    links[WORLD] = []

    def link(a: Node, b: Node, pose: Pose) -> None:
        links[a].append((b, pose))
        links[b].append((a, pose.inverse()))

    for a, b in bonds:
        link(a, b, IDENTITY)
    for block, own in parts.items():
        for part in own:
            if isinstance(part, Offset):
                pose = Pose(part.turn, np.array(part.at, float))
                link((part.of or block, part.frame_a), (block, part.frame_b), pose)
            else:
                for frame in part_frames(part):
                    links[(block, frame)] = links[(block, frame)]
    return links


def _rigid_groups(parts: Mapping[str, Sequence[Part]], bonds: Sequence[tuple[Node, Node]]):
    """Group number of every frame, and its pose in the group."""
    links = _rigid_links(parts, bonds)
    groups: dict[Node, int] = {}
    poses: dict[Node, Pose] = {}
    number = -1
    for seed in [WORLD, *links]:
        if seed in groups:
            continue
        number += 1
        groups[seed], poses[seed] = number, IDENTITY
        stack = [seed]
        while stack:
            here = stack.pop()
            for there, step in links[here]:
                pose = poses[here] @ step
                if there not in groups:
                    groups[there], poses[there] = number, pose
                    stack.append(there)
                elif max(abs(pose.R - poses[there].R).max(), abs(pose.p - poses[there].p).max()) > 1e-9:
                    off = np.linalg.norm(pose.p - poses[there].p)
                    raise CompileError(
                        f"rigid bodies are wired into a ring that does not close: it is off by {off:.3g} m",
                        path=".".join(there),
                        fix="check `at` and `rotate`, or put a joint into the ring",
                    )
    return groups, poses


def _spanning_tree(
    edges: list[_Edge], groups: dict[Node, int], busy: Collection[str]
) -> tuple[list[_Edge], list[_Edge]]:
    """Kruskal's spanning tree by the priority of joints; the other joints are cut."""
    parent = {group: group for group in set(groups.values())}

    def find(group: int) -> int:
        while parent[group] != group:
            parent[group] = parent[parent[group]]
            group = parent[group]
        return group

    tree, cuts = [], []
    for edge in sorted(edges, key=lambda edge: -_cut_preference(edge, busy)):
        a, b = find(groups[edge.a]), find(groups[edge.b])
        if a == b and edge.part.kind == FLEXIBLE:
            fix = "put a `fixed` joint between one of its frames and what it is wired to"
            raise CompileError(
                "two frames of this flexible body are fixed to one body", path=edge.block, fix=fix
            )
        if a == b:
            cuts.append(edge)
        else:
            parent[b] = a
            tree.append(edge)
    position = {id(edge): k for k, edge in enumerate(edges)}
    return sorted(tree, key=lambda edge: position[id(edge)]), cuts


def _cut_preference(edge: _Edge, busy: Collection[str]) -> float:
    """Priority of a joint for the tree: welds and joints that carry anything stay; else fewer constraints are cut
    first.
    """
    part = edge.part
    if part.kind in ("elastic", "base", "section", FLEXIBLE) or part.hold:
        return 1000.0
    if part.cut:
        return -1.0
    if not part.coordinates and part.quaternion is None:
        return 500.0
    freedoms = len(part.coordinates) + (3 if part.quaternion is not None else 0)
    return (100.0 if _loaded(edge, busy) else 0.0) + (10.0 if freedoms == 6 else 6.0 - freedoms)


def _loaded(edge: _Edge, busy: Collection[str]) -> bool:
    """True if a joint's coordinates matter to forces, the start or signals; inner joints show none."""
    return (edge.block in busy and not edge.part.name) or any(c.loaded for c in edge.part.coordinates)


def _append_rows(
    mechanism: Mechanism, edge: _Edge, parent: int, start: Pose, backwards: bool
) -> tuple[int, Pose]:
    """Append the rows of one joint; returns the last row and the joint's far frame in that row's body."""
    part, number = edge.part, len(mechanism.joints)
    first = len(mechanism.rows)
    rows = mechanism.rows
    pose = start
    chain = (
        [replace(c, axis=tuple(-x for x in c.axis)) for c in reversed(part.coordinates)]
        if backwards
        else part.coordinates
    )
    originals = list(reversed(part.coordinates)) if backwards else part.coordinates
    for coordinate, original in zip(chain, originals, strict=True):
        A = rotations.rotation_z_to(coordinate.axis)
        kind = f.PRISMATIC if coordinate.prismatic else f.REVOLUTE
        rows.append(Row(parent, kind, pose @ Pose(A, np.zeros(3)), number, original))
        parent, pose = len(rows) - 1, Pose(A.T, np.zeros(3))
    if part.quaternion is not None:
        if backwards and part.hold:
            mistake = "frame_b of a release is nearer the world than frame_a, or a loop goes through it"
            fix = "swap frame_a and frame_b; in a loop hold the load by a `bushing` or a rope"
            raise CompileError(mistake, path=edge.block, fix=fix)
        if backwards:
            fix = "swap frame_a and frame_b" + (
                ", or give coordinates: angles" if not part.coordinates else ""
            )
            mistake = f"frame_b of a {part.kind} joint is nearer the world than frame_a"
            raise CompileError(mistake, path=edge.block, fix=fix)
        for k, kind in enumerate((f.QUAT_X, f.QUAT_Y, f.QUAT_Z)):
            rows.append(Row(parent, kind, pose, number, quat=mechanism.quats, quat_axis=k))
            parent, pose = len(rows) - 1, IDENTITY
        mechanism.quats += 1
    elif not chain:
        rows.append(Row(parent, f.WELD, pose, number))
        parent, pose = len(rows) - 1, IDENTITY
    mechanism.joints.append(TreeJoint(edge.block, part, first, len(rows) - 1, backwards, -1, -1))
    return parent, pose


def axes_node(block: str, part: Joint) -> Node:
    """Frame in whose axes a joint reports its wrenches."""
    return WORLD if part.resolve == "world" else (block, part.resolve or part.frame_b)


def _attach(
    mechanism: Mechanism,
    parts: Mapping[str, Sequence[Part]],
    cuts: list[_Edge],
    ends: Mapping[Node, tuple[int, Pose]],
) -> None:
    """Attach joints, cut joints and all other parts to the tree."""
    index = mechanism.frame_index
    for joint in mechanism.joints:
        joint.frame_a, joint.frame_b = (
            index[(joint.block, joint.part.frame_a)],
            index[(joint.block, joint.part.frame_b)],
        )
        joint.resolve = index[axes_node(joint.block, joint.part)]
    for edge in cuts:
        cut = CutJoint(
            edge.block, edge.part, index[edge.a], index[edge.b], index[axes_node(edge.block, edge.part)]
        )
        end = ends.get((edge.block, edge.part.name))
        if end:
            cut.weld, cut.frame_a = True, len(mechanism.frames)
            mechanism.frames.append(end)
        mechanism.cuts.append(cut)
    joints = {id(joint.part): joint for joint in mechanism.joints}
    for block, own in parts.items():
        mechanism.homes[block] = [_place(mechanism, block, part, joints.get(id(part))) for part in own]


def _place(mechanism: Mechanism, block: str, part: Part, joint: TreeJoint | None) -> list[int]:
    """Attach a part; returns the numbers of what it became. `joint` is the tree's joint of a Joint part."""
    if isinstance(part, Joint):
        rows = range(joint.first, joint.last + 1) if joint else ()
        return [i for i in rows if mechanism.rows[i].coordinate is not None]
    if isinstance(part, FlexibleBody):
        return []
    if isinstance(part, Body):
        row, pose = mechanism.frames[mechanism.frame_index[(block, part.frame)]]
        mechanism.bodies.append((block, part, row, pose))
        return [len(mechanism.bodies) - 1]
    if isinstance(part, LinearSpring):
        first = len(mechanism.springs)
        pulled = [
            one for one in mechanism.joints if one.block == block and part.joint in (None, one.part.name)
        ]
        pulled = pulled[:1] if part.joint is None else pulled
        mechanism.springs += [(one, part) for one in pulled]
        return [*range(first, first + len(pulled))]
    if isinstance(part, Offset | Grounded):
        return []
    ends = (getattr(part, name, "") for name in ("frame_a", "frame_b"))
    a, b = (mechanism.frame_index.get((block, end), -1) for end in ends)
    if isinstance(part, Element):
        mechanism.elements.append(PlacedPart(block, part, a, b))
        return [len(mechanism.elements) - 1]
    if isinstance(part, Sensor):
        mechanism.sensors.append(PlacedPart(block, part, a, b))
    else:
        mechanism.others.append(PlacedPart(block, part, a, b))
    return []
