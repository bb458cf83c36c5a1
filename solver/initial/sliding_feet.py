"""Sliding of a body on push-only supports: limit analysis of the friction of its feet.

A foot holds |f_i| <= mu N_i across. With the pushes N_i of a rest on feet of unlimited grip, feet hold a load w (a
force along x and y, a moment about z) if and only if w . xi <= sum_i mu N_i |v_i(xi)| for every motion xi of the body
with the velocities v_i at its feet (Drucker, Prager and Greenberg 1952, upper bound). One motion for which this fails
proves that the body slides. The least ratio of the two sides is a convex problem in at most three unknowns, whose
weighted least squares (IRLS) also give forces f_i that balance w: a lower bound.

By definition a body slides if this fails where it stands on feet of unlimited grip, and nothing else keeps it there: a
load w that stays the same, SHIFT to the side and turned by SHIFT. Where friction spreads w otherwise over feet at
unequal heights, pushes change with the moment. They are monotone in what the feet sink, which is a plane, so that the
change of sum_i mu N_i |v_i| is a weighted least squares fit to mu |v_i|; its coefficients lie between those of fits to
three feet alone (Ben-Tal and Teboulle 1990), which bounds it whatever the springs and soils are.

Where friction holds, some feet may stand at their limit. Their springs, cut at the limit, have a convex potential in
the motion across, whose minimum is where the search for rest begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...blocks import CompileError
from ...blocks.errors import Problem
from ..kernels import model_data as f
from ..mechanism.support_polygon import SupportPolygon, frame_pose
from .static_forces import StaticForces
from .static_report import StaticReport

ROUNDS = 200  # of weighted least squares, whose bounds hold after any, and of Newton's method for a start
SHIFT = 1e-3  # [m or rad] by definition, what lets a body go so far does not keep it
CLOSE = 1e-4  # of the share that friction holds, as it is told
UNLIMITED = 1e9  # grip: a foot that pushes with 1e-9 of what acts across does not slide
ACROSS = ("x", "y", "psi")
# forces of signals, and a distance that is measured: they hold nothing by where a body is
NO_CATCH = (f.FORCE_WORLD, f.FORCE_B, f.TORQUE_WORLD, f.TORQUE_B, f.CLEARANCE)
FIX = "take less load or wind, more mass, or feet with more `grip`"


class FrictionBounds(NamedTuple):
    """Bounds of the share of a load that friction holds, and a motion (unit length) against which it holds least."""

    lower: float
    upper: float
    motion: np.ndarray


def friction_bounds(jacobians: np.ndarray, limits: np.ndarray, load: np.ndarray) -> FrictionBounds:
    """Bounds of the largest lambda at which forces |f_i| <= limits_i balance lambda times a load.

    `jacobians`: of the feet's velocities across by the motion, (feet, 2, m). Ends where lambda is known to be 1 or
    more, or to CLOSE, or after ROUNDS.
    """
    lower, upper, best = 0.0, np.inf, np.zeros(len(load))
    weights = limits.astype(float)
    for _ in range(ROUNDS):
        normal = np.einsum("iaj,i,iak->jk", jacobians, weights, jacobians)
        motion = np.linalg.lstsq(normal, load, rcond=None)[0]
        if not (np.isfinite(motion).all() and motion.any()):
            break
        motion /= np.linalg.norm(motion)
        speeds = np.linalg.norm(jacobians @ motion, axis=1)
        power = float(load @ motion)
        if power > 0.0 and limits @ speeds < upper * power:
            upper, best = float(limits @ speeds) / power, motion
        forces = weights * speeds
        balanced = np.einsum("iaj,i,ia->j", jacobians, weights, jacobians @ motion)
        scale = float(balanced @ load) / float(load @ load)
        if scale > 0.0 and np.allclose(
            balanced, scale * load, rtol=1e-9, atol=1e-9 * abs(scale * load).max()
        ):
            used = forces > 0.0
            lower = max(lower, float((limits[used] / forces[used]).min(initial=np.inf)) * scale)
        if lower >= 1.0 or upper - lower <= CLOSE * upper:
            break
        weights = limits / np.maximum(speeds, 1e-9 * speeds.max(initial=0.0) or 1.0)
    return FrictionBounds(lower, upper, best)


@contextmanager
def grip_of(statics: StaticForces, grip: float) -> Iterator[None]:
    """Context: every push-only support has this grip."""
    feet = statics.model.element[:, f.E_KIND] == f.SUPPORT
    kept = statics.model.element_value[feet, f.S_GRIP].copy()
    statics.model.element_value[feet, f.S_GRIP] = grip
    try:
        yield
    finally:
        statics.model.element_value[feet, f.S_GRIP] = kept


class Sliding(NamedTuple):
    """Problem of a body that its feet do not hold; `may_be_caught`: something else may begin to hold it."""

    problem: Problem
    may_be_caught: bool


def find_sliding(statics: StaticForces, search: Callable[[StaticReport], None]) -> Sliding | None:
    """First body whose feet cannot hold it where it stands; None where none slides, or it is not known.

    Begins at a rest on supports that push, pull and do not slide; leaves a body whose feet hold it where they do, and
    all else as it was.
    """
    d = statics.data
    bodies = [each for each in statics.standing if _may_slide(statics, each)]
    if not bodies:
        return None
    kept = d.q.copy(), d.quat.copy()
    report = StaticReport()
    try:
        with grip_of(statics, UNLIMITED):
            search(report)
        if report.unstable or report.undecided:
            return None
        for body in bodies:
            found = _share_held(statics, body, report.residual)
            if found is not None:
                message = (
                    f"slides on its supports: friction holds {100.0 * found:.4g} % of what acts across them"
                )
                return Sliding(Problem(message, body.block, FIX), _may_be_caught(statics, body))
        for body in bodies:
            _move_to_held(statics, body)
        kept = d.q.copy(), d.quat.copy()
    except CompileError:
        pass
    finally:
        d.q[:], d.quat[:] = kept
        statics.forces()
    return None


def _may_be_caught(statics: StaticForces, body: SupportPolygon) -> bool:
    """True if an end stop or an element beside its feet leads from what the body carries to something else."""
    model, carried = statics.model, statics.efforts.outboard[body.joint.last]
    ends = model.element[:, [f.E_FRAME_A, f.E_FRAME_B]]
    on_it = np.where(ends >= 0, carried[model.frame_row[ends]] & (model.frame_row[ends] >= 0), False)
    other = ~np.isin(model.element[:, f.E_KIND], NO_CATCH)
    other[body.elements] = False
    across = [i for name, i in _rows(statics, body).items() if name in ACROSS]
    stops = model.row[across, f.COORDINATE + f.STOP_STIFFNESS] > 0.0
    return bool((other & (on_it[:, 0] != on_it[:, 1])).any() or stops.any())


def _rows(statics: StaticForces, body: SupportPolygon) -> dict[str, int]:
    """Rows of the coordinates of a body that are independent in statics."""
    rows = {}
    for i in range(body.joint.first, body.joint.last + 1):
        coordinate = statics.mechanism.rows[i].coordinate
        if coordinate is not None and i in statics.independent:
            rows[coordinate.name] = i
    return rows


def _may_slide(statics: StaticForces, body: SupportPolygon) -> bool:
    """True if a foot has friction, and one carries more across than that or nothing at all."""
    value, out = statics.model.element_value[body.elements], statics.data.element_out[body.elements]
    grip, push = value[:, f.S_GRIP], out[:, f.FORCE_IN_A + 2]
    bent = value[:, f.S_STIFFNESS : f.S_STIFFNESS + 2] * out[:, f.DEFLECTION : f.DEFLECTION + 2]
    across = np.linalg.norm(bent, axis=1)
    free = _rows(statics, body).keys()
    return bool(grip.any() and (across > grip * push).any() and "z" in free and free & {*ACROSS})


class FeetAcross(NamedTuple):
    """Feet of a body at a rest on unlimited grip: how they move with its x, y and psi, what they may carry and bear."""

    names: list[str]  # of x, y and psi those that are free
    at: list[int]  # of their rows among the independent ones
    jacobians: np.ndarray
    deflections: np.ndarray  # [m]
    limits: np.ndarray  # mu N [N]
    carried: np.ndarray  # what feet that push carry across [N]
    tilts: np.ndarray  # how they rise with z, and with theta and phi as far as these are free
    levers: np.ndarray  # [m] heights over which friction changes the moments that tilt the body


def _feet_across(statics: StaticForces, body: SupportPolygon) -> FeetAcross:
    d, rows = statics.data, _rows(statics, body)
    statics.forces()
    value, out = statics.model.element_value[body.elements], d.element_out[body.elements]
    moved, push = out[:, f.DEFLECTION : f.DEFLECTION + 3].copy(), np.maximum(out[:, f.FORCE_IN_A + 2], 0.0)
    bent = np.linalg.norm(value[:, f.S_STIFFNESS : f.S_STIFFNESS + 2] * moved[:, :2], axis=1)
    axes, ground = frame_pose(statics.model, d, body.joint.frame_a)
    origin = axes.T @ (d.row[body.joint.last, f.p_WB : f.p_WB + 3] - ground)
    places = np.column_stack((body.feet, body.heights)) + moved - origin
    x, y, z = places.T
    one, zero = np.ones(len(places)), np.zeros(len(places))
    ways = {"x": (one, zero), "y": (zero, one), "psi": (-y, x)}
    tilts = {"z": one, "theta": body.feet[:, 0], "phi": body.feet[:, 1]}
    names = [name for name in ACROSS if name in rows]
    # forces across add up to the same along x and y where both are free: then any height will do to count from
    return FeetAcross(
        names,
        [int(np.flatnonzero(statics.independent == rows[name])[0]) for name in names],
        np.stack([np.column_stack(ways[name]) for name in names], axis=2),
        moved[:, :2],
        value[:, f.S_GRIP] * push,
        np.where(push > 0.0, bent, 0.0),
        np.column_stack([tilts[name] for name in tilts if name in rows]),
        abs(z - (z.mean() if {"x", "y"} <= rows.keys() else 0.0)),
    )


def push_change(tilts: np.ndarray, worth: np.ndarray, force: float, moment: float) -> float:
    """Bound of the change of sum_i worth_i N_i, of pushes N_i under a plane, by a force and by a moment more.

    `tilts`: how that plane rises at each foot with its coordinates, the first of them a translation.
    """
    count, size = tilts.shape
    some = np.array([*combinations(range(count), size)], int).reshape(-1, size)
    bases = tilts[some]
    # of feet on a line no fit is one alone: their determinant is rounding
    firm = abs(np.linalg.det(bases)) > 64.0 * np.finfo(float).eps * np.linalg.norm(bases, axis=2).prod(axis=1)
    if not firm.any():
        return np.inf
    fits = np.linalg.solve(bases[firm], worth[some[firm]][:, :, None])[:, :, 0]
    changes = force * abs(fits).sum(axis=1) + moment * np.linalg.norm(fits[:, 1:], axis=1)
    return float(changes.max())


def _share_held(statics: StaticForces, body: SupportPolygon, error: float) -> float | None:
    """Share of the load across that the feet hold, if it is certainly below 1 and nothing else holds the body.

    `error`: what is left of the forces at this rest [N, N m].
    """
    feet = _feet_across(statics, body)
    with grip_of(statics, 0.0):
        load = statics.reduced()[0][feet.at]
        if not _lets_go(statics, feet.names, feet.at, load):
            return None
    if not feet.limits.any():
        return None  # without friction it is loose
    bounds = friction_bounds(feet.jacobians, feet.limits, load)
    speeds = np.linalg.norm(feet.jacobians @ bounds.motion, axis=1)
    excess = float(load @ bounds.motion - feet.limits @ speeds)
    if not excess > 0.0:
        return None
    moment = float(feet.levers @ (feet.carried + feet.limits))
    doubt = error * float(abs(bounds.motion).sum())
    grip = statics.model.element_value[body.elements, f.S_GRIP]
    doubt += push_change(feet.tilts, grip * speeds, error, moment)
    return bounds.upper if excess > doubt else None


def _move_to_held(statics: StaticForces, body: SupportPolygon) -> None:
    """Move a body across to where springs of its feet, cut at their limits, balance what the uncut ones carry.

    Newton's method, each step halved until the unbalanced load shrinks.
    """
    feet = _feet_across(statics, body)
    at, jacobians, moved, limits = feet.at, feet.jacobians, feet.deflections, feet.limits
    stiffness = statics.model.element_value[body.elements, f.S_STIFFNESS : f.S_STIFFNESS + 2]
    uncut = stiffness * moved * (limits > 0.0)[:, None]
    load = np.einsum("iaj,ia->j", jacobians, uncut)

    def unbalanced(way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Load that the feet do not balance, and its slope along the way."""
        pull = stiffness * (moved + jacobians @ way)
        size = np.linalg.norm(pull, axis=1)
        cut = np.minimum(1.0, limits / np.maximum(size, 1e-300))
        along = pull / np.maximum(size, 1e-300)[:, None]
        tangent = cut[:, None, None] * np.eye(2)
        tangent -= np.where(cut < 1.0, cut, 0.0)[:, None, None] * along[:, :, None] * along[:, None, :]
        tangent = tangent * stiffness[:, None, :]
        forces = np.einsum("iaj,ia->j", jacobians, cut[:, None] * pull)
        return load - forces, np.einsum("iaj,iab,ibk->jk", jacobians, tangent, jacobians)

    way = np.zeros(len(at))
    left, slope = unbalanced(way)
    metric = np.sqrt(np.maximum(np.diag(slope), 1e-300))
    for _ in range(ROUNDS):
        step = np.linalg.lstsq(slope / metric[:, None] / metric, left / metric, rcond=1e-14)[0] / metric
        share = 1.0
        while share > 1e-6:
            there, turned = unbalanced(way + share * step)
            if np.linalg.norm(there / metric) < np.linalg.norm(left / metric):
                break
            share /= 2.0
        else:
            break
        way, left, slope = way + share * step, there, turned
    change = np.zeros(len(statics.independent))
    change[at] = way
    statics.step(change)


def _lets_go(statics: StaticForces, names: Iterable[str], at: list[int], load: np.ndarray) -> bool:
    """True if a body without friction is pushed by the same load a SHIFT further on: nothing else holds it there."""
    d = statics.data
    kept = d.q.copy(), d.quat.copy()
    sizes = statics.efforts.sizes(d)[statics.independent][at]
    for name, k in zip(names, at, strict=True):
        change = np.zeros(len(statics.independent))
        change[k] = SHIFT
        statics.step(change)
        moved = statics.reduced()[0][at]
        d.q[:], d.quat[:] = kept
        # a force in the world's axes turns against the body, and wind on a wall as the square of a cosine: 2 a radian
        allowed = 1e-9 * sizes + (2.0 * SHIFT * sizes if name == "psi" else 0.0)
        if not np.all(abs(moved - load) <= allowed):
            return False
    return True
