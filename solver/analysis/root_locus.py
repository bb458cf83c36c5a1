"""Eigenvalues of a model over one of its parameters: its root locus, and where it becomes stable or unstable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, Problem
from ..flatten.flatten import flatten
from ..program.started_program import started
from ..results.matplotlib_plots import COLOURS
from . import frequency_response
from .analysis_units import unit_of
from .bounded_roots import indifference_words, spectrum, stability, standing_states
from .eigenvalues import Complex
from .linearise import Linear, linear_at, place_point
from .operating_point import OperatingPoint
from .steady_state import find_equilibrium

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..simulation.simulation import Simulation

EXACT = 1e-10  # of the range: how close a limit is found
HIDES = "; on the other side something neither decays nor grows by more than its error"
CHORD = 0.005  # of the picture: how far a branch may be from the chord of its neighbours
FINER = 4.0  # times as many values as were asked for, at most, where branches bend
DRAWN = 12  # roots, those nearest to the axis: a loop with delays has no end of them


@dataclass(frozen=True)
class Limit:
    """Value at which the model becomes stable or unstable, with the frequency of the root there."""

    value: float
    frequency: float  # rad/s of the root on the axis; 0 where it leaves without oscillation
    stable_below: bool  # or above
    known: bool = True  # that it is stable there, and not only that nothing is known to grow


@dataclass
class Locus:
    """Root locus: `roots[k, j]` is root j at `values[k]` [1/s], NaN where there are fewer; `stability[k]` the verdict.

    `limits` are the values between which the verdict changes; `unit` is that of the values.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> table = luff.locus(sim, "pin.damping", [0.1, 0.2, 0.3])
    >>> table.roots.shape
    (3, 2)
    """

    parameter: str
    values: np.ndarray
    roots: Complex
    stability: list[str]
    limits: list[Limit]
    notes: list[str] = field(default_factory=list)
    unit: str = ""  # of the values
    between: int = 0  # of the values lie between those asked for, where branches bend
    standing: list[list[str]] = field(
        default_factory=list
    )  # at each value, states alone in being indifferent

    @property
    def ends(self) -> str:
        """First and last value with their unit, in words."""
        return f"from {self.values[0]:.6g} to {self.values[-1]:.6g} {self.unit}".rstrip()

    @property
    def verdicts(self) -> list[str]:
        """Verdict at each value in words; of one that is `indifferent` for some states alone, which."""
        standing = self.standing or [[]] * len(self.stability)
        return [
            indifference_words([], still) if verdict == "indifferent" and still else verdict
            for verdict, still in zip(self.stability, standing, strict=True)
        ]

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON.

        Returns
        -------
        dict
            Values, roots (null where there are fewer), verdicts, limits and notes.
        """

        def plain(part: np.ndarray) -> list[list[float | None]]:
            return [[None if math.isnan(one) else one for one in row] for row in part.tolist()]

        return {
            "parameter": self.parameter,
            "values": self.values.tolist(),
            "real": plain(np.real(self.roots)),
            "imaginary": plain(np.imag(self.roots)),
            "stability": self.stability,
            "limits": [vars(one) for one in self.limits],
            "notes": self.notes,
        }

    def plot(self) -> Figure:
        """Plot the roots in the complex plane: a cross at the first value, a dot at the last one.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        return draw_locus(self)


def locus(
    sim: Simulation,
    parameter: str,
    values: Sequence[float] | np.ndarray,
    t: float = 0.0,
    x: Sequence[float] | np.ndarray | str | None = "equilibrium",
    refine: bool = False,
) -> Locus:
    """Root locus: eigenvalues of the linearised model over the values of one parameter.

    Parameters
    ----------
    sim : Simulation
        The model.
    parameter : str
        A number of a block, `k.k`, or of `parameters:`.
    values : array_like
        Its values [SI], in the order in which they are gone through.
    t : float, optional
        Time [s].
    x : array_like or str, optional
        "equilibrium", each sought from that of the value before; "initial"; or an array.
    refine : bool, optional
        Look between the values too where branches bend, until these are drawn within 0.5 % of the picture.

    Returns
    -------
    Locus
        Roots, verdicts of stability, and the values between which they change.

    Raises
    ------
    LuffError
        There is no such number, or no equilibrium at one of the values.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> luff.locus(sim, "pin.damping", [0.1, 0.5]).stability
    ['stable', 'stable']
    """
    wanted = np.asarray(values, float)
    if wanted.ndim != 1 or len(wanted) < 2 or not (np.diff(wanted) > 0.0).all():
        raise LuffError(
            Problem(
                "expected two values or more, each above the one before", "values", "np.linspace(0, 5, 100)"
            )
        )
    look = _ModelEvaluator(sim, parameter, t, x)
    seen = [look.at(float(value)) for value in wanted]
    asked = len(wanted)
    if refine:
        wanted, seen = look_at_bends(look, wanted, seen)
    known = [
        k for k in range(len(wanted)) if seen[k].stability != "unjudged"
    ]  # between those that are not, nothing is told
    borders = [
        look.limit(float(wanted[i]), float(wanted[k]), not seen[i].unstable)
        for i, k in pairwise(known)
        if seen[i].unstable != seen[k].unstable
    ]
    limits = [one for one in borders if one is not None]
    table = follow_roots([one.roots for one in seen])
    unit = unit_of(sim, sim.diagram.scope(), parameter.removeprefix("parameters."))
    return Locus(
        parameter,
        wanted,
        table,
        [one.stability for one in seen],
        limits,
        look.notes,
        unit,
        len(wanted) - asked,
        [one.standing for one in seen],
    )


@dataclass(frozen=True)
class RootsAtValue:
    """Roots and verdict of the model at one value."""

    roots: Complex
    stability: str
    last: complex  # the root that is furthest to the right, but for those that stay by structure
    open: bool = False  # something is on the axis within its error
    standing: list[str] = field(default_factory=list)

    @property
    def unstable(self) -> bool:
        """True if the verdict is `unstable`."""
        return self.stability == "unstable"


class _NotJudged(Exception):
    """A value between two others has no verdict on stability."""


class _ModelEvaluator:
    """Evaluator of the model at values of its parameter, each from the equilibrium of the one before."""

    def __init__(
        self, sim: Simulation, parameter: str, t: float, x: Sequence[float] | np.ndarray | str | None
    ):
        self.sim, self.parameter, self.t, self.x = sim, parameter, t, x
        self.near: np.ndarray | None = None
        self.notes: list[str] = []

    def at(self, value: float) -> RootsAtValue:
        lin = self.linear(value)
        self.notes += [note for note in lin.notes if "A, B, C, D" not in note and note not in self.notes]
        verdict, found = stability(lin), spectrum(lin)
        self.notes += [one for one in [lin.unjudged] if one and one not in self.notes]
        roots = found.values
        return RootsAtValue(roots[np.isfinite(roots)], verdict, found.last, found.open, standing_states(lin))

    def linear(self, value: float) -> Linear:
        flat = flatten(self.sim.diagram, {**self.sim.overrides, self.parameter: value})
        resting = isinstance(self.x, str) and self.x == "equilibrium"
        if resting and self.near is not None and not self.sim.program.closed:
            # the one before says where the search begins: no need to find rest from the start
            flat.initial = copy(flat.initial)
            flat.initial.solve = "assemble"
        point = OperatingPoint(self.sim.twin(started(flat)), self.t, memories=True)
        if resting and self.near is not None and len(self.near) == len(point.x):
            point.go(self.near)
            point.fill()
            find_equilibrium(point)
            point.remember()
        else:
            place_point(point, self.x)
        self.near = point.x.copy()
        lin = linear_at(point, ())
        if lin.open:
            raise LuffError(Problem(f"its loops have no linear model: {lin.open}", self.parameter))
        return lin

    def limit(self, low: float, high: float, stable_below: bool) -> Limit | None:
        """Value at which the last root crosses the axis, between two values with different verdicts.

        None, and a note, where one between them has no verdict.
        """
        try:
            return self.crossing(low, high, stable_below)
        except _NotJudged as at:
            self.notes.append(
                f"between {low:.6g} and {high:.6g} stability changes, and has no verdict at {at}"
            )
            return None

    def judged(self, value: float) -> RootsAtValue:
        """Roots at a value that has a verdict."""
        one = self.at(value)
        if one.stability == "unjudged":
            raise _NotJudged(f"{value:.6g}")
        return one

    def crossing(self, low: float, high: float, stable_below: bool) -> Limit:
        from scipy.optimize import brentq

        ends = self.at(low), self.at(high)
        stays = any(one.open for one in ends)  # it hides what comes to the axis
        if not stays and ends[0].last.real * ends[1].last.real < 0.0:
            small = EXACT * max(high - low, abs(high))
            value = float(brentq(lambda v: self.judged(v).last.real, low, high, xtol=small))  # type: ignore[arg-type]
            return self.limit_at(value, value, stable_below, True)
        while high - low > EXACT * max(high - low, abs(high)) and low < 0.5 * (low + high) < high:
            middle = 0.5 * (low + high)
            if self.judged(middle).unstable == stable_below:
                high = middle
            else:
                low = middle
        return self.limit_at(0.5 * (low + high), high if stable_below else low, stable_below, not stays)

    def limit_at(self, value: float, beyond: float, stable_below: bool, known: bool) -> Limit:
        """Limit at a value; a real root there has frequency 0."""
        there = self.at(beyond)
        return Limit(value, abs(there.last.imag), stable_below, known)


def follow_roots(roots: Sequence[Complex]) -> Complex:
    """Sort roots into columns, each of which continues to the nearest root."""
    from scipy.optimize import linear_sum_assignment

    kept = list(roots)
    table: Complex = np.full((len(kept), max(map(len, kept), default=0)), np.nan, complex)
    if kept:
        table[0, : len(kept[0])] = sorted(kept[0], key=lambda z: (-z.real, z.imag))
    before = table[0].copy() if kept else table
    for k in range(1, len(kept)):
        away = abs(kept[k][:, None] - before[None, :])
        # a column that has had no root yet is as far as can be
        far = 10.0 * np.nanmax(away, initial=1.0)
        rows, columns = linear_sum_assignment(np.where(np.isnan(away), far, away))
        table[k, columns] = kept[k][rows]
        before[columns] = kept[k][rows]
    return table


def look_at_bends(
    look: _ModelEvaluator, values: np.ndarray, seen: list[RootsAtValue]
) -> tuple[np.ndarray, list[RootsAtValue]]:
    """Values, and what is seen at them, with halves of the intervals beside which a branch leaves its chord.

    It ends where no branch does, intervals are as short as limits are found, or there are `FINER` times as many.
    """
    most, least = int(FINER * len(values)), EXACT * abs(float(values[-1] - values[0]))
    made = dict(zip(values.tolist(), seen, strict=True))
    while len(made) < most:
        at = sorted(made)
        halves = [
            0.5 * (at[k] + at[k + 1])
            for k in bent_intervals(follow_roots([made[value].roots for value in at]))
            if at[k + 1] - at[k] > least
        ]
        if not halves:
            break
        for value in halves[: most - len(made)]:
            made[value] = look.at(value)
    at = sorted(made)
    return np.array(at), [made[value] for value in at]


def bent_intervals(table: Complex) -> list[int]:
    """Intervals of values on both sides of a root further than `CHORD` of the picture from its neighbours' chord."""
    shown = table[:, drawn_of(table)]
    sizes = [
        np.ptp(part[np.isfinite(part)]) if np.isfinite(part).any() else 0.0
        for part in (shown.real, shown.imag)
    ]
    wide, high = (float(size) or 1.0 for size in sizes)
    z = shown.real / wide + 1j * shown.imag / high
    before, here, after = z[:-2], z[1:-1], z[2:]
    chord = after - before
    # distance of the root in the middle from the line, or from the nearer end where it lies beyond
    length = np.maximum(abs(chord), 1e-300)
    along = np.real((here - before) * np.conj(chord)) / length
    across = abs(np.imag((here - before) * np.conj(chord))) / length
    over = np.maximum(np.maximum(-along, along - length), 0.0)
    bent = np.flatnonzero((np.hypot(across, over) > CHORD).any(axis=1))
    return sorted({*bent.tolist(), *(bent + 1).tolist()})


def drawn_columns(told: Locus) -> list[int]:
    """Columns of the roots that are drawn: all, or the `DRAWN` ones that come nearest to the imaginary axis."""
    return drawn_of(told.roots)


def drawn_of(roots: Complex) -> list[int]:
    """Columns of a table of roots that are drawn."""
    columns = list(range(roots.shape[1]))
    if len(columns) <= DRAWN:
        return columns
    return sorted(columns, key=lambda j: -np.nanmax(roots[:, j].real))[:DRAWN]


def draw_locus(told: Locus) -> Figure:
    """Plot the roots in the complex plane, the ones nearest to the axis if there are many."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(7.0, 5.6), layout="constrained")
    axes = made.subplots()
    for number, j in enumerate(drawn_columns(told)):
        z, colour = told.roots[:, j], COLOURS[number % len(COLOURS)]
        axes.plot(z.real, z.imag, "-", color=colour, linewidth=1.5)
        there = np.flatnonzero(np.isfinite(z))
        if len(there):
            axes.plot(z.real[there[0]], z.imag[there[0]], "x", color=colour)
            axes.plot(z.real[there[-1]], z.imag[there[-1]], "o", color=colour, markersize=4)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_title(f"{told.parameter} {told.ends}", parse_math=False)
    axes.set_xlabel("real part [1/s]")
    axes.set_ylabel("imaginary part [rad/s]")
    axes.grid(color=frequency_response.GRAY, linewidth=0.6)
    return made


def stability_rows(told: Locus) -> Iterator[tuple[str, str, str]]:
    """Each border, its stable or unstable side and how it is crossed; ranges and their verdicts where there is none."""
    unit = told.unit
    if not told.limits:
        verdicts = told.verdicts
        for first, last in verdict_ranges(verdicts):
            ends = f"from {told.values[first]:.6g} to {told.values[last]:.6g}"
            where = ends if last > first else f"at {told.values[first]:.6g}"
            yield f"{where} {unit}".rstrip(), verdicts[first], ""
    span = abs(float(told.values[-1] - told.values[0]))
    for limit in told.limits:
        below = limit.stable_below is limit.known
        side = f"{'stable' if limit.known else 'unstable'} {'below' if below else 'above'}"
        how = f"at {limit.frequency:.6g} rad/s" if limit.frequency else "without oscillation"
        value = limit.value if abs(limit.value) > EXACT * span else 0.0  # as close as it was looked for
        yield f"{value:.8g} {unit}".rstrip(), side, how + ("" if limit.known else HIDES)


def locus_scope(told: Locus) -> str:
    """Values that were looked at, and what is not seen between them."""
    values = f"looked at {len(told.values) - told.between} values {told.ends}"
    values += f", and at {told.between} between them where roots turn" if told.between else ""
    return f"{values}; borders that lie in pairs between two of them are not seen"


def describe_locus(told: Locus) -> Iterator[str]:
    """Lines of text for a terminal: borders, or verdicts by ranges of values where there is none."""
    for where, verdict, how in stability_rows(told):
        yield f"{told.parameter}: {verdict} {where}, {how}" if how else f"{told.parameter} {where}: {verdict}"
    yield locus_scope(told)


def verdict_ranges(stability: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last index of each row of equal verdicts."""
    first = 0
    for k in range(1, len(stability) + 1):
        if k == len(stability) or stability[k] != stability[first]:
            yield first, k - 1
            first = k
