"""Start of a run at a state that is given: x0 from a script, checked, and the work space brought to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...blocks import RunError
from ...blocks.errors import LuffError, did_you_mean
from ...blocks.text.quantity import in_unit, quantity
from ..initial.assembly import KEPT
from ..kernels import model_data as f
from ..program.started_program import Started
from .constraint_state import partition_degraded, repartition, restore_start, walk_anchor
from .instance import Instance

GivenState = Mapping[str, float | str] | Sequence[float] | np.ndarray


def state_vector(program: Started, x0: GivenState, path: str = "x0") -> np.ndarray:
    """State x0 [SI] of all states in their order, or of some by name on top of the netlist's; RunError if wrong."""
    x, names = program.x0.copy(), program.state_names
    if isinstance(x0, Mapping):
        for name, value in x0.items():
            if name not in names:
                raise RunError(f'there is no state "{name}"', path=path, fix=_instead(program, str(name)))
            place = names.index(name)
            x[place] = _number(value, program.state_units[place], f"{path}.{name}")
    else:
        given = np.asarray(x0, float)
        if given.shape != x.shape:
            fix = f"the order is that of sim.state_names: {', '.join(names[:6])}" + ", ..." * (len(names) > 6)
            raise RunError(f"found {given.size} states, expected {x.size}", path=path, fix=fix)
        x[:] = given
    for name, value in zip(names, x.tolist(), strict=True):
        if not np.isfinite(value):
            raise RunError(f"found {value}, expected a finite number", path=f"{path}.{name}")
    _check_orientations(program, x, path)
    return x


def _instead(program: Started, name: str) -> str:
    """Likely fix for the name of a state that is none."""
    if name in program.mechanism.coordinate_names() or name in program.mechanism.rate_names():
        return "a dependent coordinate follows from the others; see sim.state_names"
    return did_you_mean(name, program.state_names) or "see sim.state_names"


def _number(value: object, unit: str, path: str) -> float:
    """Value of one state in its SI unit."""
    try:
        return in_unit(quantity(value), unit, f'"{value}"') if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except LuffError as error:
        raise RunError([problem.at(path=path) for problem in error.problems]) from None
    except (TypeError, ValueError):
        raise RunError(f"found a {type(value).__name__}, expected a number", path=path) from None


def _check_orientations(program: Started, x: np.ndarray, path: str) -> None:
    """Unit quaternions of free joints, to KEPT; then exactly so."""
    table = program.model.state
    for j in np.flatnonzero((table[:, f.ST_KIND] == f.QUAT_STATE) & (table[:, f.ST_COMPONENT] == 0)):
        first = int(table[j, f.ST_AT])
        length = float(np.linalg.norm(x[first : first + 4]))
        if not abs(length - 1.0) <= KEPT:
            name = program.state_names[first].partition("[")[0]
            fix = "give all four components"
            raise RunError(
                f"found a quaternion of length {length:.6g}, expected 1", path=f"{path}.{name}", fix=fix
            )
        x[first : first + 4] /= length


def reset_instance(run: Instance, program: Started, data: bool = True) -> None:
    """Reset an instance to the state that a program gives a new one; `data` if its data differs."""
    run.program = program
    run.w[:] = program.work_space
    each = [] if len(program.components) == 1 else [(model, own, one) for one, model, own in run.each]
    pairs = [(run.model, run.data, program), *each]
    for model, own, begun in pairs:
        for ours, fresh in zip(model, begun.model, strict=True):
            ours[...] = fresh
        for name, ours, fresh in zip(own._fields, own, begun.data, strict=True) if data else ():
            if name not in ("x", "dx"):
                ours[...] = fresh


def go_to_start(run: Instance, x: np.ndarray) -> None:
    """Bring a fresh instance to the state x at t = 0: closed loops follow from the netlist's start."""
    restore_start(run)
    walk_anchor(run, 0.0, x)
    run.rates(0.0, x)
    if (run.scalars[:, f.LOOP_OPEN] > 0.0).any():
        fix = "nearer to the netlist's start, or set initial values of joints"
        raise RunError("the loops cannot be closed at this state", path="x0", fix=fix)
    if run.program.closed:
        _check_constraints(run)
        if partition_degraded(run):
            run.settle()
            repartition(run, 0.0, x)


def _check_constraints(run: Instance) -> None:
    """RunError if states that are all given contradict the constraints by more than KEPT."""
    for one, model, data in run.each:
        if one.origin is None or model.option[f.O_METHOD] == f.REDUCED:
            continue
        worst = float(abs(data.con[: len(model.constraint), f.PHI]).max(initial=0.0))
        if not worst <= KEPT:
            fix = "constraints: {method: reduced} solves for the dependent coordinates"
            raise RunError(
                f"found constraints open by {worst:.3g} (m or rad), expected at most {KEPT:g}",
                path="x0",
                fix=fix,
            )
