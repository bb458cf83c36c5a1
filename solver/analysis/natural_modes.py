"""Natural modes of a model about a state: frequencies, damping ratios, mode shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem
from .bounded_roots import (
    GROWS,
    OPEN,
    RATE,
    equilibrium_words,
    indifferent_states,
    motions,
    movers,
    spectrum,
    stability,
)
from .linearise import Linear, linear_at, place_point
from .operating_point import OperatingPoint

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation

MOVING = 1e-9  # of what moves most, in units in which states act on each other alike: below it nothing does
SHOWN = 0.05  # share of the largest entry from which a state belongs to a mode's shape
NAMED = 3  # coordinates of a shape that are told
TRANSLATION, ROTATION, DEFLECTION = "translation", "rotation", "deflection"  # kinds of coordinates


@dataclass(repr=False)
class Modes:
    """Natural modes: oscillating ones by rising frequency (one of each pair), then real ones, slowest first.

    `eigenvalues` [1/s]; `shapes[:, k]` belongs to `eigenvalues[k]`, its largest position is 1. `bounds` [1/s]: error
    of each eigenvalue by the rounding of the model's derivatives; one that may be zero within its bound is zero.
    `signs`: each mode "grows" or "decays" by more than its bound, "stays" by structure, or is "open".
    `stability`: verdict on all motions, `stable`, `unstable`, `indifferent` or `unjudged`, as that of a linear model.

    Examples
    --------
    >>> import luff
    >>> found = luff.modes(luff.compile("library/templates/pendulum.yaml"))
    >>> found.signs, list(found.shape(1))
    (['decays'], ['pin.velocity', 'pin.position'])
    """

    eigenvalues: np.ndarray
    shapes: np.ndarray
    state_names: list[str]
    x: np.ndarray
    t: float = 0.0
    notes: list[str] = field(default_factory=list)
    shapers: list[str] = field(default_factory=list)  # input shapers of the model
    equilibrium: str = ""  # which one it is, where the modes are about one
    bounds: np.ndarray = field(default_factory=lambda: np.zeros(0))
    signs: list[str] = field(default_factory=list)
    weights: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 0)), repr=False
    )  # of states in each mode
    half_sampling: np.ndarray = field(
        default_factory=lambda: np.zeros(0)
    )  # rad/s, of the samplers in its loop, or inf

    parts: np.ndarray = field(
        default_factory=lambda: np.zeros(0, int)
    )  # modes of one number act on each other
    lags: np.ndarray = field(default_factory=lambda: np.zeros(0))  # s, the longest delay in its loop
    stability: str = "unjudged"
    indifferent: list[str] = field(default_factory=list, repr=False)  # states that may neither decay nor grow
    kinds: list[str] = field(default_factory=list, repr=False)  # of each state; empty for no coordinate

    def __repr__(self) -> str:
        some = self.frequencies[self.oscillating]
        span = f", {some.min():.4g} to {some.max():.4g} rad/s" if len(some) else ""
        count = f"{len(some)} of {len(self.eigenvalues)} oscillate{span}"
        about = self.equilibrium or f"about a state at t = {self.t:g} s"
        return f"<Modes: {count}; {about}>"

    @property
    def frequencies(self) -> np.ndarray:
        """Undamped natural frequencies |lambda| [rad/s]."""
        return np.abs(self.eigenvalues)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios -Re lambda / |lambda|; 1 for modes that decay without oscillation, 0 for constant ones."""
        size = self.frequencies
        return -np.real(self.eigenvalues) / np.where(size > 0.0, size, 1.0)

    @property
    def oscillating(self) -> np.ndarray:
        """Mask of the modes that oscillate: Im lambda is not 0."""
        return np.imag(self.eigenvalues) != 0.0

    def driving_states(self, number: int) -> dict[str, complex]:
        """States that make the motion of a mode, without those that only follow it.

        Parameters
        ----------
        number : int
            Number of the mode, from 1.

        Returns
        -------
        dict of str to complex
            Entries of the shape by state, those first that move most in units in which states act on each other alike.

        Raises
        ------
        LuffError
            There is no mode of that number.
        """
        self._check(number)
        column, weight = self.shapes[:, number - 1], self.weights[:, number - 1]
        size = abs(column) * weight
        order = [k for k in np.argsort(-size, kind="stable") if size[k] >= SHOWN * size.max()]
        return {self.state_names[k]: complex(column[k]) for k in order}

    def shape(self, number: int) -> dict[str, complex]:
        """Shape of a mode by state.

        Parameters
        ----------
        number : int
            Number of the mode, from 1.

        Returns
        -------
        dict of str to complex
            Entries by state, largest first.

        Raises
        ------
        LuffError
            There is no mode of that number.
        """
        self._check(number)
        column = self.shapes[:, number - 1]
        order = np.argsort(-abs(column), kind="stable")
        return {self.state_names[k]: complex(column[k]) for k in order}

    def tuning(self, number: int) -> dict[str, float]:
        """Parameters of an `input_shaper` that leaves a mode at rest.

        Parameters
        ----------
        number : int
            Number of the mode, from 1.

        Returns
        -------
        dict of str to float
            `frequency` [rad/s] and `damping`.

        Raises
        ------
        LuffError
            There is no such mode, or it does not oscillate or is unstable.
        """
        self._check(number)
        if not self.oscillating[number - 1]:
            raise LuffError(
                f"mode {number} does not oscillate: an input shaper has no frequency to suppress", path="mode"
            )
        damping = float(self.damping[number - 1])
        if self.signs[number - 1] == GROWS:
            raise LuffError(f"mode {number} is unstable: no input shaper brings it to rest", path="mode")
        return {"frequency": float(self.frequencies[number - 1]), "damping": max(damping, 0.0)}

    def _check(self, number: int) -> None:
        if not 1 <= number <= len(self.eigenvalues):
            raise LuffError(
                Problem(f"found mode {number}, expected 1 to {len(self.eigenvalues)}", path="mode")
            )

    def as_dict(self) -> dict[str, object]:
        """Convert to plain data for JSON.

        Returns
        -------
        dict
            State, equilibrium, notes, and for each mode frequency, damping, eigenvalue, error and shape.
        """
        rows = [
            {
                "number": k,
                "frequency": float(self.frequencies[k - 1]),
                "frequency_hz": float(self.frequencies[k - 1] / (2 * np.pi)),
                "damping": float(self.damping[k - 1]),
                "eigenvalue": [float(value.real), float(value.imag)],
                "error": float(self.bounds[k - 1]),
                "motion": self.signs[k - 1],
                "shape": {name: [z.real, z.imag] for name, z in self.shape(k).items()},
            }
            for k, value in enumerate(self.eigenvalues, 1)
        ]
        state = dict(zip(self.state_names, self.x.tolist(), strict=True))
        about = {"time": self.t, "equilibrium": self.equilibrium, "state": state}
        return {**about, "modes": rows, "notes": self.notes}


def modes(
    sim: Simulation, t: float = 0.0, x: Sequence[float] | np.ndarray | str | None = "equilibrium"
) -> Modes:
    """Natural modes of the model linearised about an equilibrium or another state.

    Parameters
    ----------
    sim : Simulation
        The model.
    t : float, optional
        Time [s].
    x : array_like or str, optional
        "equilibrium" near the initial state, "initial", or an array.

    Returns
    -------
    Modes
        Frequencies, damping ratios, shapes and error bounds.

    Raises
    ------
    LuffError
        No equilibrium was found, or the model has no linear form there.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> found = luff.modes(sim)
    >>> found.frequencies.round(2).tolist()  # sqrt(3 g / (2 l)) of a rod of 1 m
    [3.84]
    """
    point = OperatingPoint(sim, t, memories=True)
    place_point(point, x)
    lin = linear_at(point, ())
    about = isinstance(x, str) and x == "equilibrium"
    assert lin.loop is not None
    verdict, found, n = stability(lin), spectrum(lin), len(lin.loop.A)
    held = lin.loop.samplers
    values, vectors = found.values, motions(found, lin.loop)
    shown = n + len(held)
    kept = found.mode_order
    coordinates = point.positions if len(point.positions) else np.arange(shown)
    weights = movers(found, lin.loop)
    shapes = np.array([normalise_shape(vectors[:, k], coordinates, weights[:, k]) for k in kept])
    blocks = sim.program.flat.blocks.values()  # those of `point` may be echoes
    notes = [note for note in lin.notes if "A, B, C, D" not in note]  # which nobody sees here
    notes += [f"no verdict on stability: {lin.unjudged}"] if verdict == "unjudged" and not about else []
    return Modes(
        eigenvalues=values[kept].astype(complex),
        shapes=shapes.T.reshape(shown, -1),
        weights=weights[:, kept],
        state_names=[*lin.state_names[:n], *(lin.loop.names[k] for k in held)],
        x=np.concatenate([lin.x[:n], held_sample_values(lin, point)]),
        t=t,
        notes=notes,
        shapers=[block.name for block in blocks if block.type_name == "input_shaper"],
        equilibrium=equilibrium_words(lin, point.positions.tolist()) if about else "",
        bounds=found.bounds[kept],
        signs=[found.signs[k] for k in kept],
        half_sampling=found.half_sampling[kept],
        parts=found.numbers[kept],
        lags=found.lags[kept],
        stability=verdict,
        indifferent=indifferent_states(lin) if about else [],
        kinds=[*coordinate_kinds(point, n), *[""] * len(held)],
    )


def coordinate_kinds(point: OperatingPoint, count: int) -> list[str]:
    """Kind of each of the first states: translation, rotation or deflection of a coordinate, else empty."""
    of_unit = {"m": TRANSLATION, "rad": ROTATION}
    units = point.sim.units
    kinds = dict.fromkeys(point.quaternions.tolist(), ROTATION)
    for k in point.positions.tolist():
        kinds[k] = of_unit.get(units.get(point.sim.state_names[k], ""), DEFLECTION)
    return [kinds.get(k, "") for k in range(count)]


def held_sample_values(lin: Linear, point: OperatingPoint) -> np.ndarray:
    """Values that the samplers of the linear model hold at its state."""
    assert lin.loop is not None
    names = point.sim.state_names
    return np.array([point.x[names.index(lin.loop.names[k])] for k in lin.loop.samplers], float)


def normalise_shape(
    shape: np.ndarray, coordinates: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    """The largest coordinate is one; the largest state of any kind where the mode moves none, by these weights."""
    shape = shape.astype(complex)
    size = abs(shape) if weight is None else abs(shape) * weight
    entries = np.where(size > 0.0, shape, 0.0)
    if size[coordinates].max(initial=0.0) >= MOVING * size.max(initial=1e-300):
        entries = entries[coordinates]
    most = entries[int(np.argmax(abs(entries)))]
    return shape / most if most else shape  # what moves in delays alone has no part in the states shown


def describe_modes(modes: Modes) -> list[str]:
    """Lines of a table for a terminal."""
    lines = ["mode  frequency [rad/s]      [Hz]   damping  shape"]
    zeros = [k for k, sign in enumerate(modes.signs, 1) if sign == OPEN and not modes.oscillating[k - 1]]
    for k in range(1, len(modes.eigenvalues) + 1):
        if k in zeros[1:]:
            continue
        if len(zeros) > 1 and k == zeros[0]:
            lines.append(zeros_words(modes, zeros))
            continue
        w = modes.frequencies[k - 1]
        kind = f"{w:17.6g} {w / (2 * np.pi):9.4g} {damping_words(modes, k):>9}"
        if not modes.oscillating[k - 1]:
            kind = f"{motion_words(modes, k):>37}"
        lines.append(f"{k:4d}  {kind}  {shape_words(modes, k)}")
    return [*lines, *verdict_words(modes)]


def verdict_words(modes: Modes) -> list[str]:
    """Lines on modes that grow, on those with an open sign, and on those that samplers do not see."""
    lines = aliased_mode_words(modes)
    unstable = [k for k, sign in enumerate(modes.signs, 1) if sign == GROWS]
    if unstable:
        lines.append(f"unstable: mode {number_ranges(unstable)}")
    unknown = [k for k, sign in enumerate(modes.signs, 1) if sign == OPEN]
    if unknown:
        lines.append(
            f"not known to decay or grow, its rate is zero within its error: mode {number_ranges(unknown)}"
        )
    return lines


def zeros_words(modes: Modes, numbers: Sequence[int]) -> str:
    """Line for all real modes that are zero within their bounds: count, range of the bounds, states that move most."""
    bounds = modes.bounds[np.array(numbers) - 1]
    low, high = f"{bounds.min():.2g}", f"{bounds.max():.2g}"
    span = high if low == high else f"{low} to {high}"
    movers = list(dict.fromkeys(next(iter(modes.driving_states(k))) for k in numbers))
    names = ", ".join(movers[:6]) + (", ..." if len(movers) > 6 else "")
    return (
        f"{numbers[0]:4d}  {len(numbers)} roots of 0 +- {span} 1/s, modes {number_ranges(numbers)}  {names}"
    )


def number_ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in words, "1 to 3, 7"."""
    runs: list[list[int]] = []
    for k in numbers:
        if runs and k == runs[-1][-1] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def aliased_mode_words(modes: Modes) -> list[str]:
    """Modes that the samplers of their loop do not see as they are."""
    return [
        f"mode {k} is above half of the sampling frequency, {half:.6g} rad/s: found from the motion between samples"
        for k, (half, value) in enumerate(zip(modes.half_sampling, modes.eigenvalues, strict=True), 1)
        if value.imag > half * (1.0 + 1e-9)
    ]


def damping_words(modes: Modes, number: int) -> str:
    """Damping ratio; zero where it is less than its error."""
    return f"{modes.damping[number - 1]:.4g}" if modes.signs[number - 1] != OPEN else "0"


def motion_words(modes: Modes, number: int) -> str:
    """Motion of a mode that does not oscillate: by its time constant, or zero by structure or within its error."""
    rate, sign = float(modes.eigenvalues[number - 1].real), modes.signs[number - 1]
    if sign == OPEN:
        return f"0 +- {modes.bounds[number - 1]:.2g} 1/s"
    return decay_words(rate) if rate else "stands still"


def decay_words(rate: float) -> str:
    """Decay or growth with its time constant, in words, for a real eigenvalue [1/s]."""
    return f"{'decays' if rate < 0 else 'grows'}, time constant {abs(1 / rate):.4g} s"


def shape_words(modes: Modes, number: int) -> str:
    """The coordinates that take part most, kind by kind: magnitude in percent of the largest, and phase to the first.

    Names alone of a mode in which no coordinate takes part.
    """
    shape = modes.driving_states(number)
    kind_of = dict(zip(modes.state_names, modes.kinds, strict=True))
    moving = [name for name in shape if kind_of[name]]
    if not moving:
        named = [name for name in shape if not RATE.search(name)] or [*shape]
        return ", ".join(named[:NAMED]) + (", ..." if len(named) > NAMED else "")
    largest = dict[str, float]()
    for name in moving:
        largest[kind_of[name]] = max(largest.get(kind_of[name], 0.0), abs(shape[name]))
    share = {name: abs(shape[name]) / largest[kind_of[name]] for name in moving}
    told = sorted(moving, key=lambda name: -share[name])[:NAMED]  # of equal shares those first that act most
    words = []
    for kind in dict.fromkeys(kind_of[name] for name in told):
        own = [name for name in told if kind_of[name] == kind]
        parts = [
            f"{name} {100 * share[name]:.3g} %{phase_words(shape[name] / shape[told[0]])}" for name in own
        ]
        words.append(f"{kind}: {', '.join(parts)}")
    return "; ".join(words) + (", ..." if len(moving) > NAMED else "")


def phase_words(ratio: complex) -> str:
    """Phase to another coordinate in whole degrees; nothing where they are in phase."""
    degrees = round(float(np.degrees(np.angle(ratio))))
    return f" at {180 if degrees == -180 else degrees}°" if degrees else ""
