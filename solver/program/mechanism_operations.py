"""Signals of a mechanism: the places of its outputs, and the operations that feed its inputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property

from ...blocks import Block
from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import Band, Distance, EnergySensor, Telescope, Touch, split_index
from ...blocks.ports import TRAJECTORY
from ..codegen.jit import EntryPoint
from ..codegen.source_functions import Function
from ..kernels import model_data as f
from ..kernels.kernel_selection import (
    applied_force_kernels,
    banded_kernels,
    clearance_kernel,
    element_kernels,
    kernels,
)
from ..mechanism.constraint_rows import ConstraintTable
from ..mechanism.friction_parameters import rows_with_friction
from ..mechanism.mechanism import Mechanism, PlacedPart, TreeJoint
from .ball_joints import ball_outputs, lock_switches
from .evaluation_stages import (
    AT_TIME,
    CLEARANCE,
    DYNAMICS,
    ENERGIES,
    KINEMATICS,
    POWERS,
    REACTIONS,
    SENSE,
    SENSE_ACCELERATION,
    WRENCHES,
    own_key,
    own_output,
    stage_key,
)
from .floating_orientation import floating_outputs
from .operations import (
    ADD,
    ADD_THREE,
    MULTIPLY,
    NEGATE,
    TOTAL,
    Operation,
    copy_scalars,
)
from .rail_operations import rail_outputs, rail_switches
from .scalar_places import Key, Output, Scalars
from .shape_operations import clearances, touch_outputs
from .switching_functions import TOUCH, SwitchingFunction
from .tip_over import tipping_switches
from .travel_limits import FELT, TWO_BLOCKED, depth_switches, stroke_switches
from .work_space import TIME, Place, data_place, of_component


@mutable
class MechanismOperations:
    """Operations around the kernels of one component, by its number."""

    mechanism: Mechanism
    scalars: Scalars
    blocks: dict[str, Block]
    number: int = 0
    name: str = "mechanism"  # in messages
    operations: list[Operation] = field(default_factory=list)
    table: ConstraintTable = field(default_factory=ConstraintTable)
    first_input: dict[tuple[str, str], int] = field(default_factory=dict)
    driven_by_signal: set[int] = field(default_factory=set)  # rows whose effort is wired
    given: list[Key] = field(default_factory=list)  # keys that kinematics needs from signals
    drives: list[Key] = field(default_factory=list)  # keys that dynamics needs from signals
    forces: list[Key] = field(default_factory=list)  # keys that force elements need from signals
    kernels: dict[str, EntryPoint] = field(default_factory=dict)
    told: list[Operation] = field(default_factory=list)  # its outputs
    inputs: int = 0
    delta_q: bool = False  # damping forces as in the GPME, with constraints

    def collect_outputs(self) -> None:
        """Its outputs, which other components may read."""
        measured = clearances(self.mechanism, self.cell, self.scalars, self.key(CLEARANCE))
        self.told = [*self.outputs_of(self._outputs()), *measured]

    def build(self) -> None:
        self.feed()
        self._evaluation()
        self._kernel(SENSE, "sense_motion", (KINEMATICS,))
        self._kernel(SENSE_ACCELERATION, "sense_acceleration", (DYNAMICS,))
        self._kernel(REACTIONS, "reactions", (DYNAMICS,))
        self._kernel(ENERGIES, "energies", (DYNAMICS,))
        self._powers()
        if any(isinstance(placed.part, Distance) for placed in self.mechanism.elements):
            self.kernels |= clearance_kernel()
            self._kernel(CLEARANCE, "clearances", (KINEMATICS,))
        self.operations += self.told

    def outputs_of(self, outputs: Iterable[Output]) -> Iterator[Operation]:
        """Outputs that are told as if this were the only component."""
        return self.scalars.outputs(own_output(output, self.number) for output in outputs)

    def key(self, step: Key) -> Key:
        """A step of this component's own evaluation."""
        return own_key(step, self.number)

    def cell(self, array: str, row: int, column: int = 0) -> Place:
        """The place of an entry of one of its arrays."""
        return of_component(data_place(array, row, column), self.number)

    def _evaluation(self) -> None:
        """Append kinematics and dynamics with forces between frames; kernels that the model does not need are left
        out.
        """
        closed = bool(self.table.rows)
        units = kernels(closed, any(rows_with_friction(self.mechanism)))
        kinds = {placed.part.kind for placed in self.mechanism.elements}
        motion = {"kinematics": units["kinematics"], **element_kernels(kinds, self.delta_q and closed)}
        dynamics = banded_kernels()["dynamics"] if self.banded else units["dynamics"]
        forces = {**applied_force_kernels(kinds), "dynamics": dynamics}
        self.kernels = {**units, **motion, **forces}
        self._chain(KINEMATICS, [*motion], (*self.given, *self._clock()))
        self._chain(DYNAMICS, [*forces], (KINEMATICS, *self.drives), self.name)

    def _chain(self, key: Key, names: list[str], needs: tuple[Key, ...], label: str = "") -> None:
        """Append kernels in sequence; `key` is made by the last."""
        for name in names:
            own = key if name == names[-1] else stage_key(f"{name} alone")
            self._kernel(own, name, needs, label)
            needs = (own,)

    def feed(self) -> None:
        """Append inputs of the mechanism: prescribed motions, constraint targets, efforts, forces."""
        for i, row in enumerate(self.mechanism.rows):
            c = row.coordinate
            block = self.mechanism.joints[row.joint].block
            if c is not None and c.follow:
                to = [self.cell("row", i, column) for column in (f.Q, f.V, f.QDD)]
                self.given.append(self._copy_input(stage_key("follow", i), block, c.follow, 0, to))
            elif c is not None and c.effort:
                source = self.scalars.input_place(block, c.effort, 0)
                if source[1] is None and self.scalars.is_zero(source[0]):
                    continue
                self.driven_by_signal.add(i)
                self.drives.append(
                    self._copy_input(
                        stage_key("drive", i), block, c.effort, 0, [self.cell("row", i, f.DRIVE)]
                    )
                )
        for joint in self.mechanism.joints:
            if joint.part.hold:
                flag: Key = (joint.block, joint.part.hold, 0, 0)
                step = stage_key("hold", joint.first)
                self.operations.append(self.lock(step, joint, self.scalars.at(flag), (flag,)))
                self.drives.append(self.key(step))
        for placed in self.mechanism.elements:
            for port in placed.part.inputs:
                # segments of a rope behind its first read the inputs of that
                self.first_input.setdefault((placed.block, ""), self.inputs)
                self.first_input[placed.block, port] = self.inputs
                parts = 3 if self.scalars.ports[placed.block][port].kind == TRAJECTORY else 1
                for element in range(self.scalars.width(placed.block, port)):
                    to = [self.cell("inputs", self.inputs + part) for part in range(parts)]
                    key = self._copy_input(stage_key("input", self.inputs), placed.block, port, element, to)
                    self.drives.append(key)
                    self.forces.append(key)
                    self.inputs += parts
        for number, source in enumerate(self.table.targets):
            key = self._target(number, *source)
            (self.drives if number in self.table.late else self.given).append(key)

    def _clock(self) -> list[Key]:
        """Append the copy of time that constraints and bands need."""
        if not self.table.rows and not self.banded:
            return []
        key = self.key(AT_TIME)
        self.operations.append(copy_scalars(key, (), [(self.cell("scalar", f.TIME_S), TIME)]))
        return [key]

    def _powers(self) -> None:
        """Append the kernel of powers where dynamics does not leave them.

        Joint friction, driven joints and constraints need it; the power of driven joints in closed mechanisms follows
        from the multipliers.
        """
        driven = any(key[1] == "follow" for key in self.given)
        rubs = any(row.coordinate is not None and row.coordinate.friction for row in self.mechanism.rows)
        if driven or rubs or self.table.rows:
            reactions = driven and not self.table.rows
            self._kernel(POWERS, "powers", (REACTIONS,) if reactions else (DYNAMICS,))

    def _kernel(self, key: Key, name: str, needs: tuple[Key, ...], label: str = "") -> None:
        needs = tuple(map(self.key, needs))
        code, number = self.kernels[name], self.number
        self.operations.append(Operation((self.key(key),), needs, code, label=label, component=number))

    def _copy_input(self, step: Key, block: str, port: str, element: int, to: list[Place]) -> Key:
        """Copy an input (with its rates, where there are places for them) to where the mechanism reads it."""
        key = self.key(step)
        sources = [self.scalars.input_place(block, port, element, part) for part in range(len(to))]
        needs = tuple(need for _, need in sources if need is not None)
        pairs = zip(to, (place for place, _ in sources), strict=True)
        self.operations.append(copy_scalars(key, needs, pairs, f"{block}.{port}"))
        return key

    def lock(self, step: Key, joint: TreeJoint, source: Place, needs: tuple[Key, ...]) -> Operation:
        """Copy of the flag by which a joint is locked, to HELD of its rows."""
        places = [self.cell("row", i, f.HELD) for i in range(joint.first, joint.last + 1)]
        return copy_scalars(self.key(step), needs, [(place, source) for place in places], joint.block)

    def _target(self, number: int, block: str, port: str, element: int) -> Key:
        """Signal or time that a constraint follows."""
        to = [self.cell("target", number, part) for part in range(3)]
        if block:
            # relations on accelerations read a signal without its rates
            to = to if self.scalars.ports[block][port].kind == TRAJECTORY else to[:1]
            return self._copy_input(stage_key("target", number), block, port, element, to)
        key, constant = self.key(stage_key("target", number)), self.scalars.constant
        self.operations.append(
            copy_scalars(key, (), zip(to, (TIME, constant(1.0), constant(0.0)), strict=True))
        )
        return key

    # --- outputs -------------------------------------------------------------------------------------------------

    def _outputs(self) -> Iterator[Output]:
        """Outputs of joints, elements, sensors, cut joints and constraints."""
        for number, joint in enumerate(self.mechanism.joints):
            yield from self._joint_outputs(joint, number)
        for number, placed in enumerate(self.mechanism.elements):
            yield from self._element_outputs(placed, number)
        for number, placed in enumerate(self.mechanism.sensors):
            for group, name in enumerate(placed.part.outputs):
                column = f.SENSED + 3 * group
                need = SENSE if column < f.SENSED_ACC else SENSE_ACCELERATION
                yield from vector(placed.block, name, 3, ("sensor_out", number, column), need)
        yield from touch_outputs(self.mechanism)
        yield from rail_outputs(self.mechanism)
        yield from ball_outputs(self.mechanism)
        yield from floating_outputs(self.mechanism, self.scalars.constant)
        yield from self._cut_outputs()
        yield from self._constraint_outputs()

    def _cut_outputs(self) -> Iterator[Output]:
        """Wrenches of cut joints."""
        for number, cut in enumerate(self.table.cut_blocks):
            if cut.part.name or cut.weld:
                continue  # no outputs, or its rows report
            for group, name in enumerate(WRENCHES):
                where = ("joint_out", len(self.mechanism.joints) + number, f.TOTAL_FORCE + 3 * group)
                yield from vector(cut.block, name, 3, where, REACTIONS)

    def _constraint_outputs(self) -> Iterator[Output]:
        """Violations, multipliers and efforts of programmed constraints."""
        for block, (first, last) in self.table.programs.items():
            for c in range(first, last):
                for port, column, need in (
                    ("violation", f.PHI, KINEMATICS),
                    ("violation_rate", f.PHI_RATE, KINEMATICS),
                    ("multiplier", f.MULTIPLIER, REACTIONS),
                    ("effort", f.MULTIPLIER, REACTIONS),
                ):
                    yield Output((block, port, c - first, 0), (data_place("con", c, column),), need)

    def _joint_outputs(self, joint: TreeJoint, number: int) -> Iterator[Output]:
        """Wrenches, coordinates and efforts of a joint of the tree."""
        block = joint.block
        if joint.part.name:
            return
        for group, name in enumerate(WRENCHES):
            yield from vector(block, name, 3, ("joint_out", number, f.TOTAL_FORCE + 3 * group), REACTIONS)
        yield Output(
            (block, "normal_force", 0, 0), (data_place("joint_out", number, f.NORMAL_FORCE),), REACTIONS
        )
        for i in range(joint.first, joint.last + 1):
            row = self.mechanism.rows[i]
            c = row.coordinate
            q, v, friction = (
                data_place("row", i, f.Q),
                data_place("row", i, f.V),
                data_place("row", i, f.FRICTION_EFFORT),
            )
            if row.quat >= 0:
                yield Output((block, "angular_velocity", row.quat_axis, 0), (v,), KINEMATICS)
            if c is None:
                continue
            name, element = split_index(c.name)
            rate, _ = split_index(c.rate)
            yield Output((block, name, element, 0), (q,), KINEMATICS)
            yield Output((block, rate, element, 0), (v,), KINEMATICS)
            if name == "position" and "[" not in c.name:
                yield Output((block, "acceleration", 0, 0), (data_place("row", i, f.QDD),), DYNAMICS)
                yield Output((block, "friction", 0, 0), (friction,), DYNAMICS)
                yield Output((block, "friction_power", 0, 0), (friction, v), DYNAMICS, MULTIPLY)
                yield Output((block, "bristle", 0, 0), (data_place("row", i, f.BRISTLE),), KINEMATICS)
                required = data_place("joint_out", number, f.REQUIRED_EFFORT)
                yield Output((block, "required_effort", 0, 0), (required,), REACTIONS)
                for part, place in enumerate((q, v, self.scalars.constant(0.0))):
                    yield Output((block, "trajectory", 0, part), (place,), KINEMATICS)
        if joint.part.quaternion is not None:
            quat = self.mechanism.rows[joint.last].quat
            yield from vector(block, "orientation", 4, ("quat", quat, 0), KINEMATICS)

    def _element_outputs(self, placed: PlacedPart, number: int) -> Iterator[Output]:
        """Outputs of a force element."""
        block, kind = placed.block, placed.part.kind
        if kind == "line":
            for k, name in enumerate(("length", "rate", "force")):
                yield Output(
                    (block, name, 0, 0), (data_place("element_out", number, f.DEFLECTION + k),), KINEMATICS
                )
        elif kind == "segment":
            segment = int(placed.part.values[f.R_NUMBER])
            for name, k, column in (
                ("lengths", segment, f.SEGMENT_LENGTH),
                ("rates", segment, f.SEGMENT_RATE),
                ("stretched", 0, f.ROPE_LENGTH),
                ("rate", 0, f.ROPE_RATE),
                ("stop_force", 0, f.MEETING),
            ):
                # the first segment reports for the whole rope
                if segment == 0 or column in (f.SEGMENT_LENGTH, f.SEGMENT_RATE):
                    need = DYNAMICS if column == f.MEETING else KINEMATICS
                    yield Output((block, name, k, 0), (data_place("element_out", number, column),), need)
        elif kind == "contact":
            for name, column in (
                ("depth", f.DEFLECTION),
                ("touching", f.TOUCHING),
                ("normal_force", f.FORCE_IN_A + 2),
            ):
                yield Output((block, name, 0, 0), (data_place("element_out", number, column),), KINEMATICS)
            yield from vector(block, "force", 3, ("element_out", number, f.FORCE_ON_B), KINEMATICS)
        elif kind == "band":
            assert isinstance(placed.part, Band)
            _, k = placed.part.target
            for name, column in (
                ("violation", f.BAND_GAP), ("violation_rate", f.BAND_RATE), ("multiplier", f.BAND_FORCE)
            ):  # fmt: skip
                yield Output((block, name, k, 0), (data_place("element_out", number, column),), DYNAMICS)
        elif kind == "bushing":
            for name, column in (
                ("deflection", f.DEFLECTION),
                ("torque", f.TORQUE_ON_B),
                ("force", f.FORCE_ON_B),
            ):
                yield from vector(block, name, 3, ("element_out", number, column), KINEMATICS)

    @cached_property
    def banded(self) -> bool:
        """True if it has tolerance bands."""
        return any(placed.part.kind == "band" for placed in self.mechanism.elements)

    def switches(self) -> Iterator[tuple[SwitchingFunction, Place]]:
        """Numbers whose sign says which piece of a force holds, and where kinematics leaves them."""
        for switch, place in self._switches():
            yield switch, of_component(place, self.number)

    def _switches(self) -> Iterator[tuple[SwitchingFunction, Place]]:
        for i, row in enumerate(self.mechanism.rows):
            c = row.coordinate
            if c is None or c.locked:
                continue
            block = self.mechanism.joints[row.joint].block
            if c.limits is not None:
                yield SwitchingFunction(block, "stop"), data_place("row", i, f.STOP_DEPTH)
                yield SwitchingFunction(block, "fade"), data_place("row", i, f.STOP_BEYOND)
            if c.friction is not None and c.friction.model == "coulomb":
                yield SwitchingFunction(block, "friction"), data_place("row", i, f.V)
        for e, placed in enumerate(self.mechanism.elements):
            if placed.part.kind == "segment" and placed.part.values[f.R_NUMBER] == 0.0:
                yield (
                    SwitchingFunction(placed.block, TWO_BLOCKED, room=(-math.inf, FELT)),
                    data_place("element_out", e, f.MEETING),
                )
            if placed.part.kind in ("contact", "support") or isinstance(placed.part, Touch):
                what = f"{placed.part.kind} {placed.part.name}".strip()
                if isinstance(placed.part, Touch):
                    what = f"{TOUCH}{placed.part.frame_b} on {placed.part.frame_a}"
                yield SwitchingFunction(placed.block, what), data_place("element_out", e, f.MARGIN)
            if placed.part.kind == "band":
                yield SwitchingFunction(placed.block, "edge"), data_place("element_out", e, f.MARGIN)
        for k, block in enumerate(self.table.choices):
            yield SwitchingFunction(block, "relation"), data_place("choice", k)
        yield from stroke_switches(self.mechanism)
        yield from lock_switches(self.mechanism)
        yield from depth_switches(self.mechanism)
        yield from rail_switches(self.mechanism)
        yield from tipping_switches(self.mechanism)


def vector(block: str, port: str, width: int, first: tuple[str, int, int], need: Key) -> Iterator[Output]:
    """Outputs of the entries of a vector."""
    array, row, column = first
    for k in range(width):
        yield Output((block, port, k, 0), (data_place(array, row, column + k),), need)


def energy_outputs(mechanics: Sequence[MechanismOperations], scalars: Scalars) -> Iterator[Operation]:
    """Energies of all components, for the blocks that report them."""
    asked = [placed.block for each in mechanics for placed in each.mechanism.others_of(EnergySensor)]
    kinds = {
        "kinetic": (f.KINETIC,),
        "potential": (f.GRAVITY, f.ELASTIC),
        "total": (f.KINETIC, f.GRAVITY, f.ELASTIC),
    }
    codes = {"kinetic": None, "potential": ADD, "total": ADD_THREE}
    needs = tuple(each.key(ENERGIES) for each in mechanics)
    for block in asked:
        for port, columns in kinds.items():
            places = tuple(each.cell("scalar", k) for each in mechanics for k in columns)
            key: Key = (block, port, 0, 0)
            if len(mechanics) == 1:
                yield from scalars.outputs([Output(key, places, ENERGIES, codes[port])])
            elif scalars.known(key):
                yield Operation(
                    (key,), needs, TOTAL, (scalars.at(key), len(places), *places), label=f"{block}.{port}"
                )


def cylinder_outputs(mechanism: Mechanism) -> Iterator[Output]:
    """Outputs of cylinders beyond those of a slide: angles of the barrel and forces on the pins."""
    parts = {placed.block: placed.part for placed in mechanism.others_of(Telescope)}
    for number, joint in enumerate(mechanism.joints):
        part = parts.get(joint.block)
        if part is None:
            continue
        if joint.part.name == part.turn:
            for row in range(joint.first, joint.last + 1):
                turn = mechanism.rows[row].coordinate
                if turn is not None:  # angle or tilt
                    yield Output((joint.block, turn.name, 0, 0), (data_place("row", row, f.Q),), KINEMATICS)
            yield from pin_force(joint.block, "pin_a_force", number, NEGATE)
        elif joint.part.name == "rod":
            yield from pin_force(joint.block, "pin_b_force", number)
    for number, cut in enumerate(mechanism.cuts):
        if cut.block in parts:
            yield from pin_force(cut.block, "pin_b_force", len(mechanism.joints) + number)


def pin_force(block: str, port: str, number: int, code: Function | None = None) -> Iterator[Output]:
    """Output of the force on a pin."""
    for k in range(3):
        yield Output(
            (block, port, k, 0), (data_place("joint_out", number, f.TOTAL_FORCE + k),), REACTIONS, code
        )
