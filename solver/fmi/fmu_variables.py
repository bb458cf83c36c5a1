"""The variables of an FMU: time, recorded signals, inputs, states with their rates, and parameters.

A parameter is tunable where a change of it reaches the run by itself: in numbers of the work space or of the
mechanism that are the parameter, or follow from it in a straight line. What else hangs on it (the start, what is
solved for before a run, other tables) cannot follow in an FMU: such a parameter is a constant there. Which is which
is found by compiling the diagram with three values and comparing all arrays.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...blocks.errors import LuffError
from ...blocks.params import Param, Struct
from ..flatten.flatten import flatten
from ..initial.initial_state import AssembledOrigin
from ..program.started_program import Started, started
from ..results.recorded_run import matching
from ..simulation.simulation import Simulation

MOST_ENTRIES = 12  # of a parameter that is a list; longer ones are tables
STEPS = (2.0**-6, 2.0**-4)  # by which a parameter is moved, relative to its size
STRAIGHT = 1e-12  # relative difference from a straight line that rounding may make
# a run has its own choice of states, and counts components from its own start
OWN = ("state", "constraint_value")


@dataclass
class AffineTarget:
    """A number that follows a parameter: array (`w` or of the model), place in it; offset + slope * parameter."""

    array: str
    place: int
    offset: float
    slope: float


@dataclass
class Parameter:
    """A number of a block; `affine_targets` is empty where it is a constant."""

    name: str
    value: float
    param: Param
    reaches: list[AffineTarget] = field(default_factory=list)

    @property
    def strict(self) -> int:
        """1 where the lower bound itself is outside, 2 where the upper is."""
        return (self.param.gt > -math.inf) + 2 * (self.param.lt < math.inf)

    @property
    def lower(self) -> float:
        return max(self.param.ge, self.param.gt)

    @property
    def upper(self) -> float:
        return min(self.param.le, self.param.lt)


def parameters(sim: Simulation, globs: Sequence[str], wired: Container[str] = ()) -> list[Parameter]:
    """Numbers of all blocks but those in `wired`, as far as a name matches."""
    parameters = [
        parameter
        for name, block in sim.program.flat.blocks.items()
        if name not in wired
        for key, param in block.params.items()
        for parameter in _numbers(f"{name}.{key}", param, block.values.get(key))
    ]
    wanted = {name for glob in globs for name in matching(glob, [one.name for one in parameters])}
    parameters = [parameter for parameter in parameters if parameter.name in wanted]
    for parameter in parameters:
        if parameter.param.live:
            parameter.reaches = _affine_targets(sim, parameter)
    _part(sim, parameters)
    return parameters


def _numbers(path: str, param: Param, value: object) -> Iterator[Parameter]:
    if isinstance(value, Struct):
        for key, inner in type(value).params.items():
            yield from _numbers(f"{path}.{key}", inner, getattr(value, key, None))
    elif isinstance(value, tuple):
        if len(value) <= MOST_ENTRIES:
            for k, entry in enumerate(value):
                yield from _numbers(f"{path}[{k}]", param, entry)
    elif param.kind in ("number", "integer") and isinstance(value, float | int) and math.isfinite(value):
        yield Parameter(path, float(value), param)


def _part(sim: Simulation, parameters: list[Parameter]) -> None:
    """Fix all but the first of parameters that act together other than in a sum.

    All are moved at once, and every array is compared with the sum of what each does alone.
    """
    while tunable := [parameter for parameter in parameters if parameter.reaches]:
        moved = {one.name: _shifted_value(one, STEPS[0]) for one in tunable}
        values = {name: value for name, value in moved.items() if value is not None}
        try:
            program = started(flatten(sim.diagram, {**sim.overrides, **values}))
            wrong = nonlinear_places(sim.program, program, tunable, values)
        except LuffError:
            wrong = None
        if wrong is None:  # together they change more than numbers: only what is read as it is stays
            for one in tunable:
                if any(
                    reach.array != "w" or (reach.offset, reach.slope) != (0.0, 1.0) for reach in one.reaches
                ):
                    one.reaches = []
            return
        if not wrong:
            return
        for key in wrong:
            for one in [one for one in tunable if key in {(r.array, r.place) for r in one.reaches}][1:]:
                one.reaches = []


def nonlinear_places(
    before: Started, after: Started, tunable: list[Parameter], values: Mapping[str, float]
) -> list[tuple[str, int]] | None:
    """Places that are not what the parameters give in sum; None where that cannot be told by places."""
    if not same_initial_state(before, after):
        return None
    reached: dict[tuple[str, int], list[tuple[Parameter, AffineTarget]]] = {}
    for one in tunable:
        for reach in one.reaches:
            reached.setdefault((reach.array, reach.place), []).append((one, reach))
    wrong = []
    for (name, here), (_, there) in zip(_arrays(before), _arrays(after), strict=True):
        for place in np.flatnonzero(_differs(here, there)).tolist():
            a, b = float(here.reshape(-1)[place]), float(there.reshape(-1)[place])
            terms = reached.get((name, place))
            if terms is None:
                return None
            moves = [reach.slope * (values[one.name] - one.value) for one, reach in terms]
            if not abs(a + sum(moves) - b) <= STRAIGHT * max(abs(a), abs(b), *map(abs, moves)):
                wrong.append((name, place))
                if len(terms) == 1:
                    return None
    return wrong


def _arrays(program: Started) -> Iterator[tuple[str, np.ndarray]]:
    """The numbers that a run may be given while it goes on, by name."""
    yield "w", program.work_space
    for name in program.model._fields:
        if name not in OWN:
            yield name, getattr(program.model, name)


def _affine_targets(sim: Simulation, parameter: Parameter) -> list[AffineTarget]:
    """Numbers that follow the parameter; none if something follows it that an FMU cannot set."""
    values = [_shifted_value(parameter, step) for step in STEPS]
    if None in values:
        return []
    programs = {}
    for value in values:
        try:
            programs[value] = started(flatten(sim.diagram, {**sim.overrides, parameter.name: value}))
        except LuffError:
            return []
    return affine_targets(sim.program, parameter.value, programs)


def affine_targets(before: Started, value: float, moved: Mapping[float, Started]) -> list[AffineTarget]:
    """Numbers that are affine in a parameter, from programs with other values; none if others or the start depend on
    it."""
    if not all(same_initial_state(before, program) for program in moved.values()):
        return []
    *near, far = moved
    reached = []
    for (name, here), *others in zip(*map(_arrays, (before, *moved.values())), strict=True):
        there = [array for _, array in others]
        changed = np.flatnonzero(np.any([_differs(here, array) for array in there], axis=0))
        if len(changed) and here.dtype != np.float64:
            return []
        for place in changed.tolist():
            a, *middle, end = (float(array.reshape(-1)[place]) for array in (here, *there))
            lines = [_line(value, k, far, a, b, end) for k, b in zip(near, middle, strict=True)]
            if None in lines or not lines[0]:
                return []
            reached.append(AffineTarget(name, place, *lines[0]))
    return reached


def _shifted_value(parameter: Parameter, step: float) -> float | None:
    """A value that differs and is allowed."""
    size = abs(parameter.value) or 1.0
    for sign in (1.0, -1.0):
        value = parameter.value + sign * step * size
        low = value > parameter.lower or value == parameter.param.ge
        high = value < parameter.upper or value == parameter.param.le
        if low and high:
            return value
    return None


def same_initial_state(a: Started, b: Started) -> bool:
    """True if two programs differ at most in numbers that may change in a run."""
    if not a.like(b) or not np.array_equal(a.x0, b.x0) or a.sampled != b.sampled:
        return False
    if any(_differs(getattr(a.model, name), getattr(b.model, name)).any() for name in OWN):
        return False
    if any(
        _differs(a.sections.part(a.work_space, name), b.sections.part(b.work_space, name)).any()
        for name in ("mem", "work")
    ):
        return False
    origins = zip(*([one.origin for one in program.components] for program in (a, b)), strict=True)
    return all(_same_origin(one, other) for one, other in origins)


def _same_origin(a: AssembledOrigin | None, b: AssembledOrigin | None) -> bool:
    if a is None or b is None:
        return a is b
    return all(
        not _differs(getattr(a.assembled, name), getattr(b.assembled, name)).any()
        for name in ("q", "v", "quat")
    )


def _differs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Entry by entry, one after the other; NaN is itself."""
    return np.ascontiguousarray(a).reshape(-1).view(np.int64) != np.ascontiguousarray(b).reshape(-1).view(
        np.int64
    )


def _line(p: float, near: float, far: float, a: float, b: float, c: float) -> tuple[float, float] | None:
    """Offset and slope of the line through (p, a) and (far, c), if (near, b) lies on it."""
    if (a, b, c) == (p, near, far):
        return 0.0, 1.0
    if not all(map(math.isfinite, (a, b, c))):
        return None
    slope = (c - a) / (far - p)
    offset = a - slope * p
    if abs(offset) < STRAIGHT * abs(a):  # in proportion
        offset, slope = 0.0, a / p
    expected = offset + slope * near
    return (offset, slope) if abs(expected - b) <= STRAIGHT * max(abs(a), abs(b), abs(c)) else None
