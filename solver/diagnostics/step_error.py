"""Estimated error of a run by its step size, for every state against its own range, and a step that would do.

Definition. The local error of a step of order p is found by step doubling, |x_h - x_(h/2, h/2)| 2^p / (2^p - 1), less
the effect of rounding the state. The error of a state over the run is the sum of its local errors over all steps; its
scale is the range of the state in the run. The estimate is the largest quotient: 0.1 is an error of a tenth of all
that this state did. Energies (work of drives, losses) are compared with the largest change of energy, as in their
balance.

Samples. Local errors and energies are taken at a few instants, unevenly spread so that no period of a model coincides.
Between two instants the smaller of both errors counts: a lower sum, to which a kink that one of them happens to meet
adds nothing. Where a block declares a sign change, that step and those that follow are sampled and added. An error that
decays counts as long as its mode lives, by the eigenvalues at the worst instant. Later growth of an error, and kinks
that no block declares, are not in the estimate.

Verdict: `fine` up to CLAIMED if energies balance to UNBALANCED, else `too long`; `not known` for steps of variable
length, or too few.
"""

from __future__ import annotations

import math
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable
from ..initial.static_equilibrium import BALANCED
from ..integrators.method_table import method_of
from ..integrators.run_data import COUNTED
from ..kernels import model_data as f
from ..results.recorded_run import Quality
from ..simulation.constraint_state import state_names
from ..simulation.gas_compressibility import gas_softness, without_cavities
from .step_doubling import (
    EPS,
    WORK,
    Floats,
    SavedRun,
    StepErrorSample,
    compare_step_halving,
    restore_run,
    save_run,
    spans,
)

if TYPE_CHECKING:
    from ..simulation.run_state import RunState

# claims on a run without a warning
CLAIMED = 0.1  # largest error of a state over its range
UNBALANCED = 0.005  # largest residual of the energy balance over the largest change of an energy
OPEN = 1e-6  # [m or rad] largest violation of constraints that are solved for
MARGIN = 5.0  # factor by which a suggested step is better than that

# cost of the samples
INSTANTS = 24  # instants of a run, four steps each
FOLLOWED = 8  # steps sampled from a sign change on, each taken three times
FIRST_LOOKS = 8  # sign changes sampled in any run
SHARE = 0.05  # cost of further samples over the steps of the run
RARELY = 64  # sign changes from one sample to the next once that is spent
HALVINGS = 24  # most halvings in the search for a sufficient step
MOST_STATES = 150  # most states for which eigenvalues are computed

HALF = EPS**0.5  # half of the digits
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0  # its multiples are spread most evenly in (0, 1), and have no period
GROWN = 1e4  # growth over the start (or 1 SI unit) that with errors as large as the state means divergence

Complex = npt.NDArray[np.complex128]


def eigendecomposition(A: np.ndarray) -> tuple[Complex, Complex]:
    """Eigenvalues and eigenvectors as complex arrays."""
    values, vectors = np.linalg.eig(A)
    return values.astype(complex), vectors.astype(complex)


@mutable
class Mode:
    """Fastest mode about a state: eigenvalue [rad/s] and the state with the largest share."""

    rate: complex = 0j
    name: str = ""


@mutable
class Estimate:
    """State with the largest error over its range; its range, and the time of its largest local error."""

    share: float = 0.0
    state: int = -1
    name: str = ""
    range: float = 0.0
    time: float = 0.0


@mutable
class StepErrorEstimate:
    """Samples of one run and the estimate from them."""

    instants: list[StepErrorSample] = field(default_factory=list)
    worst: SavedRun | None = None
    changes: list[StepErrorSample] = field(
        default_factory=list
    )  # scaled up for sign changes that were not sampled
    energies: list[list[float]] = field(
        default_factory=list
    )  # kinetic, gravity, elastic, and work of each kind
    _looked: int = -FOLLOWED  # number of the step before the last sampled sign change
    _counted: int = 0  # sign changes that the samples so far stand for
    _said: list[str] | None = None
    _share: float = 0.0  # relative error at the worst instant
    _estimate: Estimate | None = None
    _estimated: int = -1  # number of steps at that estimate

    # --- samples along the run -----------------------------------------------------------------------------------

    def due(self, session: RunState) -> int:
        """Number of the step before which the next sample is due; beyond the last if none is."""
        count, k = min(INSTANTS, max(2, session.steps // 4)), len(self.instants)
        if method_of(session.method).adaptive or k >= count:
            return session.steps + 1
        spread = (k * GOLDEN) % 1.0 - 0.5 if 0 < k < count - 1 else 0.0
        return int((k + spread) * (session.steps - 1) / (count - 1))

    def next_change(self, session: RunState) -> int:
        """Value of COUNTED at which the next sign change is sampled; 0 if none is."""
        if not len(session.instance.program.switches):
            return 0
        affordable = FOLLOWED * 3 * len(self.changes) <= SHARE * session.done + 3 * FOLLOWED * FIRST_LOOKS
        return int(session.instance.real[COUNTED]) + (1 if affordable else RARELY)

    def look_at_change(self, session: RunState, before: np.ndarray) -> None:
        """Sample the last step, in which a sign changed, and those that follow."""
        seen = int(session.instance.real[COUNTED])
        if seen == self._counted:
            return
        first = session.done - 1
        if first >= self._looked + FOLLOWED:
            with np.errstate(all="ignore"):
                here = save_run(session)
                begun = SavedRun(first * session.step_size, before.copy(), here.w, here.choices)
                count = min(FOLLOWED, session.steps - first)
                step = compare_step_halving(session, begun, session.step_size, count)
                restore_run(session, here)
                step.error *= seen - self._counted
                self.changes.append(step)
            self._looked = first
        self._counted = seen

    def sample_step(self, session: RunState) -> None:
        """Sample one step: whole, in halves, and once more from a state rounded differently."""
        here = save_run(session)
        with np.errstate(all="ignore"):
            step = compare_step_halving(session, here, session.step_size)
            self.instants.append(step)
            self.look_at_energy(session)
            restore_run(session, here)
            sizes = np.fmax(step.sizes, HALF * session.state_units.largest_of_unit(step.sizes))
            share = float((step.error / np.fmax(sizes, 1e-300)).max(initial=0.0))
            if self.worst is None or share >= self._share:
                self.worst, self._share = here, share

    def look_at_energy(self, session: RunState) -> None:
        """Sample kinetic, gravity and elastic energy and the work of each kind [J]."""
        n = len(session.instance.program.x0)
        self.energies.append(
            [*session.instance.energy(session.time, session.x).values(), *session.x[n:].tolist()]
        )

    # --- estimate ------------------------------------------------------------------------------------------------

    def energy_scale(self, ends: list[list[float]]) -> float:
        """Largest kinetic energy, or change of another energy or of work, among the samples and `ends` [J].

        Potential energies have no zero of their own: only their changes count.
        """
        seen = np.array([*self.energies, *ends])
        return float(max(seen[:, 0].max(), np.ptp(seen, axis=0).max())) if seen.size else 0.0

    def figures(self, session: RunState, missing: float = 0.0) -> Quality:
        """Quality entries of the step error: estimate, state, time, verdict; `missing`: relative residual of energy."""
        if len(self.instants) < 2:
            return {"step_error": {"verdict": "not known"}} if len(session.x) else {}
        with np.errstate(all="ignore"):
            found = self._current_estimate(session)
        return {
            "step_error": {
                "estimate": found.share,
                "state": found.name,
                "time": found.time,
                "range": found.range,
                "verdict": "fine" if found.share <= CLAIMED and balanced(session, missing) else "too long",
            }
        }

    def _current_estimate(self, session: RunState) -> Estimate:
        """Estimate after the steps so far, cached."""
        if self._estimate is None or self._estimated != session.done:
            error, scale = self._summed_error(session), self.ranges(session)
            found = self._worst_state(error, scale)
            if not found.share <= CLAIMED:
                # errors of decaying modes were added as if they lasted: corrected only where it matters
                found = self._worst_state(np.fmin(error, self._life_weighted_error(session, error)), scale)
            self._estimate, self._estimated = found, session.done
        return self._estimate

    def ranges(self, session: RunState) -> Floats:
        """Range of each state over all steps; of energies, the largest change of any.

        Of a state that did next to nothing beside others of its unit, half the digits of these count as its range; so
        do the rounding of steps of its unit, summed over the run, and what a start that is balanced to BALANCED moves:
        a model at rest does no more. That of bristles between shapes is infinite: beyond its limit such a bristle bends
        by whole steps and its force does not, and what its error does shows in the motion that it brakes.
        """
        scale, units = spans(session), session.state_units
        rounding = np.array([each.rounding for each in self.instants]).max(axis=0) * session.done
        left = BALANCED * np.array([abs(each.x) for each in self.instants]).max(axis=0)
        least = np.fmax(units.largest_of_unit(rounding), units.largest_of_unit(left))
        for unit, size in units.largest(left).items():
            rates = units.places.get(f"{unit}/s", [])  # a step that moves their positions by that
            least[rates] = np.fmax(least[rates], size / session.step_size)
        scale = np.fmax(np.fmax(scale, HALF * units.largest_of_unit(scale)), least)
        n = len(session.instance.program.x0)
        scale[n:] = self.energy_scale([])
        state, element = session.instance.model.state, session.instance.model.element
        bristles = state[state[:, f.ST_KIND] == f.SLIP_STATE]
        touching = element[bristles[:, f.ST_ROW], f.E_KIND] == f.TOUCH
        scale[bristles[touching, f.ST_AT]] = np.inf
        return scale

    def _summed_error(self, session: RunState) -> Floats:
        """Local errors summed over all steps; at least the largest that was sampled."""
        times = np.array([each.time for each in self.instants])
        errors = np.array([each.error for each in self.instants])
        lengths = np.diff(times)
        total = session.done * (lengths @ np.minimum(errors[:-1], errors[1:])) / max(lengths.sum(), 1e-300)
        for each in self.changes:
            total += each.error
        return np.maximum(total, errors.max(axis=0))

    def _life_weighted_error(self, session: RunState, error: Floats) -> Floats:
        """Errors weighted by the life of their modes: sum of |R|^k over the steps k, in place of their number."""
        mode = self._at_worst_instant(session, linearised)
        n = len(session.instance.program.x0)
        lasting = error.copy()
        if mode is None:
            return lasting
        values, vectors = eigendecomposition(mode)
        h, N = session.step_size, max(session.done, 1)
        decay = np.exp(np.fmin(values.real, 0.0) * h)
        last = np.where(decay < 1.0, (1.0 - decay**N) / np.fmax(1.0 - decay, EPS), N) / N
        try:
            parts = vectors * np.linalg.solve(vectors, error[:n].astype(complex))
        except np.linalg.LinAlgError:
            return lasting
        largest = np.array([each.error for each in self.instants]).max(axis=0)[:n]
        jumps = sum((each.error[:n] for each in self.changes), np.zeros(n))
        lasting[:n] = np.maximum(abs(parts) @ last, np.maximum(largest, jumps))
        return lasting

    def _worst_state(self, error: Floats, scale: Floats) -> Estimate:
        """Estimate of the state with the largest error over range; NaN counts as infinite."""
        share = np.where(error > 0.0, error / np.fmax(scale, 1e-300), 0.0)
        share[error != error] = np.inf  # NaN is unknown, not below a limit
        i = int(share.argmax()) if len(share) else -1
        if i < 0 or share[i] == 0.0:
            return Estimate(time=self.instants[0].time)
        worst = max(self.instants + self.changes, key=lambda each: np.nan_to_num(each.error[i], nan=np.inf))
        return Estimate(float(share[i]), i, worst.name(i), float(scale[i]), worst.time)

    # --- messages ------------------------------------------------------------------------------------------------

    def runaway_problem(self, session: RunState) -> Problem | None:
        """Problem of a run whose states grew by its steps, not by a motion of the model, or None."""
        if not self.instants:
            return None
        start = np.fmax(session.state_units.largest_of_unit(abs(self.instants[0].x)), 1.0)
        for before, after in pairwise(self.instants):
            with np.errstate(invalid="ignore"):  # an infinite error of what is infinite is none that is known
                shares = [each.error / np.fmax(each.sizes, 1e-300) for each in (before, after)]
            lost = np.minimum(*shares)
            n = len(after.names)
            for i in np.flatnonzero(((lost > CLAIMED) & (after.sizes > GROWN * start))[:n]).tolist():
                name, unit = after.name(i), session.instance.program.state_units[i]
                shown = f"{after.sizes[i]:.2g} {unit}".strip()
                what = (
                    f"this run has run away: {name} came to {shown} at t = {after.time:.4g} s, and there one step "
                    f"and two halves of it differ by {100.0 * min(lost[i], 1.0):.0f} % of that"
                )
                rate = abs(self._at_worst_instant(session, fastest_eigenvalue).rate)
                return Problem(what, name, advice(session, accurate_oscillation_step(session, rate)))
        return None

    def notes(self, session: RunState, quality: Quality) -> list[str]:
        """Warnings of a finished run."""
        if self._said is None:
            with np.errstate(all="ignore"):
                self._said = list(self._warnings(session, quality))
        return self._said

    def _warnings(self, session: RunState, quality: Quality):
        """Warnings about step error, energy and violations."""
        found = self._current_estimate(session) if len(self.instants) > 1 else Estimate()
        missing = quality.get("energy", {}).get("relative_residual", 0.0)
        what = []
        if not found.share <= CLAIMED:
            size = f"{100 * found.share:.2g} %" if found.share < 1.0 else "all"
            unit = [*session.instance.program.state_units, *["J"] * session.instance.program.trailing][
                found.state
            ]
            spanned = f"{found.range:.3g} {unit}".strip()
            what.append(
                f"{found.name} may be off by {size} of its range of {spanned} "
                f"(the step near t = {found.time:.4g} s)"
            )
        if not balanced(session, missing):
            what.append(f"the energies do not balance by {100 * missing:.2g} % of the largest change of one")
        if what:
            yield self._long_step_warning(session, found, missing, what)
        violation = quality.get("constraint_violation", 0.0)
        solved = session.instance.model.option[f.O_METHOD] != f.BAUMGARTE
        if solved and not violation <= OPEN:
            yield (
                f"constraints were violated by {violation:.2g} m or rad during the run, where {OPEN:g} was to be "
                "expected: take a shorter step, and look for positions that the mechanism can hardly reach"
            )

    def _long_step_warning(self, session: RunState, found: Estimate, missing: float, what: list[str]) -> str:
        """Warning of a step that is too long, with the fastest mode and a step that would do."""
        h, mode, step = session.step_size, Mode(), None
        if self.worst is not None:  # adaptive methods have none
            mode = self._at_worst_instant(session, fastest_eigenvalue)
            step = self._at_worst_instant(
                session, lambda _, worst: self._sufficient_step(session, worst, missing)
            )
        rate, limit = (
            abs(mode.rate),
            method_of(session.method).largest_step(mode.rate) if mode.rate else math.inf,
        )
        if step is not None and step > limit:
            step = round_to_125(limit)  # cavitated oil shows no error
        why = ""
        name = found.name
        if rate * h >= 1.0:
            name = mode.name
            why = f"; its motion there has a rate of {rate:.3g} rad/s"
            if h > limit:
                why += f", for which {session.method} is unstable above {limit:.3g} s"
        elif missing > UNBALANCED and found.share <= CLAIMED:
            name = mode.name if found.name in ("", WORK, mode.name) else ""
        # the block comes first: the message is located there
        subject = f"{name}: " if name not in ("", WORK) else ""
        return (
            f"{subject}a step of {h:g} s is too long for this run with {session.method}: "
            f"{', and '.join(what)}{why}; {advice(session, step)}"
        )

    def _at_worst_instant(self, session: RunState, do):
        """Result of `do` at the worst instant; the session's state is restored."""
        assert self.worst is not None
        after = save_run(session)
        try:
            with np.errstate(all="ignore"):
                return do(session, self.worst)
        finally:
            restore_run(session, after)

    def _sufficient_step(self, session: RunState, worst: SavedRun, missing: float) -> float | None:
        """Step whose error at the worst instant, summed over the run, is below CLAIMED / MARGIN, or None."""
        scale, step = np.fmax(self.ranges(session), 1e-300), session.step_size
        if missing > UNBALANCED:
            # energy error that the samples missed: scale by the order of the method
            wanted = UNBALANCED / MARGIN / min(missing, 1.0)
            step *= 0.5 * wanted ** (1.0 / method_of(session.method).order)
        for _ in range(HALVINGS):
            error = compare_step_halving(session, worst, step).error
            if (error / scale).max(initial=0.0) * session.stop / step <= CLAIMED / MARGIN:
                return round_to_125(step)
            step *= 0.5
        return None


def balanced(session: RunState, missing: float) -> bool:
    """True if the energy residual is within UNBALANCED; the doubled forces of Delta-Q do work that no energy holds."""
    return missing <= UNBALANCED or session.instance.program.flat.simulation.gpme_delta_q


def advice(session: RunState, step: float | None) -> str:
    """Fix to suggest for a step that is too long."""
    if method_of(session.method).adaptive:
        return "lower rtol and atol, or look for what jumps"
    if step is None:
        return "no shorter step would do; use method: implicit, or look for what is so stiff"
    softer = (
        ""
        if not method_of(session.method).explicit
        else ", or method: implicit where what is fast need not be followed"
    )
    return f"try a step of {step:g} s{softer}"


def accurate_oscillation_step(session: RunState, rate: float) -> float | None:
    """Step with which an oscillation of this rate [rad/s] has an amplitude error of CLAIMED / MARGIN at the end.

    A step of z = rate h has the error z^(p + 1) / (p + 1)!, and rate T / z steps are made.
    """
    if not 0.0 < rate < math.inf:
        return None
    p = method_of(session.method).order
    z = (math.factorial(p + 1) * CLAIMED / MARGIN / (rate * session.stop)) ** (1.0 / p)
    return round_to_125(min(z, 1.0) / rate)


def linearised(session: RunState, kept: SavedRun) -> Floats | None:
    """Jacobian of the rates at a state by central differences, cavities in oil closed; None if too large."""
    n = len(session.instance.program.x0)
    if not 0 < n <= MOST_STATES:
        return None
    A, rates = np.zeros((n, n)), np.zeros((2, n))
    here = without_cavities(session.instance.program, kept.x)
    for j in range(n):
        nudge = 1e-6 * max(1.0, abs(here[j]))
        for side, sign in enumerate((1.0, -1.0)):
            restore_run(session, kept)
            x = here[:n].copy()
            x[j] += sign * nudge
            rates[side] = session.instance.rates(kept.time, x)
        A[:, j] = (rates[0] - rates[1]) / (2.0 * nudge)
    A /= gas_softness(session.instance.program, here)
    return A if np.all(np.isfinite(A)) else None


def fastest_eigenvalue(session: RunState, kept: SavedRun) -> Mode:
    """Mode with the largest eigenvalue about a state."""
    A = linearised(session, kept)
    if A is None:
        return Mode()
    values, vectors = eigendecomposition(A)
    k = int(np.argmax(abs(values)))
    return Mode(complex(values[k]), state_names(session.instance)[int(np.argmax(abs(vectors[:, k])))])


def round_to_125(step: float) -> float:
    """Round down to 1, 2 or 5 of a decade."""
    decade = 10.0 ** np.floor(np.log10(step))
    return float(f"{decade * max(k for k in (1, 2, 5) if k * decade <= step * (1 + 1e-9)):.1g}")
