"""Compile entry points in processes beside this one, as many as there are processors, the longest first."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from itertools import count
from queue import Empty, PriorityQueue, Queue
from typing import TYPE_CHECKING, Any

from . import store
from .functions import Function
from .jit import SOLVER, UNITS, Unit

if TYPE_CHECKING:
    from .jit import Progress

# the longest first, so that no processor waits for one at the end
LONG = ("kinematics_closed", "closed_friction", "dynamics_friction", "articulate", "passive", "hold", "track")
CALLERS = ("kinematics", "dynamics")
START = (
    "import sys; sys.path[:0] = {path!r}; import {package}; "
    "from {package}.solver.machine.worker import main; main()"
)


class Maker:
    """One process, and what it is asked."""

    def __init__(self) -> None:
        self._free = threading.Lock()
        package = __name__.partition(".")[0]
        path = [folder for folder in sys.path if folder]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", START.format(path=path, package=package)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, encoding="utf-8",
            start_new_session=True,
        )  # fmt: skip

    def ask(self, unit: Unit) -> dict[str, Any]:
        """Have one compiled; another thread may be asking too."""
        with self._free:
            found = store.read(unit)
            return self._asked(unit) if found is None else {"needed": found[0]}

    def _asked(self, unit: Unit) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(job_of(unit)) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        return json.loads(answer) if answer else {"error": "the process that compiles has ended"}

    def end(self) -> None:
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        self.process.kill()
        self.process.wait()


def job_of(unit: Unit) -> dict[str, Any]:
    if isinstance(unit, Function):
        return {"source": unit.source, "names": unit.names, "label": unit.label}
    return {"module": unit.__module__, "name": unit.__name__}


_makers: list[Maker] = []


def _end_all() -> None:
    while _makers:
        _makers.pop().end()


atexit.register(_end_all)


class CompileFault(RuntimeError):
    """What the compiler said of one entry point."""

    def __init__(self, unit: Unit, message: str):
        super().__init__(message)
        self.unit = unit


def make(units: Iterable[Unit], progress: Progress | None = None) -> None:
    """Compile these, and the kernels that they turn out to call."""
    known = {unit.symbol: unit for unit in UNITS}
    seen = {unit.symbol: unit for unit in units}
    jobs: PriorityQueue[tuple[int, int, Unit]] = PriorityQueue()
    number = count()
    for unit in seen.values():
        jobs.put((urgency(unit), next(number), unit))
    answers: Queue[tuple[Unit, dict[str, Any]]] = Queue()
    open_jobs, done = len(seen), 0
    stop = threading.Event()

    def work(maker: Maker) -> None:
        while not stop.is_set():
            try:
                _, _, unit = jobs.get(timeout=0.02)
            except Empty:
                continue
            answers.put((unit, maker.ask(unit)))

    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    threads: list[threading.Thread] = []

    def employ() -> None:
        """As many processes as there are processors, and things to compile."""
        while len(threads) < min(processors, open_jobs - done):
            if len(threads) == len(_makers):
                _makers.append(Maker())
            threads.append(threading.Thread(target=work, args=(_makers[len(threads)],), daemon=True))
            threads[-1].start()

    if progress is not None and jobs.queue:
        progress(0, open_jobs, label_of(min(jobs.queue)[2]))
    try:
        employ()
        while done < open_jobs:
            unit, answer = answers.get()
            done += 1
            if "error" in answer:
                raise CompileFault(unit, answer["error"])
            for symbol in answer["needed"]:
                if symbol in known and symbol not in seen and store.read(known[symbol]) is None:
                    seen[symbol] = known[symbol]
                    jobs.put((urgency(known[symbol]), next(number), known[symbol]))
                    open_jobs += 1
            employ()
            if progress is not None:
                progress(done, open_jobs, label_of(unit))
    except BaseException:
        stop.set()
        _end_all()
        raise
    stop.set()
    for thread in threads:
        thread.join()
    store.forget_oldest()


def urgency(unit: Unit) -> int:
    """Entry points that only call others go first, since those are found by compiling them; then long ones."""
    if unit.__name__ in CALLERS:
        return 0
    return 1 if any(word in unit.symbol for word in LONG) else 2


def label_of(unit: Unit) -> str:
    return unit.label if isinstance(unit, Function) else unit.__name__.replace("_", " ")


__all__ = ["SOLVER", "CompileFault", "make"]
