"""Dependencies of rates on states: the sparsity of df/dx as the operations of the rates have it, never too small.

Signals are followed from place to place. In a component (`mechanism/components.py`) coordinates depend on each other
where bodies, joints or force elements connect them; where it has constraints, all of them do. Sets of states are bit
masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..codegen.source_functions import Function
from ..kernels import model_data as f
from ..kernels.model_data import WIDTHS, Model
from .external_callbacks import ExternalEvaluation
from .operations import COPY, Operation
from .work_space import SIGNAL_RATES, SIGNAL_STATES, Place

MOTION = (f.Q, f.V)  # columns of Data.row that hold states


def connected_rows(model: Model) -> list[int]:
    """First row of the set of connected rows, of each row of a component."""
    first = list(range(len(model.topo)))

    def of(i: int) -> int:
        while first[i] != i:
            first[i] = i = first[first[i]]
        return i

    for rows in _connections(model):
        known = [of(i) for i in rows if i >= 0]
        for i in known:
            first[i] = min(known)
    return [of(i) for i in range(len(first))]


def _connections(model: Model) -> Iterator[Iterable[int]]:
    """Rows that a joint, a spring, a force element or the constraints connect; -1 for the world."""
    if len(model.constraint):
        yield range(len(model.topo))
        return
    for i, topo in enumerate(model.topo.tolist()):
        yield [i, topo[f.PARENT]]
        if topo[f.KIND] in (f.QUAT_Y, f.QUAT_Z):
            yield [i, i - 1]
    for joint in model.joint.tolist():
        yield range(joint[f.J_FIRST], joint[f.J_LAST] + 1)
    for spring in model.spring.tolist():
        yield spring[f.SP_ROWS : f.SP_ROWS + spring[f.SP_COUNT]]
    row, rope = model.frame_row.tolist(), list[int]()
    for e, element in enumerate(model.element.tolist()):
        rows = [row[element[column]] for column in (f.E_FRAME_A, f.E_FRAME_B) if element[column] >= 0]
        if element[f.E_KIND] == f.SEGMENT:
            rope = rows if model.element_value[e, f.R_NUMBER] == 0.0 else [*rope, *rows]
            rows = rope
        yield [*rows, *element[f.E_JOINTS : f.E_JOINTS + 3]]


class StateFlow:
    """States on which each place of the work space depends while the operations of the rates run."""

    def __init__(self, ordered: Sequence[Operation], models: Sequence[Model], signal_states: int):
        self.components = [ComponentFlow(model) for model in models]
        self.mechanical = sum(len(model.state) for model in models)
        self.states = self.mechanical + signal_states
        self.at: dict[Place, int] = {}
        self.work = 0  # of the work space of all controllers
        for operation in ordered:
            self._run(operation)

    def rates(self) -> list[int]:
        """States on which each rate depends, in the order of the state vector."""
        rates = [0] * self.mechanical
        for component in self.components:
            for group, states in component.states.items():
                for j in states:
                    rates[j] = component.forces[group]
        return [*rates, *(self.at.get((SIGNAL_RATES, k), 0) for k in range(self.states - self.mechanical))]

    def _run(self, operation: Operation) -> None:
        if operation.code is None:
            return
        if not isinstance(operation.code, Function):
            if operation.work is not None:  # a controller reads all rows of its mechanism
                self.work |= self.components[operation.component].everything
            return
        entries = operation.entries
        if operation.code is COPY:
            for to, source in zip(entries[::2], entries[1::2], strict=True):
                self._write(to, self._read([source]))
            return
        written, read = entries[: operation.writes], entries[operation.writes :]
        if isinstance(operation.code, ExternalEvaluation):
            count = int(entries[1])  # type: ignore[arg-type]
            written, read = entries[3 : 3 + count], entries[3 + count :]
        states = self._read(read)
        for place in written:
            self._write(place, states)

    def _read(self, entries: Sequence[int | Place]) -> int:
        """States behind places; a number behind a place may be a count of places from there on."""
        states = 0
        for k, entry in enumerate(entries):
            if not isinstance(entry, int):
                more = entries[k + 1] if k + 1 < len(entries) else 1
                for at in range(entry[1], entry[1] + max(more if isinstance(more, int) else 1, 1)):
                    states |= self._behind((entry[0], at))
        return states

    def _behind(self, place: Place) -> int:
        name, at = place
        if name == SIGNAL_STATES:
            return 1 << (self.mechanical + at)
        if name == "work":
            return self.work
        array, number = split_component(name)
        if array not in WIDTHS and array not in ("scalar", "store_out", "inputs"):
            return self.at.get(place, 0)
        return self.components[number].read(array, *divmod(at, WIDTHS.get(array, 1)))

    def _write(self, place: int | Place, states: int) -> None:
        assert not isinstance(place, int)
        array, number = split_component(place[0])
        if array == "work":
            self.work |= states
        elif array in ("row", "target", "inputs", "scalar"):
            self.components[number].write(array, *divmod(place[1], WIDTHS.get(array, 1)), states)
        else:
            self.at[place] = states


def split_component(name: str) -> tuple[str, int]:
    """Array of `Data` and number of the component: `row@2` -> (`row`, 2)."""
    array, _, number = name.partition("@")
    return array, int(number or 0)


class ComponentFlow:
    """States on which the motion of, and the forces on, each group of connected rows of a component depend."""

    def __init__(self, model: Model):
        self.model = model
        self.group = connected_rows(model)
        self.received = 0  # states on which signals depend that the component is given
        self.own: dict[
            int, int
        ] = {}  # states of each group; those of elements between world frames are group -1
        self.exact: dict[tuple[int, int], int] = {}  # entries of Data.row that are states themselves
        self.states: dict[int, list[int]] = {}  # the same as places in the state vector
        for kind, i, _, at in model.state.tolist():
            row = self._row_of_element(i) if kind == f.SLIP_STATE else i
            group = self.group[row] if row >= 0 else -1
            self.own[group] = self.own.get(group, 0) | 1 << at
            self.states.setdefault(group, []).append(at)
            if kind in MOTION and not len(model.constraint):
                self.exact[i, kind] = 1 << at
        self.motion = dict(self.own)
        self.forces = dict(self.own)

    @property
    def everything(self) -> int:
        """States on which anything of the component depends."""
        whole = 0
        for mask in self.forces.values():
            whole |= mask
        return whole

    def read(self, array: str, row: int, column: int) -> int:
        """States on which an entry of an array of `Data` depends."""
        if array == "row" and row < len(self.group):
            if (row, column) in self.exact:
                return self.exact[row, column]
            group = self.group[row]
            return (self.motion if column in MOTION else self.forces).get(group, 0)
        rows = self._rows_behind(array, row)
        if rows is None:
            return self.everything
        masks = self.motion if array == "sensor_out" and column < f.SENSED_ACC else self.forces
        states = 0
        for i in rows:
            states |= masks.get(self.group[i], 0)
        return states

    def _rows_behind(self, array: str, row: int) -> list[int] | None:
        """Rows on whose groups an entry of an array of `Data` depends; None where it may be all."""
        model, rows = self.model, list[int]()
        if array == "sensor_out" and row < len(model.sensor):
            frames = model.sensor[row, [f.S_FRAME_A, f.S_FRAME_B]]
            rows = [int(model.frame_row[k]) for k in frames if k >= 0]
        elif array == "element_out" and row < len(model.element):
            rows = [self._row_of_element(row)]
            if rows[0] < 0 and -1 in self.own:
                return None
        elif array == "joint_out" and row < len(model.joint):
            rows = [int(model.joint[row, f.J_FIRST])]
        elif array == "spring_out" and row < len(model.spring):
            rows = [int(model.spring[row, f.SP_ROWS])]
        else:
            return None
        return [i for i in rows if i >= 0]

    def write(self, array: str, row: int, column: int, states: int) -> None:
        """Record states on which a motion, a target, an effort, an input or the time depends that signals give."""
        if array == "row":
            self._give([self.group[row]], states, motion=column != f.DRIVE)
        elif array == "inputs":
            self._give(self._fed(row), states, motion=False)
        else:
            self._give(list(self.own), states, motion=True)

    def _give(self, groups: Iterable[int], states: int, motion: bool) -> None:
        self.received |= states
        for group in groups:
            self.forces[group] = self.forces.get(group, 0) | states
            if motion:
                self.motion[group] = self.motion.get(group, 0) | states

    def _fed(self, number: int) -> set[int]:
        """Groups of the elements that read an entry of `Data.inputs`."""
        groups, last = set[int](), -1
        for e, element in enumerate(self.model.element.tolist()):
            kind, first = element[f.E_KIND], element[f.E_INPUT]
            if (kind >= f.FORCE_WORLD or kind == f.SEGMENT) and last <= first <= number:
                groups = groups if first == last else set()
                last = first
                row = self._row_of_element(e)
                groups.add(self.group[row] if row >= 0 else -1)
        return groups

    def _row_of_element(self, e: int) -> int:
        """A row that an element acts on; -1 for none."""
        frames = self.model.element[e, [f.E_FRAME_A, f.E_FRAME_B]]
        return max((int(self.model.frame_row[k]) for k in frames if k >= 0), default=-1)
