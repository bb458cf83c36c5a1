"""Runs that are pushed a little off a state: whether the push grows or decays, how fast, and at which frequency.

Two runs begin beside each other, one of them pushed along a mode. Their difference is a small motion about whatever the
other one does: it swings with the frequency of the mode, and grows or decays as it does. Nothing of the linear model is
used but the direction of the push and how long to look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...blocks.errors import LuffError, RunError
from ...blocks.signals.memory_blocks import Delay
from ..flatten.analysis_points import SignalGain, with_block
from ..flatten.flatten import flatten
from ..program.started_program import started
from .confirmation import Confirmation
from .eigenvalues import Complex
from .linearise import linearise
from .natural_modes import Modes, modes
from .stability_margins import Margins, probe_column

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation
    from .root_locus import Locus

KICK = 1e-6  # of a state, or of one SI unit: what is not linear is a millionth of it
STEPS = 4_000_000  # of a run, at most
FINE = 0.1  # rad or share of a time constant, of a step
FOLDS = 3.0  # time constants that are looked at
TURNS = 10.0  # of a motion that hardly decays
SEEN = 0.25  # change of log |motion| over a look, below which it neither grows nor decays
BESIDE = 0.02  # share of a margin or a value, to either side of a border
CLOSE = 0.01  # of |lambda|: kick, Runge-Kutta at FINE and what else was pushed
NEARBY = 0.3  # of a frequency: how far a root may have moved from the border beside which it is looked for
MOST_MODES = 8
ROWS = 800  # of a look at growth
MIN_ROWS = 60
TURN = 0.1  # rad or share of a time constant, from row to row of a look at a mode
CHANNELS = 4  # states that are looked at
ORDER = 24  # of what is identified
NOISE = 1e-8  # of singular values: a push of KICK is a difference of ten digits


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

    def later(self, after: float) -> Ringing:
        """The rest, from a time on: a loop with delays has forgotten by then how it was pushed."""
        late = self.time >= after
        return Ringing(self.time[late] - after, self.moved[late])

    def roots(self, weight: np.ndarray) -> Complex:
        """lambda of all exp(lambda t) in the motion, by its Hankel matrix (Juang and Pappa, 1985)."""
        data = self.moved * weight
        some = np.argsort(-abs(data).max(axis=0), kind="stable")[:CHANNELS]
        data = data[:, [k for k in some if data[:, k].any()]]
        rows, count = data.shape[0] // 2, data.shape[1]
        if not count or not np.isfinite(data).all():
            return np.zeros(0, complex)
        data = data / abs(data).max(axis=0)
        columns = len(data) - rows + 1
        hankel = np.vstack([data[k : k + columns].T for k in range(rows)])
        U, sizes, _ = np.linalg.svd(hankel, full_matrices=False)
        U = U[:, : min(ORDER, int((sizes > NOISE * sizes[0]).sum()))]
        z = np.linalg.eigvals(np.linalg.lstsq(U[:-count], U[count:], rcond=None)[0]).astype(complex)
        z = z[abs(z) > 0.0]
        return (np.log(z) / (self.time[1] - self.time[0])).astype(complex)


def push_response(
    sim: Simulation, x: np.ndarray, push: np.ndarray, stop: float, step: float, wide: float
) -> Ringing:
    """The difference of two runs in rows about `wide` apart, one of which begins at x and one at x + push."""
    every = max(1, round(wide / step))
    count = max(MIN_ROWS, math.ceil(stop / (every * step)))
    runs, paced = [], with_step(sim, step)
    for start in (x, x + push):
        one = paced.twin()
        one.x0[:] = start
        session = one.start(stop=count * every * step, output_step=every * step)
        rows = [session.x[: len(x)].copy()]
        while session.status == "running":
            session.advance(steps=every)
            rows.append(session.x[: len(x)].copy())
        if session.status != "finished":
            raise RunError(session.message or f"the run is {session.status}")
        runs.append(np.array(rows))
    moved = runs[1] - runs[0]
    return Ringing(every * step * np.arange(len(moved)), moved)


def with_step(sim: Simulation, step: float) -> Simulation:
    """Simulation for another step, to which its memories are sized."""
    if step == sim.settings.step:
        return sim
    flat = replace(sim.program.flat, simulation=copy(sim.program.flat.simulation))
    flat.simulation.step = step
    return sim.twin(started(flat))


def mode_push(told: Modes, k: int, n: int) -> np.ndarray:
    """A small push along the states that make a mode."""
    push = np.where(told.weights[:n, k] > 0.0, np.real(told.shapes[:n, k]), 0.0)
    size = (abs(push) / np.maximum(1.0, abs(told.x[:n]))).max(initial=0.0)
    return push * (KICK / size) if size > 0.0 else push


def observation_step(sim: Simulation, fast: float) -> float:
    """A step that divides that of the netlist and follows this frequency [rad/s]."""
    step = sim.settings.step
    return step / max(1, math.ceil(step * fast / FINE))


def observation_time(root: complex, folds: float = FOLDS) -> float:
    """Time for which a motion is observed [s]."""
    decaying = folds / abs(root.real) if root.real else math.inf
    turning = 2.0 * math.pi * TURNS / abs(root.imag) if root.imag else math.inf
    return min(decaying, turning) if math.isfinite(min(decaying, turning)) else 1.0


def confirm_modes(sim: Simulation, told: Modes) -> Iterator[Confirmation]:
    """A run for each of the first modes, pushed along its shape: its decay and frequency.

    Of a loop with delays, whose motion is none of its modes alone, the one that lasts longest is looked at.
    """
    lasting = [k for k in range(len(told.signs)) if told.signs[k] != "stays" and told.eigenvalues[k] != 0.0]
    some = [
        k
        for k in lasting
        if not told.lags[k]
        or told.eigenvalues[k].real
        == max(told.eigenvalues[j].real for j in lasting if told.parts[j] == told.parts[k])
    ]
    for k in some[:MOST_MODES]:
        s = complex(told.eigenvalues[k])
        name, value, expected = f"mode {k + 1}", f"{abs(s):.5g} rad/s", root_words(s)
        try:
            found = identified_roots(sim, told, k)
        except LuffError as error:
            yield Confirmation(name, value, expected, no_run_words(error), None)
            continue
        if not len(found):
            yield Confirmation(name, value, expected, "no motion of that kind", None)
            continue
        seen = complex(found[np.argmin(abs(found - s))])
        yield Confirmation(name, value, expected, root_words(seen), bool(abs(seen - s) <= CLOSE * abs(s)))


def no_run_words(error: LuffError) -> str:
    """Outcome of a run that could not be made, with its reason."""
    return f"no run: {error.problems[0].message}"


def identified_roots(sim: Simulation, told: Modes, k: int) -> Complex:
    """Roots in the motion after a push along a mode."""
    n, s = len(sim.x0), complex(told.eigenvalues[k])
    push, weight = mode_push(told, k, n), told.weights[:n, k]
    step, after = observation_step(sim, abs(s)), 2.0 * told.lags[k]
    stop = after + observation_time(s)
    if stop / step > STEPS:
        raise RunError("it is too slow for the step")
    if not push.any():
        raise RunError("no state moves in it")
    return push_response(sim, told.x[:n], push, stop, step, TURN / abs(s)).later(after).roots(weight)


def root_words(s: complex) -> str:
    turning = f"{abs(s.imag):.5g} rad/s, " if s.imag else ""
    return f"{turning}{'grows' if s.real > 0.0 else 'decays'} at {abs(s.real):.4g} 1/s"


def judged(
    varied: str, value: str, sim: Simulation, near: float, grows: bool, x: np.ndarray | str = "equilibrium"
) -> Confirmation:
    """A run pushed along the mode of a model that is nearest to leaving, at about this frequency."""
    expected = "grows" if grows else "decays"
    try:
        rate, span = growth(sim, near, x)
    except LuffError as error:
        return Confirmation(varied, value, expected, no_run_words(error), None)
    if not abs(rate) * span > SEEN:
        return Confirmation(varied, value, expected, "neither grows nor decays", None)
    seen = f"{'grows' if rate > 0.0 else 'decays'}, {abs(rate):.4g} 1/s"
    return Confirmation(varied, value, expected, seen, (rate > 0.0) is grows)


def growth(sim: Simulation, near: float, x: np.ndarray | str) -> tuple[float, float]:
    """Rate [1/s] at which a push grows, and the time [s] over which it was seen."""
    told = modes(sim, x=x)
    n = len(sim.x0)
    movable = [k for k, sign in enumerate(told.signs) if sign != "stays" and mode_push(told, k, n).any()]
    if not movable:
        raise RunError("no state moves")
    span = NEARBY * near + 1e-9
    beside = [k for k in movable if abs(told.eigenvalues[k].imag - near) <= span]
    beside = beside or [k for k in movable if told.signs[k] == "grows"]
    if not beside:
        raise RunError("no mode is near this frequency")
    k = max(beside, key=lambda k: told.eigenvalues[k].real)
    s = complex(told.eigenvalues[k])
    step, after = observation_step(sim, abs(s)), 2.0 * told.lags[k]
    stop = after + (FOLDS / abs(s.real) if s.real else math.inf)
    if not stop / step < STEPS:
        raise RunError("it is too slow for the step")
    ringing = push_response(sim, told.x[:n], mode_push(told, k, n), stop, step, stop / ROWS).later(after)
    weight = np.where(told.weights[:n, k] > 0.0, 1.0, 0.0) / np.maximum(abs(told.shapes[:n, k]), 1e-300)
    weight[told.shapes[:n, k] == 0.0] = 0.0
    rate = ringing.rate(weight, 2.0 * math.pi / abs(s.imag) if s.imag else 0.0)
    return rate, 2.0 / 3.0 * (stop - after)


def confirm_margins(sim: Simulation, told: Margins) -> Iterator[Confirmation]:
    """Runs with a gain or a delay in the cut wire, just inside and just outside of each margin."""
    if told.stability != "stable":
        return
    lin = linearise(sim, 0.0, "equilibrium", [told.cut], [probe_column(sim, told.cut)])
    around, x = float(lin.u[0]), told.x
    for name, margin, w, way in (
        ("gain", told.gain, told.gain_frequency, 1.0),
        ("gain", told.gain_low, told.gain_low_frequency, -1.0),
    ):
        if not math.isfinite(margin) or margin <= 0.0:
            continue
        for factor, grows in ((inside(margin), False), (margin * (1.0 + way * BESIDE), True)):
            block = SignalGain("@gain", {"factor": factor, "around": around})
            changed = sim.twin(started(with_block(sim.program.flat, told.cut, block)))
            yield judged(f"{name} at {told.cut}", f"{factor:.5g}", changed, w, grows, x)
    if not math.isfinite(told.delay):
        return
    # whole steps, or whole periods of samplers: what is delayed by a part of one is another signal between samples
    step = observation_step(sim, max(told.delay_frequency, FINE / BESIDE / told.delay))
    beside, whole = (0.0, told.period) if told.period else (BESIDE, step)
    paced = sim if told.period else with_step(sim, step)
    for share, grows in ((-beside, False), (beside, True)):
        count = told.delay * (1.0 + share) / whole
        delay = whole * (math.floor(count) + 1 if grows else math.ceil(count) - 1)
        if not delay > 0.0:
            continue
        block = Delay("@delay", {"delay": delay, "initial": around})
        changed = paced.twin(started(with_block(paced.program.flat, told.cut, block)))
        yield judged(f"delay at {told.cut}", f"{delay:.5g} s", changed, told.delay_frequency, grows, x)


def inside(margin: float) -> float:
    """A factor between one and a margin, close to the margin."""
    beside = margin * (1.0 - BESIDE) if margin > 1.0 else margin * (1.0 + BESIDE)
    return beside if (beside > 1.0) is (margin > 1.0) else 0.5 * (1.0 + margin)


def confirm_locus(sim: Simulation, told: Locus) -> Iterator[Confirmation]:
    """Runs with the parameter just below and just above each border."""
    for limit in told.limits:
        for share in (-BESIDE, BESIDE):
            value = limit.value + share * (abs(limit.value) or told.values[-1] - told.values[0])
            flat = flatten(sim.diagram, {**sim.overrides, told.parameter: value})
            grows = (share < 0.0) is not limit.stable_below
            shown = f"{value:.6g} {told.unit}".rstrip()
            yield judged(told.parameter, shown, sim.twin(started(flat)), limit.frequency, grows)
