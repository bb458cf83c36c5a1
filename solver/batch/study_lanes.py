"""Sessions in SIMD lanes, each with its own monitors: the variants of a study."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from ..codegen.transforms.entry_point_variants import LANES
from ..integrators.run_data import PAUSE
from ..results.result import Result
from ..simulation.session import Session
from ..simulation.simulation import Simulation, warn_remarks
from ..simulation.turning_points import Watched
from .simd_group import FEWER, LEAST, TOGETHER, LaneDecision, SimdGroup, StepPlan

APART = "another variant of its kind differs in more than numbers"


class LaneSession:
    """Session in a group: a `LaneRun`."""

    def __init__(self, session: Session):
        self.session, self.instance = session, session.instance
        rows = np.zeros((1, len(session.columns)))
        self.bundle = session.instance.run(session.x, session.work, np.zeros(1), rows)
        self.alone = TOGETHER

    def due(self) -> int:
        """Step at which the session has to be by itself: its next sample of the step error, or its last."""
        session = self.session
        return min(session.trust.due(session), session.steps)

    def wrote(self, first: int, rows: np.ndarray) -> None:
        """Record rows of the group."""
        self.session.keep(first, rows.copy())

    def steps(self, done: int, until: int) -> bool:
        """Take steps by itself; False if the session is over."""
        session = self.session
        self._account_group_steps(done)
        if session.done < until:
            session.advance(steps=until - session.done)
        if session.status != "running":
            return False
        session.estimate_step_error()
        self.instance.real[PAUSE] = session.trust.next_change(session)
        return True

    def leave(self, done: int, why: str) -> None:
        """Continue by itself, for the reason `why`."""
        self._account_group_steps(done)
        self.alone = why

    def over(self) -> None:
        """Note that the session ended before the others."""
        if self.session.done < self.session.steps:
            self.alone = "it ended before the others"

    def _account_group_steps(self, done: int) -> None:
        """Account for steps taken in the group."""
        taken = done - self.session.done
        if taken:
            self.session.account_steps(taken, taken, self.bundle)


def run_in_lanes(sessions: Sequence[Session], choice: LaneDecision, ended: Callable[[], bool]) -> list[str]:
    """Run sessions together as far as they agree; returns for each why it left the lanes, "" if it stayed to its end.

    `ended` is called between calls of the kernels.
    """
    if not choice.ready:
        return [choice.why] * len(sessions)
    if len(sessions) < LEAST:
        return [FEWER] * len(sessions)
    alone = [APART] * len(sessions)
    like = [k for k, session in enumerate(sessions) if same_structure(sessions[0], session)]
    if len(like) < LEAST:
        return alone
    first = sessions[0]
    pace = StepPlan(first.steps, first.every, first.step_size)
    for begin in range(0, len(like), LANES):
        group = like[begin : begin + LANES]
        runners = [LaneSession(sessions[k]) for k in group]
        SimdGroup(runners, pace, ended).go([*range(len(runners))])
        for k, runner in zip(group, runners, strict=True):
            alone[k] = runner.alone
    return alone


def same_structure(a: Session, b: Session) -> bool:
    """True if two sessions take the same steps of programs of equal structure, without external blocks."""
    one, other = (
        (s.steps, s.every, s.step_size, s.method, s.events, s.instance.has_partners) for s in (a, b)
    )
    return one == other and not a.instance.has_partners and a.instance.program.like(b.instance.program)


class LaneResults:
    """Results of several simulations at a time, as from `Simulation.run`, for `count` runs in all."""

    def __init__(self, count: int):
        self._left = count
        self.choice: LaneDecision | None = None

    def results(self, sims: Sequence[Simulation], watched: Sequence[Watched] = ()) -> list[Result]:
        """Results of these simulations."""
        sessions = [sim.start(watched=watched) for sim in sims]
        choice = self.choice = self.choice or LaneDecision(sessions[0].method, None)
        choice.decide_at_once(sessions[0].instance)
        if len(sessions) >= LEAST:
            run_in_lanes(sessions, choice, lambda: False)
        began = time.perf_counter()
        made = [sim.record(session) for sim, session in zip(sims, sessions, strict=True)]
        self._left -= len(made)
        if choice.ready is None and len(sessions) >= LEAST:
            each = (time.perf_counter() - began) / len(made)
            choice.decide(sessions[0].instance, max(0, self._left) * each)
        for result in made:
            warn_remarks(result)
        return made
