"""Mechanical states: names, units, initial values, and the rows they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import SolidPair
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from .friction_parameters import rows_with_bristles
from .mechanism import Mechanism

CLASSES = {f.Q_STATE: 0, f.QUAT_STATE: 0, f.V_STATE: 1, f.BRISTLE_STATE: 2, f.SLIP_STATE: 3}
PAIRS = 4  # class of the bristles of pairs of shapes


@mutable
class States:
    """Names, units and initial values of the mechanical states, in the order of `Model.state`."""

    names: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    initial: list[float] = field(default_factory=list)
    table: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, name: str, unit: str, value: float, kind: int, row: int, component: int) -> None:
        """Append a state."""
        self.names.append(name)
        self.units.append(unit)
        self.initial.append(value)
        self.table.append((kind, row, component))

    @property
    def array(self) -> np.ndarray:
        """`Model.state`, where these states are all there are."""
        rows = [(*row, place) for place, row in enumerate(self.table)]
        return np.array(rows, np.int64).reshape(-1, f.ST_AT + 1)

    def set_initial(self, data: Data, model: Model) -> None:
        """Take the initial values from the assembled coordinates in `data`."""
        values = {f.Q_STATE: lambda i, c: data.q[i], f.V_STATE: lambda i, c: data.v[i]}
        values[f.QUAT_STATE] = lambda i, c: data.quat[model.topo[i, f.QUAT], c]
        for k, (kind, row, component) in enumerate(self.table):
            if kind in values:
                self.initial[k] = float(values[kind](row, component))


def mode_of(mechanism: Mechanism, i: int) -> int:
    """FREE or DRIVEN of row i."""
    row = mechanism.rows[i]
    given = row.kind in (f.WELD, f.FACE) or (
        row.coordinate is not None and (row.coordinate.follow or row.coordinate.locked)
    )
    return f.DRIVEN if given else f.FREE


def free_states(mechanism: Mechanism) -> States:
    """States of a mechanism without constraints."""
    rows = range(len(mechanism.rows))
    return states_of(
        mechanism, np.array([i for i in rows if mode_of(mechanism, i) == f.FREE], int), np.zeros(0, int)
    )


def states_of(mechanism: Mechanism, chosen: np.ndarray, placed: np.ndarray) -> States:
    """States: coordinates of the rows `chosen` and `placed`, rates of `chosen`, bristles of all rows, bristles of
    elements.
    """
    states = States()
    rows, names, rates = mechanism.rows, mechanism.coordinate_names(), mechanism.rate_names()
    free, located = sorted(chosen.tolist()), sorted([*chosen.tolist(), *placed.tolist()])
    for i in located:
        name, coordinate = names[i], rows[i].coordinate
        if coordinate is not None:
            unit, _ = coordinate.units
            value = coordinate.guess if coordinate.value is None else coordinate.value
            states.add(name, unit, value, f.Q_STATE, i, f.V)
        elif rows[i].kind == f.QUAT_X:
            joint = mechanism.joints[rows[i].joint]
            for c in range(4):
                value = (joint.part.quaternion or (1.0, 0.0, 0.0, 0.0))[c]
                states.add(f"{joint.block}.orientation[{c}]", "", value, f.QUAT_STATE, i, c)
    for i in free:
        name, coordinate = rates[i], rows[i].coordinate
        if coordinate is not None:
            _, unit = coordinate.units
            states.add(name, unit, coordinate.speed or 0.0, f.V_STATE, i, f.QDD)
        else:
            spin = mechanism.joints[rows[i].joint].part.spin or (0.0, 0.0, 0.0)
            states.add(name, "rad/s", spin[rows[i].quat_axis], f.V_STATE, i, f.QDD)
    for i, coordinate, friction in rows_with_bristles(mechanism):
        unit = "m" if coordinate.prismatic else "rad"
        name = f"{mechanism.joints[rows[i].joint].block}.bristle"
        states.add(name, unit, friction.state, f.BRISTLE_STATE, i, f.BRISTLE_RATE)
    # those of pairs of shapes are the last (`kernels/touch.py`)
    last = sorted(enumerate(mechanism.elements), key=lambda pair: isinstance(pair[1].part, SolidPair))
    for number, element in last:
        if element.part.bristle:
            of = f"bristle_{element.part.name}" if element.part.name else "bristle"
            for c in range(element.part.bristle):
                name = f"{of}[{c}]"
                if element.part.kind == "support" and c == f.SETTLED_PART:
                    name = of.replace("bristle", "settlement")
                states.add(f"{element.block}.{name}", "m", 0.0, f.SLIP_STATE, number, c)
    return states


def places_of(
    each: Sequence[States], mechanisms: Sequence[Mechanism], position: Mapping[str, int]
) -> list[np.ndarray]:
    """Places of each component's states among those of all.

    First coordinates, then rates, then bristles of joints and of elements, each in the order in which the netlist names
    the joints that hang on the world (`position` of a block), then those of pairs of shapes; coordinates of joints that
    close loops come last.
    """
    if len(each) == 1:
        return [np.arange(len(each[0].table))]
    keys = []
    for k, (states, mechanism) in enumerate(zip(each, mechanisms, strict=True)):
        roots = roots_of(mechanism)
        closing = {id(cut.part) for cut in mechanism.cuts}
        for j, (kind, row, _) in enumerate(states.table):
            if kind == f.SLIP_STATE:
                element = mechanism.elements[row]
                if isinstance(element.part, SolidPair):  # one behind the other (`kernels/touch.py`)
                    keys.append((PAIRS, False, k, k, j))
                    continue
                block, last = element.block, False
            else:
                joint = mechanism.joints[mechanism.rows[roots[row]].joint]
                block, last = joint.block, id(mechanism.joints[mechanism.rows[row].joint].part) in closing
            keys.append((CLASSES[kind], last, position[block], k, j))
    places = [np.zeros(len(states.table), np.int64) for states in each]
    for place, (*_, k, j) in enumerate(sorted(keys)):
        places[k][j] = place
    return places


def roots_of(mechanism: Mechanism) -> list[int]:
    """Root of each row: the row on its way to the world that hangs there."""
    roots: list[int] = []
    for i, row in enumerate(mechanism.rows):
        roots.append(roots[row.parent] if row.parent >= 0 else i)
    return roots
