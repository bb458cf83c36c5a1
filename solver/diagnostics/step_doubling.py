"""Local error of single steps by step doubling, taken beside a run without affecting it.

From a saved state one step is taken whole and in two halves. For a method of order p the error of the whole step is
their difference times 2^p / (2^p - 1) (Hairer, Norsett and Wanner I, II.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...blocks.light_dataclass import mutable
from ..integrators.method_table import method_of
from ..integrators.run_data import COUNT, EVERY, FILM, FIRST, PAUSE, START, STEP
from ..simulation.constraint_state import state_names

if TYPE_CHECKING:
    from ..simulation.run_state import RunState

Floats = npt.NDArray[np.float64]

EPS = float(np.finfo(float).eps)
UNSEEN = 1e-3  # share of a state's range below which a summed error needs no exact account of rounding
WORK = "the work of drives and losses"


@mutable
class StepErrorSample:
    """Local error of each state in one step, or in some steps behind a change."""

    time: float
    x: Floats
    error: Floats
    names: list[str]  # as the states were called then
    rounding: (
        Floats  # change of the step by two bits of each state; 0 where the error asked for no such account
    )

    def name(self, state: int) -> str:
        """Name of a state, or of the energies behind them."""
        return self.names[state] if state < len(self.names) else WORK

    @property
    def sizes(self) -> Floats:
        """Magnitudes of the states, at least their errors."""
        return np.fmax(abs(self.x), self.error)


@mutable
class SavedRun:
    """Saved state of a run: all that a step changes."""

    time: float
    x: np.ndarray
    w: np.ndarray
    choices: list[np.ndarray]  # what the states stand for, where constraints choose them


def save_run(session: RunState) -> SavedRun:
    """Save the state of a run."""
    run = session.instance
    return SavedRun(session.time, session.x.copy(), run.w.copy(), [array.copy() for array in run.choices])


def restore_run(session: RunState, kept: SavedRun) -> None:
    """Restore a saved state."""
    run = session.instance
    session.x[:] = kept.x
    run.w[:] = kept.w
    for ours, theirs in zip(run.choices, kept.choices, strict=True):
        ours[...] = theirs


def compare_step_halving(session: RunState, kept: SavedRun, step: float, count: int = 1) -> StepErrorSample:
    """Error of `count` steps from a saved state by step doubling; the session ends there again.

    For a single step the effect of two bits of rounding in each state is subtracted. That takes a third step, which is
    skipped where the error is negligible against the ranges so far.
    """
    run = session.instance
    number, real, ranges = run.number.copy(), run.real.copy(), spans(session)
    halves = stepped(session, kept, kept.x, 0.5 * step, 2 * count)
    whole = stepped(session, kept, kept.x, step, count)
    error = abs(whole - halves)
    error *= 1.0 + 1.0 / (2.0 ** method_of(session.method).order - 1.0)
    rounding = np.zeros(len(error))
    if count == 1 and not (error * session.steps <= UNSEEN * ranges).all():
        bits = np.ones(len(kept.x))
        bits[::2], bits[1::2] = 1.0 - 4.0 * EPS, 1.0 + 4.0 * EPS
        apart = abs(stepped(session, kept, kept.x * bits, step, count) - whole)
        rounding = np.where(apart < np.inf, apart, 0.0)
        error -= np.fmin(rounding, error)
    error[error != error] = np.inf
    restore_run(session, kept)
    run.number[:], run.real[:] = number, real
    return StepErrorSample(kept.time, kept.x.copy(), error, state_names(run), rounding)


def spans(session: RunState) -> Floats:
    """Range of each state over the steps so far."""
    run = session.instance
    return run.sections.part(run.w, "highest") - run.sections.part(run.w, "lowest")


def stepped(session: RunState, kept: SavedRun, x: Floats, step: float, count: int) -> Floats:
    """State after `count` steps from a saved state: nothing is recorded, sampled blocks hold."""
    run = session.instance
    restore_run(session, kept)
    session.x[:] = x
    run.number[FIRST], run.number[COUNT], run.number[EVERY], run.number[FILM] = 0, count, count + 1, 0
    run.real[START], run.real[STEP], run.real[PAUSE] = kept.time, step, 0.0
    run.advance(session.scratch_run)
    return session.x.copy()
