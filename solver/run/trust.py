"""Whether the step was short enough: what a run that stayed finite says of itself, and of a step that would do.

At a few instants, spread evenly over a run from its start to its end, one step is taken aside twice: whole, and in two
halves. The difference is the error of that step. Added up over all steps, relative to the largest value of its kind
(all angles, all speeds, all energies), it is one part of the estimate; of two neighbouring instants the better one
counts, so that a kink that one of them happens to meet says nothing here. The other part is what happens at kinks:
where something changes its piece, the step in which it does and those that follow are taken aside in the same way. What
grows from an error afterwards is not in the estimate. With it go the balance of energies, which takes in the whole run,
and the violation of constraints.
"""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...blocks.errors import Problem
from ...blocks.record import mutable
from ..integrators.methods import method_of
from ..machine import fields as f
from ..machine.run_arrays import COUNT, COUNTED, EVERY, FILM, FIRST, PAUSE, START, STEP
from ..result.recorded import Quality
from .closed import names_of_states
from .softness import filled, softness

if TYPE_CHECKING:
    from .state import RunState

INSTANTS = 24  # of a run, that are looked at; three steps each
FOLLOWED = 8  # steps from one in which something changes, that are taken aside three times over
FIRST_LOOKS = 8  # at changes, however short the run
SHARE = 0.05  # of the steps of a run, that further ones may cost
RARELY = 64  # changes from one look to the next where that is spent
LOST = 0.1  # of the size of a kind of states, in one step: none of its digits holds
GROWN = 1e4  # times its start, or 1 SI unit: by then it is no vibration about a motion
OFF = 0.1  # estimated error, of the largest value of its kind, that is told
SEEN = 2e-3  # error of one step, of the largest value of its kind, that is no rounding and no smooth motion's
WANTED = 0.02  # that the suggested step should have
UNBALANCED = 0.005  # energy that is missing, of the largest term, likewise
BALANCED = 0.001  # likewise
OPEN = 1e-6  # [m or rad] by which constraints may be violated where they are solved for
HALVINGS = 24  # down to 1e-7 of the step
NOUGHT = 1e-9  # SI values that are rounding, whatever they are relative to each other
SLOW = 0.3  # [rad] by which a motion may go on in a step and be no cause of an error
MOST_STATES = 150  # whose eigenvalues are found in no time
WORK = "the work of drives and losses"


Complex = npt.NDArray[np.complex128]


def eigen(A: np.ndarray) -> tuple[Complex, Complex]:
    """Eigenvalues and eigenvectors, complex throughout."""
    values, vectors = np.linalg.eig(A)
    return values.astype(complex), vectors.astype(complex)


@mutable
class Instant:
    """One look at a run: error of a step, and size, of the states of each unit."""

    time: float
    error: dict[str, float]
    size: dict[str, float]
    errors: np.ndarray  # of all states
    names: list[str]  # as the states were called then

    def name(self, places: np.ndarray) -> str:
        """Of the state among these that is furthest off."""
        errors = self.errors[places]
        errors[errors != errors] = np.inf
        j = int(places[errors.argmax()])
        return self.names[j] if j < len(self.names) else WORK


@mutable
class Kept:
    """All that a step changes, to come back to."""

    time: float
    x: np.ndarray
    state: np.ndarray  # what the states stand for, where constraints choose them
    data: list[np.ndarray]


@mutable
class Trust:
    """What was seen of one run."""

    instants: list[Instant] = field(default_factory=list)
    worst: Kept | None = None
    changes: list[Instant] = field(
        default_factory=list
    )  # looked at; errors stand for those that were not, too
    largest_energy: float = 0.0  # that was met on the way: both ends of a run may be at rest
    _looked: int = -FOLLOWED  # number of the step before the last of these
    _counted: int = 0  # changes that the looks until now stand for
    _said: list[str] | None = None
    _share: float = 0.0  # of the worst

    def due(self, session: RunState) -> int:
        """Number of the step before which the run is looked at next; beyond the last where it is not."""
        if method_of(session.method).adaptive:
            return session.steps + 1
        count = min(INSTANTS, max(2, session.steps // 4))
        if len(self.instants) >= count:
            return session.steps + 1
        return len(self.instants) * (session.steps - 1) // (count - 1)

    def next_change(self, session: RunState) -> int:
        """After how many changes the run is looked at; 0 where there are none to look at."""
        if not len(session.instance.program.switches):
            return 0
        affordable = FOLLOWED * 3 * len(self.changes) <= SHARE * session.done + 3 * FOLLOWED * FIRST_LOOKS
        return int(session.instance.real[COUNTED]) + (1 if affordable else RARELY)

    def look_at_change(self, session: RunState, before: np.ndarray) -> None:
        """Something has changed in the last step: take it aside, and those that follow."""
        seen = int(session.instance.real[COUNTED])
        if seen == self._counted:
            return
        first = session.done - 1
        if first >= self._looked + FOLLOWED:
            with np.errstate(all="ignore"):
                here = keep(session)
                begun = Kept(first * session.step_size, before.copy(), here.state, here.data)
                count = min(FOLLOWED, session.steps - first)
                step = compare(session, begun, session.step_size, count)
                back(session, here)
                weight = seen - self._counted
                step.error = {unit: weight * e for unit, e in step.error.items()}
                self.changes.append(step)
            self._looked = first
        self._counted = seen

    def look(self, session: RunState) -> None:
        """Take one step aside, whole and in halves."""
        here = keep(session)
        with np.errstate(all="ignore"):
            step = compare(session, here, session.step_size)
            self.instants.append(step)
            self.look_at_energy(session)
            back(session, here)
            share = _share(step)
            if self.worst is None or share >= self._share:
                self.worst, self._share = here, share

    def look_at_energy(self, session: RunState) -> None:
        energies = session.instance.energy(session.time, session.x).values()
        self.largest_energy = max(self.largest_energy, *map(abs, energies), 0.0)

    def figures(self, session: RunState) -> Quality:
        """For the quality report: the estimate, and where it comes from."""
        if len(self.instants) < 2:
            return {}
        unit, estimate = self._estimate(session)
        worst = max(self.instants + self.changes, key=lambda each: each.error.get(unit, 0.0))
        places = session.state_units.places.get(unit)
        name = "" if places is None else worst.name(places)
        return {"step_error": {"estimate": estimate, "state": name, "time": worst.time}}

    def run_away(self, session: RunState) -> Problem | None:
        """What to say of a run whose numbers grew by its steps, and are no motion of the model."""
        for unit, start in self.instants[0].size.items() if self.instants else ():
            for before, after in pairwise(self.instants):
                lost = min(each.error[unit] / max(each.size[unit], NOUGHT) for each in (before, after))
                name = after.name(session.state_units.places[unit])
                if lost > LOST and after.size[unit] > GROWN * max(start, 1.0) and name != WORK:
                    shown = f"{after.size[unit]:.2g} {unit}".strip()
                    what = (
                        f"this run has run away: {name} came to {shown} at t = {after.time:.4g} s, and there one step "
                        f"and two halves of it differ by {100.0 * min(lost, 1.0):.0f} % of that"
                    )
                    return Problem(what, name, self._slower(session))
        return None

    def _slower(self, session: RunState) -> str:
        """A step that follows the fastest motion where the run was worst."""
        assert self.worst is not None
        after = keep(session)
        try:
            rate = abs(fastest(session, self.worst)[0])
        finally:
            back(session, after)
        return advice(session, rounded(SLOW / rate) if 0.0 < rate < np.inf else None)

    def notes(self, session: RunState, quality: Quality) -> list[str]:
        """What has to be said of a run that went to its end."""
        if self._said is None:
            with np.errstate(all="ignore"):
                self._said = list(self._judged(session, quality))
        return self._said

    def _judged(self, session: RunState, quality: Quality):
        figures = self.figures(session).get("step_error", {})
        off = figures.get("estimate", 0.0)
        missing = quality.get("energy", {}).get("relative_residual", 0.0)
        what = []
        if not off <= OFF:
            size = f"{100 * off:.2g} %" if off < 1.0 else "all of its size"
            what.append(
                f"{figures['state']} may be off by {size} (the step near t = {figures['time']:.4g} s)"
            )
        if not missing <= UNBALANCED and not session.instance.program.flat.simulation.gpme_delta_q:
            what.append(f"the energies do not balance by {100 * missing:.2g} % of the largest of them")
        if not what and self._jumpy(session):
            what += self._ringing(session)
        if what:
            name, rate, step = self._cause(session, missing)
            # the block comes first: that is where the message leads to
            subject = f"{name}: " if name else ""
            why = (
                f"; its motion there has a rate of {rate:.3g} rad/s"
                if rate * session.step_size > SLOW
                else ""
            )
            yield (
                f"{subject}a step of {session.step_size:g} s is too long for this run with {session.method}: "
                f"{', and '.join(what)}{why}; {advice(session, step)}"
            )
        violation = quality.get("constraint_violation", 0.0)
        solved = session.instance.model.option[f.O_METHOD] != f.BAUMGARTE
        if solved and not violation <= OPEN:
            yield (
                f"constraints were violated by {violation:.2g} m or rad during the run, where {OPEN:g} was to be "
                "expected: take a shorter step, and look for positions that the mechanism can hardly reach"
            )

    def _jumpy(self, session: RunState) -> bool:
        """Whether some step had an error that can be seen, though most have not."""
        units = self.instants[0].error if self.instants else {}
        sizes = {unit: max(self._size(session, unit), NOUGHT) for unit in units}
        return any(each.error[unit] > SEEN * sizes[unit] for each in self.instants for unit in sizes)

    def _ringing(self, session: RunState) -> list[str]:
        """An oscillation that the model has and the method damps away, or turns into another."""
        assert self.worst is not None
        after = keep(session)
        try:
            value, name = fastest(session, self.worst)
        finally:
            back(session, after)
        if abs(value.imag) * session.step_size < 1.0 or abs(value.real) > 0.3 * abs(value.imag):
            return []
        return [f"{name} oscillates at {abs(value):.3g} rad/s, which these steps do not follow"]

    def _estimate(self, session: RunState) -> tuple[str, float]:
        """The unit of the states that are furthest off, and by how much of their largest value."""
        best = ("", 0.0)
        for unit in self.instants[0].error:
            size = max(self._size(session, unit), NOUGHT)
            errors = [each.error.get(unit, 0.0) / size for each in self.instants]
            pairs = [min(a, b) for a, b in pairwise(errors)]
            estimate = session.done * sum(pairs) / len(pairs)
            estimate += sum(each.error.get(unit, 0.0) for each in self.changes) / size
            if not estimate <= best[1]:
                best = (unit, estimate)
        return best

    def _size(self, session: RunState, unit: str) -> float:
        largest = max(each.size.get(unit, 0.0) for each in self.instants + self.changes)
        return max(largest, *map(abs, session.energy_start.values())) if unit == "J" else largest

    def _cause(self, session: RunState, missing: float) -> tuple[str, float, float | None]:
        """The state that is to blame where the run was worst, its rate [rad/s], and a step that would do."""
        if self.worst is None:  # of a method that chooses its own steps
            return "", 0.0, None
        after = keep(session)
        try:
            step = self._short_enough(session, missing)
            value, name = fastest(session, self.worst)
        finally:
            back(session, after)
        torn = bool(np.any(filled(session.instance.program, self.worst.x) != self.worst.x))
        if torn and step is not None and value and not method_of(session.method).adaptive:
            step = min(step, rounded(2.0 / abs(value)))  # torn oil has no error that could be seen
        if abs(value) * session.step_size > SLOW:
            return name, abs(value), step
        names = {self.figures(session).get("step_error", {}).get("state", ""), name} - {WORK, ""}
        return (names.pop() if len(names) == 1 else ""), 0.0, step

    def _short_enough(self, session: RunState, missing: float) -> float | None:
        """A step whose error, where it was worst, would add up to little."""
        assert self.worst is not None
        sizes = {unit: max(self._size(session, unit), NOUGHT) for unit in self.instants[0].error}
        step = session.step_size
        if missing > UNBALANCED:
            # what the looks have missed: by the order of the method
            step *= 0.5 * (BALANCED / min(missing, 1.0)) ** (1.0 / method_of(session.method).order)
        for _ in range(HALVINGS):
            answer = compare(session, self.worst, step)
            off = max(answer.error.get(unit, np.inf) / sizes[unit] for unit in sizes)
            if off * session.stop / step <= WANTED:
                return rounded(step)
            step *= 0.5
        return None


def advice(session: RunState, step: float | None) -> str:
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


def _share(each: Instant) -> float:
    """How large the error of a step is, next to what it is an error of."""
    return max((e / max(each.size[unit], NOUGHT) for unit, e in each.error.items()), default=0.0)


def keep(session: RunState) -> Kept:
    run = session.instance
    return Kept(session.time, session.x.copy(), run.model.state.copy(), [run.w.copy(), run.data.part.copy()])


def back(session: RunState, kept: Kept) -> None:
    run = session.instance
    session.x[:] = kept.x
    run.model.state[:] = kept.state
    run.w[:], run.data.part[...] = kept.data


def compare(session: RunState, kept: Kept, step: float, count: int = 1) -> Instant:
    """Steps from there, whole and in halves; the session is afterwards as it was there."""
    run = session.instance
    number, counted = run.number.copy(), float(run.real[COUNTED])
    back(session, kept)
    take(session, kept.time, step, count)
    error = session.x.copy()
    back(session, kept)
    take(session, kept.time, 0.5 * step, 2 * count)
    error -= session.x
    np.abs(error, out=error)
    sizes = np.fmax(abs(kept.x), abs(session.x))
    back(session, kept)
    run.number[:], run.real[COUNTED] = number, counted
    units = session.state_units
    worst = units.largest(error)
    return Instant(
        kept.time,
        {unit: e if e == e else np.inf for unit, e in worst.items()},
        units.largest(sizes),
        error,
        names_of_states(session.instance),
    )


def take(session: RunState, time: float, step: float, count: int) -> None:
    """Steps beside the run: nothing is recorded, and sampled blocks keep what they hold."""
    run = session.instance
    number, real = run.number, run.real
    number[FIRST], number[COUNT], number[EVERY], number[FILM] = 0, count, count + 1, 0
    real[START], real[STEP], real[PAUSE] = time, step, 0.0
    run.advance(session.aside)


def fastest(session: RunState, kept: Kept) -> tuple[complex, str]:
    """The largest eigenvalue of the model linearised about a state [rad/s], and the state that moves most with it."""
    n = len(session.instance.program.x0)
    if not 0 < n <= MOST_STATES:
        return 0j, ""
    A, rates = np.zeros((n, n)), np.zeros((2, n))
    here = filled(session.instance.program, kept.x)
    for j in range(n):
        nudge = 1e-6 * max(1.0, abs(here[j]))
        for side, sign in enumerate((1.0, -1.0)):
            back(session, kept)
            x = here[:n].copy()
            x[j] += sign * nudge
            rates[side] = session.instance.rates(kept.time, x)
        A[:, j] = (rates[0] - rates[1]) / (2.0 * nudge)
    A /= softness(session.instance.program, here)
    if not np.all(np.isfinite(A)):
        return 0j, ""
    values, vectors = eigen(A)
    k = int(np.argmax(abs(values)))
    return complex(values[k]), names_of_states(session.instance)[int(np.argmax(abs(vectors[:, k])))]


def rounded(step: float) -> float:
    """Down to 1, 2 or 5 of a decade."""
    decade = 10.0 ** np.floor(np.log10(step))
    return float(f"{decade * max(k for k in (1, 2, 5) if k * decade <= step * (1 + 1e-9)):.1g}")
