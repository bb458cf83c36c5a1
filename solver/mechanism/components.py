"""Components: mechanisms that share no body, joint, constraint or element with each other; the ground is not shared.

Each is built, started and solved as if it were alone. What is asked about all of them at once (names, places of
numbers, poses) sees one `Mechanism` and one `Model` in which they stand behind each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import (
    Band,
    Body,
    Element,
    InverseDynamics,
    Joint,
    LinearSpring,
    MemberLoads,
    Offset,
    Part,
    PointConstraint,
    PointStresses,
    SectionLoads,
    TipJacobian,
)
from ..flatten.connectivity import WORLD, FrameGroups, Node, part_frames
from ..kernels import model_data as f
from ..kernels.model_data import Model
from .constraint_rows import ConstraintTable
from .flexible_rows import all_shapes
from .mechanism import CutJoint, Mechanism, PlacedPart, Row, TreeJoint
from .model_build import energy_reporters
from .model_packing import copy

# arrays of `Model` whose rows are those of one component behind those of another, none of them an index
NUMBERS = ("row", "frame_place", "element_value", "spring_value", "constraint_value", "tape_value", "bushing")
SHAPES = ("touch", "stand", "solid", "solid_value", "corner", "edge", "face", "face_loop", "loop", "height")
# columns that number rows, frames, ... of a component, and what they number
NUMBERED = {
    "topo": {f.PARENT: "rows"},
    "frame_row": {0: "rows"},
    "element": {
        f.E_FRAME_A: "frames", f.E_FRAME_B: "frames", f.E_INPUT: "inputs", f.E_FIRST: "operations",
        f.E_LAST: "operations", **dict.fromkeys(range(f.E_JOINTS, f.E_JOINTS + 3), "rows"),
    },
    "joint": {
        f.J_FIRST: "rows", f.J_LAST: "rows", f.J_FRAME_A: "frames", f.J_FRAME_B: "frames", f.J_RESOLVE: "frames"
    },
    "sensor": {f.S_FRAME_A: "frames", f.S_FRAME_B: "frames"},
    "tie": {f.T_FRAME_A: "frames", f.T_FRAME_B: "frames"},
    "cut": {
        f.CUT_RESOLVE: "frames", f.CUT_FRAME_B: "frames", f.CUT_FIRST: "constraints", f.CUT_LAST: "constraints"
    },
    "store": {f.S_OF: "stores"},
    "flex": {f.X_ROW: "rows", f.X_FIRST: "rows", f.X_FACE: "faces"},
    "interface": {f.FACE_ROW: "rows", f.FACE_BODY: "flexible"},
    "segment": {f.SEG_FIRST: "rows", f.SEG_LAST: "rows", f.SEG_FACE: "faces", f.SEG_BODY: "flexible"},
}  # fmt: skip
OWN = tuple(name for name in Model._fields if name not in (*NUMBERS, "constant"))


def blocks_of_components(parts: Mapping[str, Sequence[Part]], groups: Mapping[Node, int]) -> list[list[str]]:
    """Names of the blocks of each component, in their order; those that hold nothing but the ground are of the first.

    `groups` numbers the rigid group of every frame. All that belongs to one block, or that it names, is shared.
    """
    shared, moving = FrameGroups(), set[str]()
    for block, own in parts.items():
        for part in own:
            for frame in part_frames(part):
                of = part.of if isinstance(part, Offset) and frame == part.frame_a else ""
                group = groups.get((of or block, frame), groups[WORLD])
                if group != groups[WORLD]:
                    moving.add(block)
                    shared.join(("", block), (f"{group}", "group"))
            for name in named(block, part):
                shared.join(("", block), ("", name))
    sets: dict[Node, list[str]] = {}
    for block in parts:
        sets.setdefault(shared.of(("", block)), []).append(block)
    components = [blocks for blocks in sets.values() if not moving.isdisjoint(blocks)]
    resting = {block for blocks in sets.values() if moving.isdisjoint(blocks) for block in blocks}
    first = {*(components.pop(0) if components else ()), *resting}
    return [[block for block in parts if block in first], *components]


def named(block: str, part: Part) -> list[str]:
    """Blocks that a part names: whose joints it drives or constrains, or whose sections it reports."""
    names: tuple[str, ...] = ()
    if isinstance(part, PointConstraint):
        names = (*part.drives, *part.joints)
    elif isinstance(part, Band):
        names = part.joints
    elif isinstance(part, InverseDynamics | TipJacobian):
        names = part.drives
    elif isinstance(part, SectionLoads):
        names = (part.link,)
    elif isinstance(part, MemberLoads | PointStresses):
        names = (part.body,)
    scope = block.rpartition(".")[0]
    return [f"{scope}.{name}" if scope else name for name in names]


@mutable
class Spans:
    """Counts of rows, frames, inputs and all else that stand before a component."""

    rows: int = 0
    joints: int = 0
    bodies: int = 0
    frames: int = 0
    quats: int = 0
    elements: int = 0
    springs: int = 0
    others: int = 0
    constraints: int = 0
    targets: int = 0
    choices: int = 0
    operations: int = 0
    constants: int = 0
    ties: int = 0
    inputs: int = 0
    stores: int = 0
    flexible: int = 0
    faces: int = 0


@mutable
class Component:
    """Connected component of the mechanism: tree, constraints and arrays, with row and frame numbers of its own."""

    number: int
    mechanism: Mechanism
    table: ConstraintTable
    model: Model
    spans: Spans  # what stands before it
    first: Mapping[str, int]  # by array of `Model`: its first row among those of all

    @property
    def rows(self) -> slice:
        """Its rows among those of all components."""
        return slice(self.spans.rows, self.spans.rows + len(self.mechanism.rows))

    def of(self, whole: Model) -> Model:
        """Its arrays, with the numbers of the model of all components as views on them; all else is copied."""
        if len(whole.frame_row) == len(self.model.frame_row):
            return whole  # the only one: others have frames too
        return self._viewing(whole, {name: getattr(self.model, name).copy() for name in OWN})

    @property
    def own(self) -> list[np.ndarray]:
        """Arrays of its model that are no part of those of all components."""
        return [getattr(self.model, name) for name in OWN]

    def on(self, whole: Model, own: Iterator[np.ndarray]) -> Model:
        """Its arrays, with the numbers of the model of all components as views on them, and these of its own."""
        return self._viewing(whole, {name: next(own) for name in OWN})

    def _viewing(self, whole: Model, own: dict[str, np.ndarray]) -> Model:
        for name in NUMBERS:
            first = self.first[name]
            own[name] = getattr(whole, name)[first : first + len(getattr(self.model, name))]
        return Model(**own, constant=whole.constant)

    def with_numbers_of(self, mechanism: Mechanism, whole: Model) -> Self:
        """Component with the parts and the numbers that its blocks have in the tree and the model of all."""
        alone = len(mechanism.joints) == len(self.mechanism.joints)
        return copy(
            self, mechanism=mechanism if alone else self._with_parts_of(mechanism), model=self.of(whole)
        )

    def _with_parts_of(self, whole: Mechanism) -> Mechanism:
        """Its tree with the parts that blocks have in the tree of all components."""
        own, s = self.mechanism, self.spans
        joints = [
            copy(each, part=other.part)
            for each, other in zip(own.joints, whole.joints[s.joints :], strict=False)
        ]
        place = {id(joint): new for joint, new in zip(own.joints, joints, strict=True)}
        rows = zip(own.rows, whole.rows[s.rows :], strict=False)
        bodies = zip(own.bodies, whole.bodies[s.bodies :], strict=False)
        springs = zip(own.springs, whole.springs[s.springs :], strict=False)
        return copy(
            own,
            rows=[copy(row, coordinate=other.coordinate) for row, other in rows],
            joints=joints,
            bodies=[(block, other, row, pose) for (block, _, row, pose), (_, other, _, _) in bodies],
            elements=_with_parts(own.elements, whole.elements[s.elements :]),
            springs=[(place[id(joint)], other) for (joint, _), (_, other) in springs],
            others=_with_parts(own.others, whole.others[s.others :]),
        )


def _with_parts(own: Sequence[PlacedPart], others: Sequence[PlacedPart]) -> list[PlacedPart]:
    return [copy(each, part=other.part) for each, other in zip(own, others, strict=False)]


def spans_of(
    mechanisms: Sequence[Mechanism], tables: Sequence[ConstraintTable], inputs: Sequence[int]
) -> list[Spans]:
    """Spans of each component; room for one quaternion, input, target and choice is kept where there is none."""
    spans = [Spans()]
    for mechanism, table, count in zip(mechanisms, tables, inputs, strict=True):
        last = spans[-1]
        spans.append(
            Spans(
                rows=last.rows + len(mechanism.rows),
                joints=last.joints + len(mechanism.joints),
                bodies=last.bodies + len(mechanism.bodies),
                frames=last.frames + len(mechanism.frames),
                quats=last.quats + max(mechanism.quats, 1),
                elements=last.elements + len(mechanism.elements),
                springs=last.springs + len(mechanism.springs),
                others=last.others + len(mechanism.others),
                constraints=last.constraints + len(table.rows),
                targets=last.targets + max(len(table.targets), 1),
                choices=last.choices + max(len(table.choices), 1),
                operations=last.operations + len(table.ops),
                constants=last.constants + len(table.constants),
                ties=last.ties + len({(a, b) for _, a, b, *_ in table.rows}),
                inputs=last.inputs + max(count, 1),
                stores=last.stores + max(len(energy_reporters(mechanism)), 1),
                flexible=last.flexible + len(mechanism.flexible),
                faces=last.faces + sum(len(body.faces) for body in mechanism.flexible),
            )
        )
    return spans[:-1]


def by(first: int, number: int) -> int:
    """Index of a part among those of all components; negative ones (none, the world) stay."""
    return number + first if number >= 0 else number


def all_mechanisms(
    parts: Mapping[str, Sequence[Part]], mechanisms: Sequence[Mechanism], spans: Sequence[Spans]
) -> Mechanism:
    """The trees of all components behind each other, as one."""
    if len(mechanisms) == 1:
        return mechanisms[0]
    whole = Mechanism()
    for one, s in zip(mechanisms, spans, strict=True):
        joints = {id(joint): _joint(joint, s) for joint in one.joints}
        whole.rows += [_row(row, s) for row in one.rows]
        whole.joints += joints.values()
        whole.cuts += [_cut(cut, s) for cut in one.cuts]
        whole.bodies += [(block, part, by(s.rows, row), pose) for block, part, row, pose in one.bodies]
        whole.frames += [(by(s.rows, row), pose) for row, pose in one.frames]
        for node, frame in one.frame_index.items():
            whole.frame_index.setdefault(node, frame + s.frames)
        whole.elements += [_placed(placed, s) for placed in one.elements]
        whole.springs += [(joints[id(joint)], part) for joint, part in one.springs]
        whole.sensors += [_placed(placed, s) for placed in one.sensors]
        whole.others += [_placed(placed, s) for placed in one.others]
        for block, homes in one.homes.items():
            firsts = (_first_home(part, s) for part in parts[block])
            whole.homes[block] = [
                [n + first for n in home] for first, home in zip(firsts, homes, strict=True)
            ]
        whole.quats = s.quats + max(one.quats, 1)
        whole.flexible += [
            replace(body, row=body.row + s.rows, faces=[row + s.rows for row in body.faces])
            for body in one.flexible
        ]
    whole.homes = {block: whole.homes[block] for block in parts}
    return whole


def _first_home(part: Part, s: Spans) -> int:
    kinds = ((Joint, s.rows), (Body, s.bodies), (LinearSpring, s.springs), (Element, s.elements))
    return next((first for kind, first in kinds if isinstance(part, kind)), 0)


def _row(row: Row, s: Spans) -> Row:
    return replace(
        row,
        parent=by(s.rows, row.parent),
        joint=by(s.joints, row.joint),
        quat=by(s.quats, row.quat),
        flexible=by(s.faces if row.kind == f.FACE else s.flexible, row.flexible),
    )


def _joint(joint: TreeJoint, s: Spans) -> TreeJoint:
    frames = {name: by(s.frames, getattr(joint, name)) for name in ("frame_a", "frame_b", "resolve")}
    return replace(joint, first=joint.first + s.rows, last=joint.last + s.rows, **frames)


def _cut(cut: CutJoint, s: Spans) -> CutJoint:
    frames = {name: by(s.frames, getattr(cut, name)) for name in ("frame_a", "frame_b", "resolve")}
    return replace(cut, **frames)


def _placed(placed: PlacedPart, s: Spans) -> PlacedPart:
    return replace(placed, frame_a=by(s.frames, placed.frame_a), frame_b=by(s.frames, placed.frame_b))


def all_tables(tables: Sequence[ConstraintTable], spans: Sequence[Spans]) -> ConstraintTable:
    """The words of all constraints, behind each other; rows lead to frames and joints of all components."""
    if len(tables) == 1:
        return tables[0]
    whole = ConstraintTable()
    for one, s in zip(tables, spans, strict=True):
        whole.rows += [_constraint(row, s) for row in one.rows]
        whole.blocks += one.blocks
        whole.words += one.words
        whole.cuts += [
            (a + s.frames, b + s.frames, c + s.constraints, e + s.constraints) for a, b, c, e in one.cuts
        ]
        whole.cut_blocks += [_cut(cut, s) for cut in one.cut_blocks]
        whole.programs |= {
            block: (first + s.constraints, last + s.constraints)
            for block, (first, last) in one.programs.items()
        }
        whole.targets += one.targets or [("", "", 0)]
        whole.relative += [c + s.constraints for c in one.relative]
        whole.choices += one.choices or [""]
        whole.bands |= {e + s.elements: _band(columns, s) for e, columns in one.bands.items()}
        whole.late |= {k + s.targets for k in one.late}
        whole.ops += _tape(one.ops, s)
        whole.constants += one.constants
        whole.depth = max(whole.depth, one.depth)
    return whole


def _tape(ops: Sequence[tuple[int, int]], s: Spans) -> list[tuple[int, int]]:
    from ..kernels.holonomic_expression import CONSTANT, MAX, MIN, TARGET

    firsts = {CONSTANT: s.constants, TARGET: s.targets, MIN: s.choices, MAX: s.choices}
    return [(op, at + firsts.get(op, 0)) for op, at in ops]


def _band(columns: tuple[int, ...], s: Spans) -> tuple[int, ...]:
    first, last, *joints = columns
    return first + s.operations, last + s.operations, *(by(s.rows, row) for row in joints)


def _constraint(row: tuple[int, ...], s: Spans) -> tuple[int, ...]:
    firsts = {
        f.C_FRAME_A: s.frames, f.C_FRAME_B: s.frames, f.C_TARGET: s.targets, f.C_FIRST: s.operations,
        f.C_LAST: s.operations, f.C_SERVO: s.rows, **{f.C_JOINTS + k: s.rows for k in range(3)}, f.C_TIE: s.ties,
    }  # fmt: skip
    return tuple(by(firsts.get(column, 0), value) for column, value in enumerate(row))


def all_models(models: Sequence[Model], spans: Sequence[Spans]) -> Model:
    """The arrays of all components behind each other, as one model.

    Kernels of constraints and of shapes that touch run on one component at a time: how rows carry ties, and the tables
    of shapes, are left out.
    """
    if len(models) == 1:
        return models[0]
    models = with_equal_springs(models)
    whole: dict[str, np.ndarray] = {
        name: np.concatenate([getattr(m, name) for m in models]) for name in NUMBERS
    }
    spring_rows = dict.fromkeys(range(f.SP_ROWS, models[0].spring.shape[1]), "rows")
    for name, shifted in (*NUMBERED.items(), ("spring", spring_rows)):
        whole[name] = np.concatenate(
            [_shifted(getattr(m, name), shifted, s) for m, s in zip(models, spans, strict=True)]
        )
    shift_numbers(whole["topo"], models, spans)
    whole |= all_shapes(models)
    whole["constraint"] = np.array(
        [
            _constraint(tuple(row), s)
            for m, s in zip(models, spans, strict=True)
            for row in m.constraint.tolist()
        ],
        np.int64,
    ).reshape(-1, f.CONSTRAINT_COLUMNS)
    whole["tape"] = np.array(
        [op for m, s in zip(models, spans, strict=True) for op in _tape(m.tape.tolist(), s)], np.int64
    ).reshape(-1, 2)
    shift_stores(whole["store"], models, spans)
    option = np.sum([m.option for m in models], axis=0)
    shared = [f.O_METHOD, f.O_SOLVER, f.O_MODEL_TANGENTS]
    option[shared] = models[0].option[shared]
    whole["option"] = option
    whole["state"] = all_states(models, spans)
    left_out = (*SHAPES, "moved", "cluster", "member")
    whole |= {name: np.zeros_like(getattr(models[0], name)[:0]) for name in left_out}
    whole |= {"way": np.zeros((0, 0)), "constant": models[0].constant}
    return Model(**whole)


def with_equal_springs(models: Sequence[Model]) -> list[Model]:
    """Models whose tables of linear springs have one width, that of the widest."""
    count = max(m.spring.shape[1] for m in models) - f.SP_ROWS

    def widened(array: np.ndarray, width: int, filler: int) -> np.ndarray:
        # numbers that are views on those of all components are as wide already
        return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=filler)

    return [
        m._replace(
            spring=widened(m.spring, f.SP_ROWS + count, -1),
            spring_value=widened(m.spring_value, f.SP_COEFFICIENTS + count, 0),
        )
        for m in models
    ]


def shift_stores(store: np.ndarray, models: Sequence[Model], spans: Sequence[Spans]) -> None:
    """Rows, springs or elements of the blocks whose energies are added up, among those of all."""
    at = 0
    for m, s in zip(models, spans, strict=True):
        for row in store[at : at + len(m.store)]:
            row[[f.S_FIRST, f.S_LAST]] += {
                f.OF_ROWS: s.rows,
                f.OF_SPRINGS: s.springs,
                f.OF_ELEMENTS: s.elements,
            }[int(row[f.S_KIND])]
        at += len(m.store)


def shift_numbers(topo: np.ndarray, models: Sequence[Model], spans: Sequence[Spans]) -> None:
    """Numbers of quaternions, of interfaces and of flexible bodies in the rows' topology, among those of all."""
    for m, s in zip(models, spans, strict=True):
        own = topo[s.rows : s.rows + len(m.topo)]
        firsts = {f.FACE: s.faces, f.MODAL: s.flexible}
        own[:, f.QUAT] += [firsts.get(kind, s.quats) for kind in own[:, f.KIND].tolist()]


def all_states(models: Sequence[Model], spans: Sequence[Spans]) -> np.ndarray:
    """`Model.state` of all components, in the order of the state vector."""
    tables = []
    for m, s in zip(models, spans, strict=True):
        table = m.state.copy()
        slips = table[:, f.ST_KIND] == f.SLIP_STATE
        table[:, f.ST_ROW] += np.where(slips, s.elements, s.rows)
        tables.append(table)
    states = np.concatenate(tables)
    return states[np.argsort(states[:, f.ST_AT], kind="stable")]


def _shifted(array: np.ndarray, columns: Mapping[int, str], s: Spans) -> np.ndarray:
    moved = array.copy()
    table = moved.reshape(len(moved), -1) if moved.ndim == 1 else moved
    for column, name in columns.items():
        table[:, column] = np.where(
            table[:, column] >= 0, table[:, column] + getattr(s, name), table[:, column]
        )
    return moved


def firsts_of(models: Sequence[Model]) -> list[dict[str, int]]:
    """First row of each component in each array of numbers."""
    firsts: list[dict[str, int]] = [dict.fromkeys(NUMBERS, 0)]
    for m in models:
        firsts.append({name: first + len(getattr(m, name)) for name, first in firsts[-1].items()})
    return firsts[:-1]


def places_into(models: Sequence[Model], places: Sequence[np.ndarray]) -> None:
    """Places of each component's states among those of all."""
    for model, own in zip(models, places, strict=True):
        model.state[:, f.ST_AT] = own
