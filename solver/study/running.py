"""Run the variants of a study side by side, each in a process of a few; what was done before is not done again."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypedDict

from ...blocks.errors import LuffError, Problem, RunError
from ..flat.flatten import flatten
from ..flat.opening import Diagram
from ..machine.aside import apart, python_words
from ..machine.cache_folder import cache_dir
from ..machine.processors import processors
from ..netlist import Given
from . import parts, store
from .identity import drive_digest, fingerprint
from .orders import Answer, ModelOrder
from .outcome import Outcome
from .spec import Study, load

POLL = 0.1  # seconds between looks at whoever may want to stop
PATIENCE = 5.0  # seconds for a process to end by itself
# seconds beyond a variant's limit: for what is compiled before its first step; for a machine that is busy with others
BEGINNING, STANDING = 300.0, 60.0


class Ready(TypedDict):
    ready: bool


class Share(TypedDict):
    share: float


Said = Ready | Share | Answer


class _Worker:
    """A process, the variant it is at, and a thread that passes on what it says."""

    def __init__(self, heard: queue.Queue[tuple[_Worker, Said | None]]):
        # variants run side by side: threads of the linear algebra would only be in each other's way
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.outcome: Outcome | None = None
        self.ready = False
        self.until: float | None = None  # when its variant has to be over
        self.late = False
        self.process = subprocess.Popen(
            python_words("luff.solver.study.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # one that nobody else can write to: the check, and its warning, are done
            env={**os.environ, **threads, "LUFF_CACHE_DIR": str(cache_dir())},
            encoding="utf-8",
            **apart(),
        )
        self._listener = threading.Thread(target=self._listen, args=(heard,), daemon=True)
        self._listener.start()

    def _listen(self, heard: queue.Queue[tuple[_Worker, Said | None]]) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as answers:
            for line in answers:
                # the last one may be cut off by the end of the process
                if line.endswith("\n"):
                    heard.put((self, json.loads(line)))
        heard.put((self, None))

    def run(self, outcome: Outcome, order: ModelOrder) -> None:
        assert self.process.stdin is not None
        self.outcome, outcome.status = outcome, "running"
        # a process that died meanwhile is heard of through the other pipe
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()

    def end(self, at_once: bool) -> None:
        assert self.process.stdin is not None
        if at_once:
            self.process.kill()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._listener.join()


@dataclass
class _Crew:
    """The processes and the variants that wait for them."""

    study: Study
    folder: Path
    waiting: list[Outcome]
    most: int
    limit: float | None = None  # seconds that the steps of a variant may take
    workers: list[_Worker] = field(default_factory=list)
    begun: bool = False  # whether a variant is under way, and all that it calls compiled
    heard: queue.Queue[tuple[_Worker, Said | None]] = field(default_factory=queue.Queue)

    def hire(self) -> None:
        busy = sum(worker.outcome is not None for worker in self.workers)
        # what is not compiled yet is compiled once, not by each
        most = self.most if self.begun else 1
        while len(self.workers) < min(most, busy + len(self.waiting)):
            self.workers.append(_Worker(self.heard))

    def give(self, worker: _Worker) -> None:
        """The next variant, or the end of the day."""
        worker.outcome = None
        if not self.waiting:
            return
        outcome = self.waiting.pop(0)
        outcome.part = self.folder / f"{outcome.hash}{parts.SUFFIX}"
        order: ModelOrder = {
            "model": str(self.study.model),
            "allow_code": self.study.allow_code,
            "files": [str(folder) for folder in self.study.files],
            "changes": self.study.overrides(outcome.variant),
            "record": list(self.study.settings.record),
            "replay": self.study.replay,
            "hash": outcome.hash,
            "output": str(outcome.part),
            "limit": self.limit,
        }
        worker.run(outcome, order)
        self._expect(worker, BEGINNING)

    def listen(self) -> Outcome | None:
        """Take in one message; returns the outcome that it ends, if it ends one."""
        self._stop_hanging()
        try:
            worker, words = self.heard.get(timeout=POLL)
        except queue.Empty:
            return None
        outcome = worker.outcome
        if words is None:
            self.workers.remove(worker)
            worker.end(at_once=True)
            if outcome is None and not worker.ready:
                code = worker.process.returncode
                raise RunError(
                    f"a process of the study died with code {code} as it began; its output stands above"
                )
            if outcome is not None:
                outcome.status, outcome.part = "failed", None
                outcome.message = f"its process died with code {worker.process.returncode}"
                if worker.late:
                    outcome.message = f"it took more than {self.limit:g} s"
            self.hire()
            return outcome
        worker.ready = True
        self.begun = self.begun or "share" in words or "status" in words
        if "share" in words and outcome is not None:
            outcome.share = words["share"]
            self._expect(worker, STANDING)
            return None
        if "status" in words and outcome is not None:
            outcome.status, outcome.message, outcome.seconds = (
                words["status"],
                words["message"],
                words["seconds"],
            )
            outcome.part, outcome.refuted = outcome.part if words["saved"] else None, words["refuted"]
        self.give(worker)
        self.hire()
        return outcome

    @property
    def busy(self) -> bool:
        return bool(self.waiting) or any(worker.outcome for worker in self.workers)

    def _expect(self, worker: _Worker, more: float) -> None:
        """A word within its limit and this many seconds."""
        worker.until = time.monotonic() + self.limit + more if self.limit is not None else None

    def _stop_hanging(self) -> None:
        """A variant ends by itself at its limit; one that does not look at the clock ends with its process."""
        for worker in self.workers:
            if worker.outcome is not None and worker.until is not None and time.monotonic() > worker.until:
                worker.late, worker.until = True, None
                worker.process.kill()

    def dismiss(self, at_once: bool) -> None:
        for worker in self.workers:
            worker.end(at_once)


Progress = Callable[[Sequence[Outcome], Outcome | None], object]


def run(
    study: Study,
    output: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
    on: object = None,
    limit: float | None = None,
) -> list[Outcome]:
    """Run what is not there yet. `progress(outcomes, ended)` is called all the while; when it returns False, or at
    Ctrl-C, the study ends and keeps the variants that are done. `on` is where: in processes of its own, or what
    `Cluster` takes. `limit` is how many seconds the steps of a variant may take."""
    _check_limit(limit)
    outcomes = [Outcome(variant) for variant in study.variants]
    known = store.finished(output)
    if fresh:
        known = set()
    folder = store.parts_of(output)
    _identify(study, outcomes)
    for outcome in outcomes:
        part = folder / f"{outcome.hash}{parts.SUFFIX}"
        if outcome.hash in known:
            outcome.status = "kept"
        elif not fresh and parts.finished(part):
            outcome.status, outcome.part = "kept", part
        outcome.share = 1.0 if outcome.status == "kept" else 0.0
    # variants that say the same in other words run once
    first: dict[str, Outcome] = {}
    twins = [(o, first[o.hash]) for o in outcomes if o.hash and first.setdefault(o.hash, o) is not o]
    alike = {id(outcome) for outcome, _ in twins}
    waiting = [o for o in outcomes if o.status == "waiting" and id(o) not in alike]
    cancelled = False
    if waiting:
        _make(folder)
        crew = engine(on, study, folder, waiting, jobs, limit)
        try:
            crew.hire()
            while crew.busy:
                ended = crew.listen()
                if progress is not None and progress(outcomes, ended) is False:
                    cancelled = True
                    break
        except KeyboardInterrupt:
            cancelled = True
        finally:
            crew.dismiss(at_once=cancelled or crew.busy)
    for outcome, twin in twins:
        outcome.status, outcome.message, outcome.part = twin.status, twin.message, twin.part
        outcome.refuted = twin.refuted
    for outcome in outcomes:
        if outcome.status in ("waiting", "running"):
            outcome.status, outcome.part = "interrupted", None
            outcome.message = "the study ended before this variant"
    _write(study, output, outcomes)
    return outcomes


class Engine(Protocol):
    """What runs variants: it takes them from `waiting`, and tells what has become of them one message at a time."""

    waiting: list[Outcome]

    @property
    def busy(self) -> bool:
        """Whether a variant waits or is under way."""
        ...

    def hire(self) -> None:
        """Begin."""

    def listen(self) -> Outcome | None:
        """Wait a little for a message; the outcome that it has ended."""

    def dismiss(self, at_once: bool) -> None:
        """End, without waiting for what is under way where `at_once`."""


def engine(
    on: object, study: Study, folder: Path, waiting: list[Outcome], jobs: int | None, limit: float | None
) -> Engine:
    """Processes of this machine, or a scheduler of Dask."""
    if on is None:
        return _Crew(study, folder, waiting, jobs or processors(), limit)
    from .cluster import Cluster

    return Cluster(on, study, folder, waiting, jobs, limit)


def study(
    source: Given | Study,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    files: Iterable[str | Path] = (),
    on: object = None,
    limit: float | None = None,
    **changes: object,
) -> store.StudyResult:
    """Run a study file, or a mapping with its sections, as `luff study` does; returns its results by variant.

    `output` is NAME.h5 in the folder of the caller by default; variants that it holds already are not run again. The
    model may read from the folders `files` beside its own. Failed variants are in `.statuses` and `.messages`. `on`
    runs them on Dask: the address of a scheduler, "local", or a client or cluster of Dask. `limit` is how many seconds
    the steps of a variant may take.
    """
    loaded = source if isinstance(source, Study) else load(source, changes, files=files)
    target = Path(output) if output is not None else Path(f"{(loaded.path or Path('study')).stem}.h5")
    run(loaded, target, jobs, progress, on=on, limit=limit)
    return store.read_study(target)


def _check_limit(limit: float | None) -> None:
    if limit is not None and not 0.0 < limit < math.inf:
        raise RunError(f"found {limit:g} s, expected a number above zero", path="limit")


def _identify(study: Study, outcomes: list[Outcome]) -> None:
    """The hash of each variant; one that the model refuses has failed."""
    diagram = Diagram.load(study.model, study.allow_code, study.files)
    for outcome in outcomes:
        try:
            flat = flatten(diagram, study.overrides(outcome.variant))
            outcome.hash = fingerprint(flat, [*study.settings.record, *drive_digest(study.replay)])
        except LuffError as error:
            outcome.status, outcome.message, outcome.share = "failed", str(error), 1.0


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise RunError(Problem(f"cannot write results: {error.strerror}", str(folder))) from None


def _write(study: Study, output: Path, outcomes: list[Outcome]) -> None:
    from ...version import __version__

    entries = [
        store.Entry(
            name=outcome.variant.name,
            hash=outcome.hash,
            changes=study.overrides(outcome.variant),
            status="finished" if outcome.status == "kept" else outcome.status,
            message=outcome.message,
            part=outcome.part,
            old=outcome.status == "kept" and outcome.part is None,
            seconds=outcome.seconds,
        )
        for outcome in outcomes
        if outcome.status != "interrupted"
    ]
    about = {"name": study.name, "study": study.text, "version": __version__}
    store.write_study(output, about, entries, study.settings.measures())
