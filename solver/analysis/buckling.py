"""Load factor at which an equilibrium loses its stability, and the motion by which it is left.

The load grows from nothing; at each of its values the equilibrium is found from the one before, and the model
linearised about it. Where both linear models agree with how far it has moved, it is the same equilibrium; else the load
grows by less. An eigenvalue that becomes real and positive is divergence, what Euler's column does; a pair that grows
while it oscillates is flutter, as follower loads make it (Beck, 1952); an equilibrium that is no longer there has met a
limit point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from ...blocks import LuffError, RunError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.expression_scope import Scope
from ..flatten.flatten import flatten
from ..kernels import model_data as f
from ..program.started_program import started
from ..results.matplotlib_plots import COLOURS
from .analysis_units import Shown
from .bounded_roots import GROWS, STAYS, motions, spectrum
from .linearise import Linear, linear_at
from .natural_modes import RATE, SHOWN, normalise_shape
from .operating_point import OperatingPoint
from .steady_state import RANK, find_equilibrium
from .step_advice import eigendecomposition

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..simulation.simulation import Simulation

LARGEST = 1e6  # factor up to which stability is looked for
SMALLEST = 1e-6  # which stands for none: a mass cannot be zero
LOOKS = 12  # between no load and the first stable factor that is found: an earlier loss is not passed over
EXACT = 1e-9  # relative, of the factor
ALIKE = 0.5  # of what an equilibrium moves: by how much linear models may differ from it
NEAR = 1e-4  # [rad or m] and by how much in any case: a kink is no jump
BENT = 0.01  # [rad or m] of an equilibrium that bends rather than buckles
AGAIN = 1e-6  # of the factor: how the load goes on behind a loss that was another equilibrium's
SOFT = 0.1  # of the slowest eigenvalue without load: where an equilibrium ends for want of stiffness, it is below
ABRUPT = (
    "it ends while it is still stiff: a support that lifts or a stop that gives way does that, "
    "or the search has lost it; `luff static` tells just below and above"
)
STRAIGHT = (
    "what leans from the start, as by a load beside its axis, bends instead of buckling: make it straight for its "
    "critical load"
)
LOADS = ("N", "N*m", "kg", "m/s^2")  # units of what presses or weighs


Load = float | list[float]  # a number, or the numbers of a vector


class StillStable(LuffError):
    """The equilibrium has not lost its stability up to the largest load of the search."""


@dataclass(repr=False)
class Buckling:
    """First loss of stability of an equilibrium under a growing load.

    `factor` multiplies the `load`, whose `value` is then that of the parameter. `kind` is "divergence", "flutter" or
    "limit point"; `frequency` [rad/s] is that of flutter, else 0. `shape` is the mode by state, its largest position 1;
    `x` the state there.

    Examples
    --------
    See `luff.buckling`.
    """

    factor: float
    kind: str
    load: str
    value: Load
    frequency: float
    shape: dict[str, complex]
    x: np.ndarray
    t: float = 0.0
    notes: list[str] = field(default_factory=list)
    places: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 3))
    )  # of the bodies at the equilibrium [m]
    moved: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # and how far the mode takes them
    parents: list[int] = field(default_factory=list)  # the body that carries each one; -1 for the world

    def __repr__(self) -> str:
        pace = f" at {self.frequency:.4g} rad/s" if self.frequency else ""
        return f"<Buckling: {self.kind}{pace} at {self.factor:.6g} times {self.load}>"

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON.

        Returns
        -------
        dict
            Factor, kind, value, frequency, shape and state.
        """
        shape = {name: [z.real, z.imag] for name, z in self.shape.items()}
        arrays = {name: getattr(self, name).tolist() for name in ("x", "places", "moved")}
        return {**vars(self), **arrays, "shape": shape}

    def plot(self) -> Figure:
        """Plot the bodies at the equilibrium and as the mode moves them, in the plane in which it moves most.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from matplotlib.figure import Figure

        made = Figure(figsize=(6.0, 6.0), layout="constrained")
        axes = made.subplots()
        i, k = view_axes(self.places, self.moved)
        size = max(float(np.ptp(self.places, axis=0).max(initial=0.0)), 1e-9)
        share = 0.15 * size / max(float(abs(self.moved).max(initial=0.0)), 1e-300)
        drawn = ((self.places, "equilibrium"), (self.places + share * self.moved, self.kind))
        for number, (points, label) in enumerate(drawn):
            colour = COLOURS[number]
            axes.plot(points[:, i], points[:, k], "o", markersize=3, color=colour, label=label)
            for body, parent in enumerate(self.parents):
                if parent >= 0:
                    ends = points[[parent, body]]
                    axes.plot(ends[:, i], ends[:, k], color=colour, linewidth=1.5)
        axes.set_xlabel(f"{'xyz'[i]} [m]")
        axes.set_ylabel(f"{'xyz'[k]} [m]")
        axes.set_aspect("equal", adjustable="datalim")
        axes.legend(frameon=False)
        return made


def view_axes(places: np.ndarray, moved: np.ndarray) -> tuple[int, int]:
    """The two axes that show a mode: the longest of the mechanism, and that along which it moves most."""
    spread = np.ptp(places, axis=0) if len(places) else np.zeros(3)
    long = int(np.argmax(spread))
    motion = abs(moved).max(axis=0, initial=0.0)
    motion[long] = -1.0
    across = int(np.argmax(motion))
    return min(long, across), max(long, across)


@dataclass
class _LoadPoint:
    """Equilibrium at one factor, its linear model, the eigenvalues that structure leaves, and the one that grows."""

    factor: float
    point: OperatingPoint | None = None  # none where there is no equilibrium
    linear: Linear | None = None
    values: np.ndarray = field(default_factory=lambda: np.zeros(0))
    value: complex = 0j  # 0 where none grows by more than its error bound
    bound: float = 0.0
    vector: np.ndarray | None = None

    @property
    def slowest(self) -> float:
        return float(abs(self.values).min(initial=np.inf))

    @property
    def stable(self) -> bool:
        """True if there is an equilibrium, and no eigenvalue of it certainly grows."""
        return self.point is not None and self.value == 0.0


def _ignore(factor: float) -> None:
    pass


def buckling(
    sim: Simulation,
    load: str,
    t: float = 0.0,
    largest: float = LARGEST,
    looked: Callable[[float], None] = _ignore,
) -> Buckling:
    """Smallest load factor found at which an equilibrium loses its stability.

    The load grows from nothing, and the equilibrium is followed. It is lost by divergence (Euler), by flutter (follower
    loads; Beck, 1952), or at a limit point, where it ends.

    Parameters
    ----------
    sim : Simulation
        The model.
    load : str
        A number of a block in N, N m, kg or m/s^2, such as `push.value`.
    t : float, optional
        Time at which signals are taken [s].
    largest : float, optional
        Factor up to which a loss is sought.
    looked : callable, optional
        Called with each factor before it is examined; an exception from it ends the search.

    Returns
    -------
    Buckling
        The factor, and the motion by which the equilibrium is left.

    Raises
    ------
    LuffError
        There is no such load, no equilibrium without it, or no loss up to `largest`.

    Examples
    --------
    >>> import luff
    >>> column = luff.loads('''
    ... luff: 1
    ... blocks:
    ...   push: {type: constant, value: [0, 0, -1], unit: N}
    ...   pin: {type: revolute, axis: y, stiffness: 10 N*m/rad}
    ...   rod: {type: rigid_link, mass: 1 g, com: [0, 0, 1], frame_b: {at: [0, 0, 1]}}
    ...   load: {type: applied_force}
    ... connect:
    ...   - world.frame -- pin.frame_a
    ...   - pin.frame_b -- rod.frame_a
    ...   - rod.frame_b -- load.frame_b
    ...   - push.y -> load.force
    ... ''')
    >>> found = luff.buckling(luff.compile(column), "push.value")
    >>> found.kind, round(found.factor, 2)  # a rigid rod of 1 m on a spring: P = c / l, less its weight
    ('divergence', 9.99)
    """
    search = _Search(sim, load, t, looked)
    nothing = search.begin()
    stable, lost = search.first_loss(nothing, largest)
    return search.answer(nothing, stable, lost)


def loaded_point(sim: Simulation, load: str, value: Load, t: float, known: bool = True) -> OperatingPoint:
    """Model under another load; one whose state is `known` does not look for rest, which may be none from the start."""
    flat = flatten(sim.diagram, {**sim.overrides, load: value})
    if known and not sim.program.closed:
        flat.initial = copy(flat.initial)
        flat.initial.solve = "assemble"
    return OperatingPoint(sim.twin(started(flat)), t)


class _Search:
    def __init__(self, sim: Simulation, load: str, t: float, looked: Callable[[float], None]):
        self.sim, self.load, self.t, self.looked = sim, load, t, looked
        self.full = value_of(sim, load)

    def scaled(self, factor: float) -> Load:
        full = self.full
        return [factor * part for part in full] if isinstance(full, tuple) else factor * full

    def evaluate_load(self, factor: float, near: _LoadPoint | None) -> _LoadPoint:
        """Equilibrium at a factor, found from that of another one, and the fastest eigenvalue that certainly grows."""
        self.looked(factor)
        known = near is not None and near.point is not None
        point = loaded_point(self.sim, self.load, self.scaled(factor), self.t, known)
        try:
            point.go(point.sim.x0 if near is None or near.point is None else near.point.x)
            find_equilibrium(point)
        except RunError:
            return _LoadPoint(factor)
        linear = linear_at(point, ())
        if not len(linear.A):
            return _LoadPoint(factor, point, linear)
        assert linear.loop is not None
        found = spectrum(linear)
        values, signs = found.values, np.array(found.signs)
        moving = np.concatenate([part.roots.values for part in found.parts])[
            signs[: len(signs) - found.norms] != STAYS
        ]
        growing = signs == GROWS
        if not growing.any():
            return _LoadPoint(factor, point, linear, moving)
        k = int(np.argmax(np.where(growing, values.real, -np.inf)))
        vector = motions(found, linear.loop)[: len(linear.A), k]
        return _LoadPoint(factor, point, linear, moving, complex(values[k]), float(found.bounds[k]), vector)

    def begin(self) -> _LoadPoint:
        """Look at the smallest load; LuffError unless the equilibrium there is stable."""
        nothing = self.evaluate_load(SMALLEST, None)
        if not nothing.stable:
            why = "there is no equilibrium" if nothing.point is None else "the equilibrium is not stable"
            fix = "start from another state, or support what falls"
            raise LuffError(Problem(f"{why} without this load", self.load, fix))
        return nothing

    def step(self, near: _LoadPoint, factor: float) -> _LoadPoint:
        """Look at the equilibrium that another one becomes; without a point if it is another equilibrium."""
        here = self.evaluate_load(factor, near)
        if here.point is None or near.point is None or near.linear is None or here.linear is None:
            return here
        rows = [*here.point.positions, *here.point.quaternions]
        moved = here.point.x - near.point.x
        ahead = -_towards_rest(near.linear.A, here.point, near.point.x)
        behind = _towards_rest(here.linear.A, near.point, here.point.x)
        most = NEAR + ALIKE * float(np.linalg.norm(moved[rows]))
        off = max(float(np.linalg.norm((moved - expected)[rows])) for expected in (ahead, behind))
        return here if off <= most else _LoadPoint(factor)

    def first_loss(self, nothing: _LoadPoint, largest: float) -> tuple[_LoadPoint, _LoadPoint]:
        """Bracket of the first loss: a stable factor and the next larger one that is not, as far as was sampled."""
        stable, lost, rise, looked = nothing, None, 1.0, False
        while True:
            here = self.step(stable, stable.factor + rise)
            if here.stable:
                if here.factor >= largest:
                    raise self._no_loss(nothing, here)
                stable, rise = here, min(2.0 * rise, here.factor)
            elif here.point is None:
                rise *= 0.5
            else:
                lost = here
                if stable is not nothing and not looked:
                    stable, lost, looked = *self._restored_loss(nothing, stable, here), True
            if lost is not None:
                rise = min(rise, 0.5 * (lost.factor - stable.factor))
            if rise < 0.5 * EXACT * stable.factor:
                if lost is None:
                    return stable, here
                # it was met in a long step, and may be another equilibrium's
                here = self.step(stable, lost.factor)
                if not here.stable:
                    return stable, lost
                stable, lost, rise = here, None, AGAIN * here.factor

    def _restored_loss(
        self, nothing: _LoadPoint, stable: _LoadPoint, lost: _LoadPoint
    ) -> tuple[_LoadPoint, _LoadPoint]:
        """A loss that a larger load has undone again."""
        before, reached = nothing, stable.factor
        for share in np.arange(1, LOOKS) / LOOKS:
            here = self.step(before, float(share) * reached)
            if here.stable:
                before = here
            elif here.point is not None:
                return before, here
        return stable, lost

    def _no_loss(self, nothing: _LoadPoint, stable: _LoadPoint) -> StillStable:
        assert nothing.point is not None
        assert stable.point is not None
        bends = self._bending(nothing, stable.point)
        mistake = f"the equilibrium {'bends with the load, and ' if bends else ''}is still stable at "
        mistake += f"{stable.factor:.3g} times this load"
        fix = f"{bends}: {STRAIGHT}" if bends else "choose another load, or change the sign of this one"
        return StillStable(Problem(f"{mistake}, where the search ends", self.load, fix))

    def _bending(self, nothing: _LoadPoint, point: OperatingPoint, shape: np.ndarray | None = None) -> str:
        """Position by which the equilibrium has moved most since it had no load; empty where it is straight.

        Empty too where that position takes no part in the shape by which it is left, as of a beam that sags and then
        leaves its plane.
        """
        assert nothing.point is not None
        rows = point.positions
        moved = abs(point.x - nothing.point.x)[rows]
        if moved.max(initial=0.0) <= BENT:
            return ""
        k = rows[int(np.argmax(moved))]
        if shape is not None and abs(shape[k]) < SHOWN:
            return ""
        unit = self.sim.program.state_units[k]
        return f"{self.sim.state_names[k]} has moved by {moved.max():.3g} {unit}"

    def answer(self, nothing: _LoadPoint, stable: _LoadPoint, lost: _LoadPoint) -> Buckling:
        """Result of the search; where the equilibrium ends, the slowest mode is its shape."""
        assert stable.point is not None
        assert stable.linear is not None
        kind, frequency, point, linear, vector = "limit point", 0.0, stable.point, stable.linear, lost.vector
        notes = [*stable.linear.notes]
        if lost.point is not None and lost.linear is not None:
            point, linear = lost.point, lost.linear
            # a pair that may be a double real root within its error is about to part on the real axis
            flutters = abs(lost.value.imag) > lost.bound
            kind = "flutter" if flutters else "divergence"
            frequency = abs(lost.value.imag) if flutters else 0.0
        elif stable.slowest > SOFT * nothing.slowest:
            notes.append(ABRUPT)
        if vector is None:
            values, vectors = eigendecomposition(linear.A)
            vector = vectors[:, int(np.argmin(abs(values)))]
        coordinates = point.positions if len(point.positions) else np.arange(len(point.x))
        shape = normalise_shape(vector, coordinates)
        bends = self._bending(nothing, point, shape)
        if bends and kind != "limit point":
            notes.append(f"before, the equilibrium bends with the load: {bends}; {STRAIGHT}")
        order = np.argsort(-abs(shape), kind="stable")
        factor = 0.5 * (stable.factor + lost.factor)
        value = self.scaled(factor)
        places, moved = self._bodies(point, shape)
        return Buckling(
            factor=factor, kind=kind, load=self.load, value=value, frequency=frequency,
            shape={linear.state_names[k]: complex(shape[k]) for k in order},
            x=point.x.copy(), t=self.t, notes=notes, places=places, moved=moved,
            parents=point.sim.program.model.topo[:, f.PARENT].tolist(),
        )  # fmt: skip

    @staticmethod
    def _bodies(point: OperatingPoint, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Origins of all bodies at the equilibrium, and how the mode moves them."""
        data = point.sim.instance.data

        def origins(x: np.ndarray) -> np.ndarray:
            point.rates(x)
            return data.row[:, f.p_WB : f.p_WB + 3].copy()

        step = 1e-4 * np.real(shape)
        here = origins(point.x)
        return here, (origins(point.x + step) - origins(point.x - step)) / 2e-4


def _towards_rest(A: np.ndarray, point: OperatingPoint, x: np.ndarray) -> np.ndarray:
    """Newton step A^+ x' from a state towards rest by a linear model."""
    rates = point.rates(x)
    if not np.all(np.isfinite(rates)):  # the state is none that the model can take under this load
        return np.full(len(x), np.inf)
    return np.linalg.lstsq(A, rates, rcond=RANK)[0]


def value_of(sim: Simulation, load: str) -> float | tuple[float, ...]:
    """The number, or the numbers, of a block's parameter, or of one of the netlist's."""
    block, _, name = load.rpartition(".")
    given = {key.removeprefix("parameters."): value for key, value in sim.overrides.items()}
    own = {key: given.get(key, value) for key, value in sim.diagram.parameters.items()}
    if block in ("", "parameters") and name in own:
        return _unlike_zero(Scope(own).quantity(f"={name}").value, load)
    blocks = sim.program.flat.blocks
    if block not in blocks:
        fix = did_you_mean(block or name, [*blocks, *own]) or "write BLOCK.PARAM, such as F.value"
        mistake = f'there is no block "{block}"' if block else f'the netlist has no parameter "{name}"'
        raise LuffError(Problem(mistake, load, fix))
    known = blocks[block]
    numbers = {key: value for key, value in known.values.items() if _numeric(value) and key in known.params}
    if name not in numbers:
        fix = did_you_mean(name, numbers) or f"it has {', '.join(numbers) or 'none'}"
        raise LuffError(Problem(f'"{name}" is not a number of this block', load, fix))
    return _unlike_zero(numbers[name], load)


def _unlike_zero(value: float | tuple[float, ...], load: str) -> float | tuple[float, ...]:
    if not any(value if isinstance(value, tuple) else (value,)):
        raise LuffError(
            Problem("this load is zero: no factor changes it", load, "give it a value, such as 1")
        )
    return value


def load_parameters(sim: Simulation) -> list[str]:
    """The parameters that press or weigh, as `load` takes them; any other number of a block may be given too."""
    return [
        f"{name}.{key}"
        for name, block in sim.program.flat.blocks.items()
        for key, value in block.values.items()
        if key in block.params and _numeric(value) and np.any(value)
        # sources say in words what their output is
        and (block.params[key].unit or block.values.get("unit")) in LOADS
    ]  # fmt: skip


def _numeric(value: object) -> TypeGuard[float | tuple[float, ...]]:
    parts = value if isinstance(value, tuple) else (value,)
    return bool(parts) and all(isinstance(part, int | float) and not isinstance(part, bool) for part in parts)


def buckling_rows(
    buckling: Buckling, shown: Shown = lambda name: ("", 1.0), digits: int = 8
) -> list[tuple[str, str]]:
    """Load factor, the load that it makes, and how stability is lost; name and value of each."""
    unit, factor = shown(buckling.load)
    parts = [f"{factor * part:.{min(digits, 6)}g}" for part in np.atleast_1d(buckling.value)]
    value = f"{', '.join(parts)} {unit}".rstrip()
    rows = [("load factor", f"{buckling.factor:.{digits}g}"), (buckling.load, value)]
    if buckling.kind == "flutter":
        hertz = buckling.frequency / (2 * math.pi)
        rows.append(("frequency", f"{buckling.frequency:.{min(digits, 6)}g} rad/s ({hertz:.4g} Hz)"))
    return rows


def buckling_verdict(buckling: Buckling) -> str:
    """Words for the kind of instability: divergence, flutter, limit point."""
    return {
        "divergence": "divergence: it leaves without oscillation",
        "flutter": "flutter: it oscillates, and grows",
        "limit point": "limit point: there is no equilibrium beyond it",
    }[buckling.kind]


def describe_buckling(buckling: Buckling, shown: Shown = lambda name: ("", 1.0)) -> list[str]:
    """Lines of text for a terminal."""
    (_, factor), (load, value), *more = buckling_rows(buckling, shown)
    how = f"flutter at {more[0][1]}" if more else buckling_verdict(buckling)
    moving = {name: z for name, z in buckling.shape.items() if not RATE.search(name)}
    words = [f"{name} {z.real:.3g}" for name, z in moving.items() if abs(z) >= SHOWN]
    rest = ", ..." if len(words) > 6 else ""
    return [f"load factor {factor} ({load} = {value})", how, f"mode: {', '.join(words[:6])}{rest}"]
