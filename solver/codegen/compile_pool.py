"""Compilation of entry points in subprocesses, as many as processors, the longest first."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from queue import Empty, PriorityQueue, Queue
from typing import TYPE_CHECKING, Any

from . import failures, object_store
from .cache_folder import cache_dir
from .jit import EntryPoint
from .python_subprocess import HOME as PACKAGE
from .python_subprocess import own_session_options, python_words
from .source_functions import Function
from .target_cpu import processors
from .transforms.entry_point_variants import Variant

if TYPE_CHECKING:
    from .jit import Progress

# compiled first, so that no processor waits for one at the end
LONG = (
    "kinematics_closed",
    "constrained_friction",
    "dynamics_friction",
    "articulated_inertias",
    "advance",
    "hold",
    "track",
)
CALLERS = ("kinematics", "dynamics")


@dataclass(frozen=True, eq=False)
class BuildTarget:
    """Build product: module whose `main` makes it, and the folder that keeps it (None: the user's)."""

    module: str = "compile_worker"
    folder: Callable[[], Path | None] = lambda: None
    workers: list[WorkerProcess] = field(default_factory=list)


HERE = BuildTarget()  # object code for this processor


class WorkerProcess:
    """A compiling subprocess and its pipe."""

    def __init__(self, way: BuildTarget) -> None:
        self._free, self._target = threading.Lock(), way
        alone = {"LUFF_CACHE_DIR": str(cache_dir()), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        environment = {**os.environ, **alone}
        self.process = subprocess.Popen(
            python_words(f"luff.solver.codegen.{way.module}", flags=("-W", "ignore")),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, encoding="utf-8",
            cwd=PACKAGE.anchor,  # the current folder may go while it works
            **own_session_options(),
        )  # fmt: skip

    def ask(self, entry: EntryPoint) -> dict[str, Any]:
        """Compile one entry point, or read it if another process has; threads wait for one another."""
        with self._free:
            kept = object_store.read_object(entry, self._target.folder())
            return self._request_compile(entry) if kept is None else {"needed": kept[0]}

    def _request_compile(self, entry: EntryPoint) -> dict[str, Any]:
        """Send the job of an entry point to the subprocess and wait for its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(compile_job_of(entry)) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except (
            OSError,
            ValueError,
        ):  # ValueError: pipe closed, as another thread met an error
            answer = ""
        return json.loads(answer) if answer else {"error": "the process that compiles has ended"}

    def end(self) -> None:
        """Kill the subprocess and close its pipes."""
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        self.process.kill()
        self.process.wait()
        with self._free:  # a thread that waits for an answer sees the end first
            if self.process.stdout is not None:
                self.process.stdout.close()


def compile_job_of(entry: EntryPoint) -> dict[str, Any]:
    """JSON job of an entry point: its module and name, or the source text of a block's function."""
    if isinstance(entry, Variant):
        return {**compile_job_of(entry.entry), "numbers": entry.numbers}
    if isinstance(entry, Function):
        return {"source": entry.source, "names": entry.names, "label": entry.label}
    return {"module": entry.__module__, "name": entry.__name__}


_all: list[WorkerProcess] = []


def _end_all() -> None:
    """End all compiling subprocesses."""
    while _all:
        made = _all.pop()
        made._target.workers.clear()
        made.end()


atexit.register(_end_all)


class CompilationFailed(RuntimeError):
    """Compiler error of one entry point."""

    def __init__(self, entry: EntryPoint, message: str):
        super().__init__(message)
        self.entry = entry


class Batch:
    """Entry points to compile, the threads that wait for the subprocesses, and their answers."""

    def __init__(self, entries: Iterable[EntryPoint], way: BuildTarget) -> None:
        self._target = way
        self._seen: set[str] = set()
        self._jobs: PriorityQueue[tuple[int, int, EntryPoint]] = PriorityQueue()
        self._number = count()
        self._threads: list[threading.Thread] = []
        self.answers: Queue[tuple[EntryPoint, dict[str, Any]]] = Queue()
        self.done = 0
        self.stop = threading.Event()
        for entry in {entry.symbol: entry for entry in entries}.values():
            self._put(entry)

    def __len__(self) -> int:
        return len(self._seen)

    def _put(self, entry: EntryPoint) -> None:
        """Queue an entry point by priority."""
        self._seen.add(entry.symbol)
        self._jobs.put((build_priority(entry), next(self._number), entry))

    @property
    def first(self) -> str:
        """Label of the entry point that is compiled first."""
        return label_of(min(self._jobs.queue)[2]) if self._jobs.queue else ""

    def queue_needed(self, entries: Iterable[EntryPoint]) -> None:
        """Queue kernels that compiled code calls, unless queued or stored already."""
        for entry in entries:
            if (
                entry.symbol not in self._seen
                and object_store.read_object(entry, self._target.folder()) is None
            ):
                self._put(entry)

    def start_workers(self) -> None:
        """Start threads and subprocesses up to the number of processors and of open jobs."""
        while len(self._threads) < min(processors(), len(self) - self.done):
            workers = self._target.workers
            if len(self._threads) == len(workers):
                workers.append(WorkerProcess(self._target))
                _all.append(workers[-1])
            worker = workers[len(self._threads)]
            self._threads.append(threading.Thread(target=self._work, args=(worker,), daemon=True))
            self._threads[-1].start()

    def _work(self, worker: WorkerProcess) -> None:
        """Thread: have queued entry points compiled by `worker` until `stop` is set."""
        while not self.stop.is_set():
            try:
                _, _, entry = self._jobs.get(timeout=0.02)
            except Empty:
                continue
            self.answers.put((entry, worker.ask(entry)))

    def end(self) -> None:
        """Stop the threads and wait for them."""
        self.stop.set()
        for thread in self._threads:
            thread.join()


def make(entries: Iterable[EntryPoint], progress: Progress | None = None, way: BuildTarget = HERE) -> None:
    """Compile entry points and all kernels that they call; CompilationFailed on a compiler error."""
    batch = Batch(entries, way)
    if progress is not None:
        progress(0, len(batch), batch.first)
    try:
        batch.start_workers()
        while batch.done < len(batch):
            entry, answer = batch.answers.get()
            batch.done += 1
            if "error" in answer:
                raise CompilationFailed(entry, answer["error"])
            if "unkept" in answer:
                raise failures.not_kept(
                    f"cannot keep what is compiled in {answer['unkept']}",
                    fix="make room there, or set LUFF_CACHE_DIR to another folder",
                )
            batch.queue_needed(entry.called(answer["needed"]))
            batch.start_workers()
            if progress is not None:
                progress(batch.done, len(batch), label_of(entry))
    except BaseException:
        batch.stop.set()
        _end_all()
        raise
    batch.end()
    object_store.drop_oldest(way.folder())


def build_priority(entry: EntryPoint) -> int:
    """Queue priority: callers first, since compiling them reveals their kernels; then long ones."""
    if entry.__name__ in CALLERS:
        return 0
    return 1 if any(word in entry.symbol for word in LONG) else 2


def label_of(entry: EntryPoint) -> str:
    """Name of an entry point in progress messages."""
    if isinstance(entry, Variant):
        return f"{label_of(entry.entry)}, {entry.words}"
    return entry.label if isinstance(entry, Function) else entry.__name__.replace("_", " ")


__all__ = ["BuildTarget", "CompilationFailed", "make"]
