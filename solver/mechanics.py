"""What the mechanism means to the signals: expressions of its outputs, and the statements that feed its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..blocks import Block
from ..blocks.parts import EnergySensor
from .constraint_table import Table
from .schedule import Statement
from .signals import Key, Scalars
from .tree import Mechanism, TreeJoint


def token(name: str, number: int = 0) -> Key:
    """A step of the evaluation, as a key that statements can need."""
    return ("@", name, number, 0)


KINEMATICS, DYNAMICS = token("kinematics"), token("dynamics")
WRENCHES = ("total_force", "total_torque", "constraint_force", "constraint_torque")
AT_TIME = token("time")
SENSE, SENSE_ACCELERATION = token("sense"), token("sense_acceleration")
REACTIONS, ENERGIES = token("reactions"), token("energies")
POWERS = token("powers")


@dataclass
class Mechanics:
    """Statements around the kernels of one mechanism."""

    mechanism: Mechanism
    scalars: Scalars
    blocks: dict[str, Block]
    statements: list[Statement] = field(default_factory=list)
    table: Table = field(default_factory=Table)
    first_input: dict[str, int] = field(default_factory=dict)
    driven_by_signal: set[int] = field(default_factory=set)  # rows whose effort is wired
    given: list[Key] = field(default_factory=list)  # what kinematics needs from signals
    inputs: int = 0

    def build(self) -> None:
        follows, drives = [], []
        for i, row in enumerate(self.mechanism.rows):
            c = row.coordinate
            joint = self.mechanism.joints[row.joint]
            if c is not None and c.follow:
                follows.append(self._follow(joint.block, c.follow, i))
            elif c is not None and c.effort:
                text, key = self.scalars.read(joint.block, c.effort, 0)
                if key is None and float(text) == 0.0:
                    continue
                needs = () if key is None else (key,)
                self.driven_by_signal.add(i)
                drives.append(
                    self._add(
                        token("drive", i), needs, f"d.row[{i}, DRIVE] = {text}", f"{joint.block}.{c.effort}"
                    )
                )
        for placed in self.mechanism.elements:
            for port in placed.part.inputs:
                drives += self._element_input(placed.block, port)
        follows += [self._target(number, *source) for number, source in enumerate(self.table.targets)]
        self.given = list(follows)
        if self.table.rows:
            follows.append(self._add(AT_TIME, (), "d.scalar[CLOCK] = t"))
        self._add(KINEMATICS, tuple(follows), "kinematics(x, m, d)")
        self._add(DYNAMICS, (KINEMATICS, *drives), "dynamics(dx, m, d)", "mechanism")
        self._add(SENSE, (KINEMATICS,), "sense_motion(m, d)")
        self._add(SENSE_ACCELERATION, (DYNAMICS,), "sense_acceleration(m, d)")
        self._add(REACTIONS, (DYNAMICS,), "reactions(m, d)")
        self._add(ENERGIES, (DYNAMICS,), "energies(m, d)")
        self._powers()
        for key, (text, need) in self._outputs():
            if key[1] not in self.scalars.ports[key[0]]:
                continue
            self.statements.append(
                Statement((key,), (need,), (f"{self.scalars.name(key)} = {text}",), (), f"{key[0]}.{key[1]}")
            )

    def _powers(self) -> None:
        """Dynamics leave the powers of all forces, but for those that they find or leave to the reactions.

        In closed mechanisms what prescribed joints need goes with the multipliers: `powers` finds both.
        """
        driven = any(key[1] == "follow" for key in self.given)
        rubbing = any(row.coordinate is not None and row.coordinate.friction for row in self.mechanism.rows)
        if driven or rubbing or self.table.rows:
            self._add(POWERS, (REACTIONS,) if driven and not self.table.rows else (DYNAMICS,), "powers(m, d)")

    def _add(self, key: Key, needs: tuple[Key, ...], line: str, label: str = "") -> Key:
        self.statements.append(Statement((key,), needs, (line,), (), label))
        return key

    def _follow(self, block: str, port: str, row: int) -> Key:
        texts, needs = [], []
        for part in range(3):
            text, key = self.scalars.read(block, port, 0, part)
            texts.append(text)
            needs += [key] if key is not None else []
        line = f"d.row[{row}, Q], d.row[{row}, V], d.row[{row}, QDD] = {', '.join(texts)}"
        return self._add(token("follow", row), tuple(needs), line, f"{block}.{port}")

    def _target(self, number: int, block: str, port: str, element: int) -> Key:
        """What a constraint follows; relations follow the time."""
        texts, needs = ["t", "1.0", "0.0"], []
        if block:
            read = [self.scalars.read(block, port, element, part) for part in range(3)]
            texts = [text for text, _ in read]
            needs = [key for _, key in read if key is not None]
        line = "; ".join(f"d.target[{number}, {k}] = {text}" for k, text in enumerate(texts))
        return self._add(token("target", number), tuple(needs), line, f"{block}.{port}" if block else "")

    def _element_input(self, block: str, port: str) -> Iterator[Key]:
        self.first_input.setdefault(block, self.inputs)
        for element in range(self.scalars.width(block, port)):
            text, key = self.scalars.read(block, port, element)
            needs = () if key is None else (key,)
            yield self._add(
                token("input", self.inputs), needs, f"d.inputs[{self.inputs}] = {text}", f"{block}.{port}"
            )
            self.inputs += 1

    # --- outputs -------------------------------------------------------------------------------------------------

    def _outputs(self) -> Iterator[tuple[Key, tuple[str, Key]]]:
        for number, joint in enumerate(self.mechanism.joints):
            yield from self._joint_outputs(joint, number)
        for number, placed in enumerate(self.mechanism.elements):
            yield from self._element_outputs(placed.block, placed.part.kind, number)
        for number, placed in enumerate(self.mechanism.sensors):
            for group, name in enumerate(placed.part.outputs):
                yield from vector(
                    placed.block,
                    name,
                    3,
                    f"d.sensor_out[{number}, {{}}]",
                    3 * group,
                    SENSE if group < 4 else SENSE_ACCELERATION,
                )
        for number, cut in enumerate(self.table.cut_blocks):
            if cut.part.name or cut.weld:
                continue  # nobody asks, or its rows report
            for group, name in enumerate(WRENCHES):
                cell = f"d.joint_out[{len(self.mechanism.joints) + number}, {{}}]"
                yield from vector(cut.block, name, 3, cell, 3 * group, REACTIONS)
        for block, (first, last) in self.table.programs.items():
            for c in range(first, last):
                yield (block, "violation", c - first, 0), (f"d.con[{c}, PHI]", KINEMATICS)
                yield (block, "violation_rate", c - first, 0), (f"d.con[{c}, PHI_RATE]", KINEMATICS)
                yield (block, "multiplier", c - first, 0), (f"d.con[{c}, MULTIPLIER]", REACTIONS)
                yield (block, "effort", c - first, 0), (f"d.con[{c}, MULTIPLIER]", REACTIONS)
        for placed in self.mechanism.others:
            if isinstance(placed.part, EnergySensor):
                yield (placed.block, "kinetic", 0, 0), ("d.scalar[KINETIC]", ENERGIES)
                yield (placed.block, "potential", 0, 0), ("d.scalar[GRAVITY] + d.scalar[ELASTIC]", ENERGIES)
                yield (
                    (placed.block, "total", 0, 0),
                    ("d.scalar[KINETIC] + d.scalar[GRAVITY] + d.scalar[ELASTIC]", ENERGIES),
                )

    def _joint_outputs(self, joint: TreeJoint, number: int) -> Iterator[tuple[Key, tuple[str, Key]]]:
        block = joint.block
        if joint.part.name:
            return
        for group, name in enumerate(WRENCHES):
            yield from vector(block, name, 3, f"d.joint_out[{number}, {{}}]", 3 * group, REACTIONS)
        yield (block, "normal_force", 0, 0), (f"d.joint_out[{number}, 12]", REACTIONS)
        for i in range(joint.first, joint.last + 1):
            row = self.mechanism.rows[i]
            c = row.coordinate
            if row.quat >= 0:
                yield (block, "angular_velocity", row.quat_axis, 0), (f"d.row[{i}, V]", KINEMATICS)
                continue
            if c is None:
                continue
            name, element = split_index(c.name)
            rate, _ = split_index(c.rate)
            yield (block, name, element, 0), (f"d.row[{i}, Q]", KINEMATICS)
            yield (block, rate, element, 0), (f"d.row[{i}, V]", KINEMATICS)
            if name == "position" and "[" not in c.name:
                yield (block, "acceleration", 0, 0), (f"d.row[{i}, QDD]", DYNAMICS)
                yield (block, "friction", 0, 0), (f"d.row[{i}, PASSIVE + 3]", DYNAMICS)
                yield (
                    (block, "friction_power", 0, 0),
                    (f"d.row[{i}, PASSIVE + 3] * d.row[{i}, V]", DYNAMICS),
                )
                yield (block, "bristle", 0, 0), (f"d.row[{i}, BRISTLE]", KINEMATICS)
                yield (block, "required_effort", 0, 0), (f"d.joint_out[{number}, 13]", REACTIONS)
                yield (block, "trajectory", 0, 0), (f"d.row[{i}, Q]", KINEMATICS)
                yield (block, "trajectory", 0, 1), (f"d.row[{i}, V]", KINEMATICS)
                yield (block, "trajectory", 0, 2), ("0.0", KINEMATICS)
        if joint.part.quaternion is not None:
            quat = self.mechanism.rows[joint.last].quat
            yield from vector(block, "orientation", 4, f"d.quat[{quat}, {{}}]", 0, KINEMATICS)

    def _element_outputs(self, block: str, kind: str, number: int) -> Iterator[tuple[Key, tuple[str, Key]]]:
        cell = f"d.element_out[{number}, {{}}]"
        if kind == "line":
            for k, name in enumerate(("length", "rate", "force")):
                yield (block, name, 0, 0), (cell.format(6 + k), KINEMATICS)
        elif kind == "bushing":
            yield from vector(block, "deflection", 3, cell, 6, KINEMATICS)
            yield from vector(block, "torque", 3, cell, 0, KINEMATICS)
            yield from vector(block, "force", 3, cell, 3, KINEMATICS)


def vector(
    block: str, port: str, width: int, cell: str, first: int, need: Key
) -> Iterator[tuple[Key, tuple[str, Key]]]:
    for k in range(width):
        yield (block, port, k, 0), (cell.format(first + k), need)


def split_index(name: str) -> tuple[str, int]:
    """`position[2]` -> (`position`, 2)."""
    if not name.endswith("]"):
        return name, 0
    base, _, index = name[:-1].partition("[")
    return base, int(index)
