"""At which multiple of a load an equilibrium loses its stability, and how it leaves.

The load grows from nothing; at each of its values the equilibrium is found from the one before, and the model
linearised about it. An eigenvalue that becomes real and positive is divergence, what Euler's column does; a pair that
grows while it oscillates is flutter, as follower loads make it (Beck, 1952); an equilibrium that is no longer there has
met a limit point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from ...blocks import LuffError, RunError
from ...blocks.errors import Problem, did_you_mean
from ..machine.fields import PARENT, POSITION
from ..result.plots import COLOURS
from .advice import eigen
from .equilibrium import find_equilibrium
from .linearise import Linear, linear_at
from .modes import RATE, SHOWN, normalised
from .operating import OperatingPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..run.simulation import Simulation

LARGEST = 1e6  # factor up to which stability is looked for
SMALLEST = 1e-6  # which stands for none: a mass cannot be zero
LOOKS = 12  # between no load and the first stable factor that is found: an earlier loss is not passed over
EXACT = 1e-9  # relative, of the factor
OWN = 1e-9  # growth below this share of an eigenvalue is rounding
FASTEST = 1e-13  # and below this share of the largest one
LOADS = ("N", "N*m", "kg", "m/s^2")  # units of what presses or weighs


Load = float | list[float]  # a number, or the numbers of a vector


@dataclass(repr=False)
class Buckling:
    """The first loss of stability; `value` is the parameter there, `shape` the mode by state, its largest position 1.

    `kind` is "divergence", "flutter" or "limit point"; `frequency` [rad/s] is that of flutter, else 0.
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
        """Plain values, for JSON."""
        shape = {name: [z.real, z.imag] for name, z in self.shape.items()}
        arrays = {name: getattr(self, name).tolist() for name in ("x", "places", "moved")}
        return {**vars(self), **arrays, "shape": shape}

    def plot(self) -> Figure:
        """The bodies at the equilibrium and as the mode moves them, seen where it moves most."""
        from matplotlib.figure import Figure

        made = Figure(figsize=(6.0, 6.0), layout="constrained")
        axes = made.subplots()
        i, k = seen_along(self.places, self.moved)
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


def seen_along(places: np.ndarray, moved: np.ndarray) -> tuple[int, int]:
    """The two axes that show a mode: the longest of the mechanism, and that along which it moves most."""
    spread = np.ptp(places, axis=0) if len(places) else np.zeros(3)
    long = int(np.argmax(spread))
    motion = abs(moved).max(axis=0, initial=0.0)
    motion[long] = -1.0
    across = int(np.argmax(motion))
    return min(long, across), max(long, across)


@dataclass
class _Look:
    """The model at one factor: its point and linear model, the growing eigenvalue, or why there is no equilibrium."""

    factor: float
    point: OperatingPoint | None = None
    linear: Linear | None = None
    value: complex = 0j
    vector: np.ndarray | None = None

    @property
    def stable(self) -> bool:
        return self.point is not None and self.value == 0.0


def _unheard(factor: float) -> None:
    pass


def buckling(
    sim: Simulation,
    load: str,
    t: float = 0.0,
    largest: float = LARGEST,
    looked: Callable[[float], None] = _unheard,
) -> Buckling:
    """The smallest factor on `load` ("F.value", a block's parameter) at which the equilibrium is no longer stable.

    `looked` hears each factor before it is looked at; what it raises ends the search.
    """
    search = _Search(sim, load, t, looked)
    nothing = search.look(SMALLEST, None)
    if not nothing.stable:
        why = "there is no equilibrium" if nothing.point is None else "the equilibrium is not stable"
        fix = "start from another state, or support what falls"
        raise LuffError(Problem(f"{why} without this load", load, fix))
    stable, lost = search.bracket(nothing, largest)
    while lost.factor - stable.factor > EXACT * lost.factor:
        middle = search.look(0.5 * (stable.factor + lost.factor), stable)
        stable, lost = (middle, lost) if middle.stable else (stable, middle)
    return search.found(stable, lost)


class _Search:
    def __init__(self, sim: Simulation, load: str, t: float, looked: Callable[[float], None]):
        self.sim, self.load, self.t, self.looked = sim, load, t, looked
        self.full = value_of(sim, load)

    def scaled(self, factor: float) -> Load:
        full = self.full
        return [factor * part for part in full] if isinstance(full, tuple) else factor * full

    def look(self, factor: float, near: _Look | None) -> _Look:
        """The equilibrium at a factor, found from that of another one, and the eigenvalue that grows fastest."""
        self.looked(factor)
        sim = type(self.sim)(self.sim.diagram, {**self.sim.overrides, self.load: self.scaled(factor)})
        point = OperatingPoint(sim, self.t)
        try:
            point.go(point.sim.x0 if near is None or near.point is None else near.point.x)
            find_equilibrium(point)
        except RunError:
            return _Look(factor)
        linear = linear_at(point, ())
        if not len(linear.A):
            return _Look(factor, point, linear)
        values, vectors = eigen(linear.A)
        growing = values.real > OWN * abs(values) + FASTEST * abs(values).max()
        if not growing.any():
            return _Look(factor, point, linear)
        k = int(np.argmax(np.where(growing, values.real, -np.inf)))
        return _Look(factor, point, linear, complex(values[k]), vectors[:, k])

    def bracket(self, nothing: _Look, largest: float) -> tuple[_Look, _Look]:
        """A stable factor and a larger one that is not, the first ones as far as a look here and there can tell."""
        stable, lost = nothing, self.look(1.0, nothing)
        while lost.stable:
            if lost.factor >= largest:
                raise self._never(lost)
            stable, lost = lost, self.look(2.0 * lost.factor, lost)
        while stable is nothing and lost.factor > 2.0 * SMALLEST:
            half = self.look(0.5 * lost.factor, nothing)
            stable, lost = (half, lost) if half.stable else (nothing, half)
        before, reached = nothing, stable.factor
        for share in np.arange(1, LOOKS) / LOOKS:
            here = self.look(float(share) * reached, before)
            if not here.stable:
                return before, here
            before = here
        return stable, lost

    def _never(self, stable: _Look) -> LuffError:
        found = f"the equilibrium is still stable at {stable.factor:.3g} times this load"
        return LuffError(Problem(found, self.load, "choose a load that can take its stability, or its sign"))

    def found(self, stable: _Look, lost: _Look) -> Buckling:
        """All that there is to tell; where the equilibrium ends, the slowest mode shows how."""
        assert stable.point is not None
        assert stable.linear is not None
        kind, frequency, point, linear, vector = "limit point", 0.0, stable.point, stable.linear, lost.vector
        if lost.point is not None and lost.linear is not None:
            point, linear = lost.point, lost.linear
            # an eigenvalue close to zero that is about to turn real has come from oscillation: where it goes counts
            flutters = abs(lost.value.imag) > 1e-3 * abs(lost.value)
            kind = "flutter" if flutters else "divergence"
            frequency = abs(lost.value.imag) if flutters else 0.0
        if vector is None:
            values, vectors = eigen(linear.A)
            vector = vectors[:, int(np.argmin(abs(values)))]
        coordinates = point.positions if len(point.positions) else np.arange(len(point.x))
        shape = normalised(vector, coordinates)
        order = np.argsort(-abs(shape), kind="stable")
        factor = 0.5 * (stable.factor + lost.factor)
        value = self.scaled(factor)
        places, moved = self._bodies(point, shape)
        return Buckling(
            factor=factor, kind=kind, load=self.load, value=value, frequency=frequency,
            shape={linear.state_names[k]: complex(shape[k]) for k in order},
            x=point.x.copy(), t=self.t, notes=[*linear.notes], places=places, moved=moved,
            parents=point.sim.program.model.topo[:, PARENT].tolist(),
        )  # fmt: skip

    @staticmethod
    def _bodies(point: OperatingPoint, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Origins of all bodies at the equilibrium, and how the mode moves them."""
        data = point.sim.instance.data

        def origins(x: np.ndarray) -> np.ndarray:
            point.rates(x)
            return data.row[:, POSITION : POSITION + 3].copy()

        step = 1e-4 * np.real(shape)
        here = origins(point.x)
        return here, (origins(point.x + step) - origins(point.x - step)) / 2e-4


def value_of(sim: Simulation, load: str) -> float | tuple[float, ...]:
    """The number, or the numbers, of a block's parameter."""
    block, _, name = load.rpartition(".")
    blocks = sim.program.flat.blocks
    if block not in blocks:
        fix = did_you_mean(block, blocks) or "write BLOCK.PARAM, such as F.value"
        raise LuffError(Problem(f'there is no block "{block}"', load, fix))
    known = blocks[block]
    numbers = {key: value for key, value in known.values.items() if _numeric(value) and key in known.params}
    if name not in numbers:
        fix = did_you_mean(name, numbers) or f"it has {', '.join(numbers) or 'none'}"
        raise LuffError(Problem(f'"{name}" is no number of this block', load, fix))
    value = numbers[name]
    if not any(value if isinstance(value, tuple) else (value,)):
        raise LuffError(
            Problem("this load is zero: no factor changes it", load, "give it a value, such as 1")
        )
    return value


def loads_of(sim: Simulation) -> list[str]:
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


def described(found: Buckling) -> list[str]:
    """For people."""
    value = ", ".join(f"{part:.6g}" for part in np.atleast_1d(found.value))
    how = {
        "divergence": "divergence: it leaves without oscillation",
        "flutter": f"flutter at {found.frequency:.6g} rad/s ({found.frequency / (2 * math.pi):.4g} Hz)",
        "limit point": "limit point: there is no equilibrium beyond it",
    }[found.kind]
    moving = {name: z for name, z in found.shape.items() if not RATE.search(name)}
    words = [f"{name} {z.real:.3g}" for name, z in moving.items() if abs(z) >= SHOWN]
    more = ", ..." if len(words) > 6 else ""
    return [
        f"load factor {found.factor:.8g} ({found.load} = {value})",
        how,
        f"mode: {', '.join(words[:6])}{more}",
    ]
