"""Runs that are pushed a little off a state: whether the push grows or decays, how fast, and at which frequency.

Two runs begin beside each other, one of them pushed along a mode. Their difference is a small motion about whatever the
other one does: it swings with the frequency of the mode, and grows or decays as it does. Nothing of the linear model is
used but the direction of the push and how long to look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, RunError
from ...blocks.signals.discrete import Delay
from ..flat.probes import SignalGain, with_block
from ..program.started import started
from .confirm import Confirmation
from .linearise import linearise
from .margins import Margins, column_of
from .modes import Modes, modes

if TYPE_CHECKING:
    from ..run.simulation import Simulation
    from .locus import Locus

KICK = 1e-6  # of a state, or of one SI unit: what is not linear is a millionth of it
STEPS = 400_000  # of a run, at most
FINE = 0.1  # rad or share of a time constant, of a step
FOLDS = 3.0  # time constants that are looked at
TURNS = 10.0  # of a motion that hardly decays
SEEN = 0.25  # change of log |motion| over a look, below which it neither grows nor decays
BESIDE = 0.02  # share of a margin or a value, to either side of a border
CLOSE = 0.01  # of |lambda|: kick, Runge-Kutta at FINE and what else was pushed
MOST_MODES = 8
ROWS = 800  # of a look


@dataclass(frozen=True)
class Ringing:
    """Motion of the difference of two runs."""

    time: np.ndarray
    moved: np.ndarray  # (rows, states)

    def rate(self, weight: np.ndarray, turn: float) -> float:
        """Growth of the amplitude [1/s] over the later two thirds, largest values of each turn taken."""
        size = (abs(self.moved) * weight).max(axis=1)
        late = self.time >= self.time[-1] / 3.0
        time, size = self.time[late], size[late]
        count = max(4, min(60, int((time[-1] - time[0]) / turn))) if turn > 0.0 else 20
        parts = [part for part in np.array_split(np.arange(len(time)), count) if len(part)]
        peaks = [part[int(np.argmax(size[part]))] for part in parts]
        with np.errstate(divide="ignore"):
            logs = np.log(size[peaks])
        if not np.isfinite(logs).all():
            return math.nan
        return float(np.polyfit(time[peaks], logs, 1)[0])

    def root(self, shape: np.ndarray, weight: np.ndarray, guess: complex) -> complex:
        """lambda of exp(lambda t), of the part along a complex shape and its mirror image."""
        plane = np.column_stack([shape.real, shape.imag] if guess.imag else [shape.real]) * weight[:, None]
        part = np.linalg.lstsq(plane, (self.moved * weight).T, rcond=None)[0]
        z = part[0] - 1j * part[1] if guess.imag else part[0].astype(complex)
        # the shape times z, and its mirror image
        if not np.isfinite(z).all() or (z == 0.0).any():
            return complex(math.nan, math.nan)
        phase = np.unwrap(np.angle(z)) if guess.imag else np.zeros(len(z))
        growth = np.polyfit(self.time, np.log(abs(z)), 1)[0]
        return complex(growth, np.polyfit(self.time, phase, 1)[0])


def kicked(sim: Simulation, x: np.ndarray, push: np.ndarray, stop: float, step: float) -> Ringing:
    """The difference of two runs, one of which begins at x and one at x + push."""
    count = max(1, round(stop / step))
    every = max(1, count // ROWS)
    runs = []
    for start in (x, x + push):
        one = sim.twin()
        one.x0[:] = start
        session = one.start(stop=every * step * math.ceil(count / every), step=step, output_step=every * step)
        rows = [session.x[: len(x)].copy()]
        while session.status == "running":
            session.advance(steps=every)
            rows.append(session.x[: len(x)].copy())
        if session.status != "finished":
            raise RunError(session.message or f"the run is {session.status}")
        runs.append(np.array(rows))
    moved = runs[1] - runs[0]
    return Ringing(every * step * np.arange(len(moved)), moved)


def kick_of(shape: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A small push along a shape."""
    push = np.real(shape)
    size = (abs(push) / np.maximum(1.0, abs(x))).max(initial=0.0)
    return push * (KICK / size) if size > 0.0 else push


def step_of(sim: Simulation, fast: float) -> float:
    """A step that divides that of the netlist and follows this frequency [rad/s]."""
    step = sim.settings.step
    return step / max(1, math.ceil(step * fast / FINE))


def look_of(root: complex, folds: float = FOLDS) -> float:
    """How long a motion is looked at [s]."""
    decaying = folds / abs(root.real) if root.real else math.inf
    turning = 2.0 * math.pi * TURNS / abs(root.imag) if root.imag else math.inf
    return min(decaying, turning) if math.isfinite(min(decaying, turning)) else 1.0


def by_run_of_modes(sim: Simulation, told: Modes) -> Iterator[Confirmation]:
    """A run for each of the first modes, pushed along its shape: its decay and frequency."""
    n = len(sim.x0)
    some = [k for k, sign in enumerate(told.signs) if sign != "stays"][:MOST_MODES]
    for k in some:
        s = complex(told.eigenvalues[k])
        name, value, expected = f"mode {k + 1}", f"{abs(s):.5g} rad/s", words_of_root(s)
        shape, weight = told.shapes[:n, k], told.weights[:n, k]
        if told.half_sampling[k] < math.inf:
            weight = np.where(weight > 0.0, 1.0, 0.0)
        step, stop = step_of(sim, abs(s)), look_of(s)
        if s == 0.0 or stop / step > STEPS or not (abs(shape) * weight).any():
            yield Confirmation(name, value, expected, "no run: it is too slow", None)
            continue
        try:
            ringing = kicked(sim, told.x[:n], kick_of(shape, told.x[:n]), stop, step)
        except LuffError as error:
            yield Confirmation(name, value, expected, f"no run: {error.problems[0].message}", None)
            continue
        seen = ringing.root(shape, weight, s)
        agrees = bool(abs(seen - s) <= CLOSE * abs(s)) if np.isfinite(seen) else None
        yield Confirmation(name, value, expected, words_of_root(seen), agrees)


def words_of_root(s: complex) -> str:
    turning = f"{abs(s.imag):.5g} rad/s, " if s.imag else ""
    return f"{turning}{'grows' if s.real > 0.0 else 'decays'} at {abs(s.real):.4g} 1/s"


def judged(varied: str, value: str, sim: Simulation, near: float, grows: bool) -> Confirmation:
    """A run pushed along the mode of a model that is nearest to leaving, at about this frequency."""
    expected = "grows" if grows else "decays"
    try:
        told = modes(sim)
    except LuffError as error:
        return Confirmation(varied, value, expected, f"no run: {error.problems[0].message}", None)
    n = len(sim.x0)
    movable = [k for k, sign in enumerate(told.signs) if sign != "stays" and told.shapes[:n, k].any()]
    if not movable:
        return Confirmation(varied, value, expected, "no run: no state moves", None)
    span = 0.2 * near + 1e-9
    beside = [k for k in movable if abs(told.eigenvalues[k].imag - near) <= span] or movable
    k = max(beside, key=lambda k: told.eigenvalues[k].real)
    s = complex(told.eigenvalues[k])
    stop = min(FOLDS / abs(s.real), 1e9) if s.real else 1e9
    step = step_of(sim, abs(s))
    if stop / step > STEPS:
        return Confirmation(varied, value, expected, "no run: it is too slow", None)
    try:
        ringing = kicked(sim, told.x[:n], kick_of(told.shapes[:n, k], told.x[:n]), stop, step)
    except LuffError as error:
        return Confirmation(varied, value, expected, f"no run: {error.problems[0].message}", None)
    weight = np.where(told.weights[:n, k] > 0.0, 1.0 / np.maximum(abs(told.shapes[:n, k]).max(), 1e-300), 0.0)
    rate = ringing.rate(weight, 2.0 * math.pi / abs(s.imag) if s.imag else 0.0)
    if not abs(rate) * stop * 2.0 / 3.0 > SEEN:
        return Confirmation(varied, value, expected, "neither grows nor decays", None)
    seen = f"{'grows' if rate > 0.0 else 'decays'}, {abs(rate):.4g} 1/s"
    return Confirmation(varied, value, expected, seen, (rate > 0.0) is grows)


def by_run_of_margins(sim: Simulation, told: Margins) -> Iterator[Confirmation]:
    """Runs with a gain or a delay in the cut wire, just inside and just outside of each margin."""
    if told.stability != "stable":
        return
    flat = sim.program.flat
    around = at_rest(sim, told.cut)

    def gained(factor: float) -> Simulation:
        block = SignalGain("@gain", {"factor": factor, "around": around})
        return sim.twin(started(with_block(flat, told.cut, block)))

    def late(delay: float) -> Simulation:
        block = Delay("@delay", {"delay": delay, "initial": around})
        return sim.twin(started(with_block(flat, told.cut, block)))

    beyond = {"gain": (told.gain, told.gain_frequency, 1.0), "gain, lower": (told.gain_low, None, -1.0)}
    for name, (margin, w, way) in beyond.items():
        if not math.isfinite(margin) or margin <= 0.0:
            continue
        near = told.gain_low_frequency if w is None else w
        for factor, grows in ((inside(margin), False), (margin * (1.0 + way * BESIDE), True)):
            yield judged(f"{name} at {told.cut}", f"{factor:.5g}", gained(factor), near, grows)
    if math.isfinite(told.delay):
        for factor, grows in ((1.0 - BESIDE, False), (1.0 + BESIDE, True)):
            delay = told.delay * factor
            value, varied = f"{delay:.5g} s", f"delay at {told.cut}"
            try:
                yield judged(varied, value, late(delay), told.delay_frequency, grows)
            except LuffError as error:
                expected = "grows" if grows else "decays"
                yield Confirmation(varied, value, expected, f"no run: {error.problems[0].message}", None)


def inside(margin: float) -> float:
    """A factor between one and a margin, close to the margin."""
    beside = margin * (1.0 - BESIDE) if margin > 1.0 else margin * (1.0 + BESIDE)
    return beside if (beside > 1.0) is (margin > 1.0) else 0.5 * (1.0 + margin)


def at_rest(sim: Simulation, cut: str) -> float:
    """The cut signal where the closed loop rests."""
    return float(linearise(sim, 0.0, "equilibrium", [cut], [column_of(sim, cut)]).u[0])


def by_run_of_locus(sim: Simulation, told: Locus) -> Iterator[Confirmation]:
    """Runs with the parameter just below and just above each border."""
    from ..flat.flatten import flatten

    for limit in told.limits:
        for share in (-BESIDE, BESIDE):
            value = limit.value + share * (abs(limit.value) or told.values[-1] - told.values[0])
            flat = flatten(sim.diagram, {**sim.overrides, told.parameter: value})
            grows = (share < 0.0) is not limit.stable_below
            shown = f"{value:.6g} {told.unit}".rstrip()
            yield judged(told.parameter, shown, sim.twin(started(flat)), limit.frequency, grows)
