"""Scheduler of a batch: threads that take single runs or groups of LANES runs from a queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ..codegen.transforms.entry_point_variants import LANES
from .runner import BatchJob, BatchThread
from .simd_group import BEFORE, FEWER, LEAST, LaneDecision, SimdGroup, StepPlan


def run_batch(
    job: BatchJob, choice: LaneDecision, workers: int, progress: Callable[[int, int], object] | None
) -> None:
    """Make all runs of a batch."""
    work = WorkQueue(job, choice, workers, progress)
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work.work) for _ in range(workers)]
        try:
            for future in futures:
                future.result()
        except BaseException:
            job.ended = True
            raise


class WorkQueue:
    """Queue of the runs of a batch."""

    def __init__(
        self,
        job: BatchJob,
        choice: LaneDecision,
        workers: int,
        progress: Callable[[int, int], object] | None,
    ):
        self._job, self._choice, self._workers, self._progress = job, choice, workers, progress
        self._count, self._begun, self._done = len(job.table), 0, 0
        choice.decide_at_once(job.session.instance)

    def work(self) -> None:
        """Thread: make runs until none is left."""
        thread, lanes = BatchThread(self._job), LaneScheduler(self._job)
        while not self._job.ended:
            runs = self._next()
            if not runs:
                return
            if len(runs) > 1:
                lanes.run(runs)
            else:
                self._run_single(thread, runs[0])
            self._report_progress(len(runs))

    def _next(self) -> list[int]:
        """Next runs: one, or a group."""
        with self._job.turn:
            left = self._count - self._begun
            together = LANES if self._choice.ready and left >= LEAST else 1
            runs = list(range(self._begun, self._begun + min(together, left)))
            self._begun += len(runs)
            return runs

    def _run_single(self, thread: BatchThread, k: int) -> None:
        """Make one run; its time decides about lanes if that is open."""
        choice, since = self._choice, time.perf_counter()
        self._job.alone[k] = choice.why or BEFORE
        thread.run(k)
        with self._job.turn:
            if choice.ready is None:
                left = (time.perf_counter() - since) * (self._count - self._begun) / self._workers
                choice.decide(thread.instance, left)

    def _report_progress(self, count: int) -> None:
        """Report progress."""
        if self._progress is not None:
            with self._job.turn:
                for _ in range(count):
                    self._done += 1
                    self._progress(self._done, self._count)


class LaneScheduler:
    """Runs of one thread in SIMD groups."""

    def __init__(self, job: BatchJob):
        self._job = job
        self._threads: list[BatchThread] = []
        self._group: SimdGroup | None = None

    def run(self, runs: Sequence[int]) -> None:
        """Make these runs in a group; those that cannot go together run by themselves."""
        job = self._job
        while len(self._threads) < len(runs):
            self._threads.append(BatchThread(job))
            self._group = None
        ready = 0
        for k in runs:
            thread = self._threads[ready]
            if thread.prepare(k):
                ready += 1
            else:
                job.alone[k] = "it needs a session of its own"
                thread.rerun_in_session()
        if ready < LEAST:
            for thread in self._threads[:ready]:
                thread.leave(0, FEWER)
            return
        if self._group is None:
            session = job.session
            pace = StepPlan(session.steps, session.every, session.step_size)
            self._group = SimdGroup(self._threads, pace, lambda: job.ended)
        self._group.go([*range(ready)])
