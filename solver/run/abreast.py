"""Runs of a batch, as many at once as there are lanes, and whether that pays.

A batch begins with single runs, whose time says how long the others will take. Lanes are for what then remains, where
they save more than it takes to load their code, or to compile it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ..integrators.methods import method_of
from ..machine.jit import ENABLED, NoCode
from ..machine.numbers.forms import LANES
from .instance import Instance
from .lanes import Group, Groups, Member, called
from .lines import Job, Line

LEAST = 4  # runs of a group; of fewer each goes on by itself
FEW, MANY = (
    4,
    256,
)  # steps that runs take by themselves where they part: at first, and where they part again and again
BEGIN, CHUNK = 64, 1024  # steps of one call: the first, and the longest, for a call that parts is repeated
SOON = 32  # steps: after so many together it pays to have met
SAVED = 0.5  # of the time of single runs, at least
LOADING = 0.2  # [s] to load code that is there
BEFORE = "it was made before lanes were ready, or was left over"


class Choice:
    """Whether the runs of a batch go in lanes; decided once, by all threads together."""

    def __init__(self, job: Job, wanted: bool | None):
        self.wanted, self._job = wanted, job
        self.why = ""  # there are none
        self.ready: bool | None = None  # None: not decided yet
        if not ENABLED:
            self._refuse("compiled code is off")
        elif wanted is False:
            self._refuse("lanes are off")
        elif method_of(job.session.method).adaptive:
            self._refuse("this method chooses its own steps")

    def _refuse(self, why: str) -> None:
        self.ready, self.why = False, why

    def decide(self, instance: Instance, seconds: float) -> None:
        """`seconds` are what the runs that are left take if each is made by itself."""
        from ..machine.objects import cost_of, load

        entries = called(instance)
        if not self.wanted and SAVED * seconds < LOADING:
            self._refuse("too little is left to save")
        elif not self.wanted and SAVED * seconds < LOADING + cost_of(entries):
            self._refuse("to compile their code would take longer")
        else:
            try:
                load(entries)
                self.ready = True
            except NoCode as error:
                self._refuse(str(error))


def make_all(job: Job, choice: Choice, workers: int, progress: Callable[[int, int], object] | None) -> None:
    """Make all runs of a batch."""
    work = Work(job, choice, workers, progress)
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work.work) for _ in range(workers)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            job.ended = True
            raise


class Work:
    """What the threads of a batch take their runs from."""

    def __init__(
        self,
        job: Job,
        choice: Choice,
        workers: int,
        progress: Callable[[int, int], object] | None,
    ):
        self._job, self._choice, self._workers, self._progress = job, choice, workers, progress
        self._count, self._begun, self._done = len(job.table), 0, 0
        if choice.wanted and choice.ready is None:
            choice.decide(job.session.instance, 0.0)

    def work(self) -> None:
        """In each thread, until nothing is left."""
        line, abreast = Line(self._job), Abreast(self._job, self._choice)
        while not self._job.ended:
            runs = self._next()
            if not runs:
                return
            if len(runs) > 1:
                abreast.run(runs)
            else:
                self._one(line, runs[0])
            self._tell(len(runs))

    def _next(self) -> list[int]:
        with self._job.turn:
            left = self._count - self._begun
            together = LANES if self._choice.ready and left >= LEAST else 1
            runs = list(range(self._begun, self._begun + min(together, left)))
            self._begun += len(runs)
            return runs

    def _one(self, line: Line, k: int) -> None:
        choice, since = self._choice, time.perf_counter()
        self._job.alone[k] = choice.why or BEFORE
        line.run(k)
        with self._job.turn:
            if choice.ready is None:
                left = (time.perf_counter() - since) * (self._count - self._begun) / self._workers
                choice.decide(line.instance, left)

    def _tell(self, count: int) -> None:
        if self._progress is not None:
            with self._job.turn:
                for _ in range(count):
                    self._done += 1
                    self._progress(self._done, self._count)


class Abreast:
    """The runs of one thread in groups."""

    def __init__(self, job: Job, choice: Choice):
        self._job, self._choice = job, choice
        self._lines: list[Line] = []
        self._runs: list[int] = []  # what each line is at
        self._groups: Groups | None = None

    def run(self, runs: Sequence[int]) -> None:
        """Make these."""
        while len(self._lines) < len(runs):
            self._lines.append(Line(self._job))
            self._groups = None
        self._runs = []
        for k in runs:
            line = self._lines[len(self._runs)]
            if line.prepare(k):
                self._runs.append(k)
            else:
                self._job.alone[k] = "it needs a session of its own"
                line.by_itself(k)
        members = list(range(len(self._runs)))
        if len(members) >= LEAST:
            members = self._alike(members, 0)
        if len(members) >= LEAST:
            self._together(members)
        else:
            self._finish(members, 0, f"fewer than {LEAST} runs go together")

    @property
    def groups(self) -> Groups:
        """One."""
        if self._groups is None:
            room = CHUNK // self._job.session.every + 2
            self._groups = Groups([[Member(line.instance, line.bundle) for line in self._lines]], room)
        return self._groups

    @property
    def group(self) -> Group:
        return self.groups.each[0]

    def _alike(self, members: list[int], done: int) -> list[int]:
        """Those that can go on together; the others go on by themselves."""
        alike = self.group.alike(members)
        others = [member for member in members if member not in alike]
        self._finish(others, done, "its coordinates are chosen in another way")
        return alike

    def _together(self, members: list[int]) -> None:
        session, group = self._job.session, self.group
        group.gather(members)
        done, met, chunk, few = 0, 0, BEGIN, FEW
        while done < session.steps and not self._job.ended:
            count = min(chunk, session.steps - done)
            taken = self._advance(members, done, count)
            done += taken
            if taken == count:
                chunk = min(2 * chunk, CHUNK)
                continue
            few = FEW if done - met > SOON else min(2 * few, MANY)
            met = min(done + few, session.steps)
            members = self._apart(members, done, met)
            done, chunk = met, BEGIN
            members = self._alike(members, done) if members else []
            if len(members) < LEAST:
                self._finish(members, done, f"fewer than {LEAST} runs go together")
                return
            group.gather(members)

    def _advance(self, members: list[int], done: int, count: int) -> int:
        """Steps that all take together, written into the table: all of them, or as many as go before they part."""
        session, groups = self._job.session, self.groups
        while count:
            taken = groups.advance({0: done}, count, session.every, session.step_size)[0]
            if taken == count:
                first, last = done // session.every, (done + count) // session.every
                for lane, member in enumerate(members):
                    self._job.table[self._runs[member], first + 1 : last + 1] = groups.rows[
                        0, : last - first, :, lane
                    ]
                break
            count = taken
        return count

    def _apart(self, members: list[int], first: int, last: int) -> list[int]:
        """A few steps of each by itself; the members that are to go on."""
        self.group.scatter(members)
        on = []
        for member in members:
            line, k = self._lines[member], self._runs[member]
            if line.steps(k, first, last):
                on.append(member)
            else:
                self._job.alone[k] = "it has something to tell"
                line.by_itself(k)
        return on

    def _finish(self, members: list[int], done: int, why: str) -> None:
        for member in members:
            line, k = self._lines[member], self._runs[member]
            self._job.alone[k] = why
            if not line.steps(k, done, self._job.session.steps):
                line.by_itself(k)
