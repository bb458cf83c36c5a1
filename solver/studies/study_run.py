"""Run the variants of a study side by side, each in a process of a few; what was done before is not done again."""

from __future__ import annotations

import math
import queue
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ...blocks.errors import LuffError, Problem, RunError
from ..codegen.target_cpu import processors
from ..flatten.flatten import flatten
from ..netlist import Given
from ..simulation.script_values import parameter_changes
from . import study_store, variant_file
from .lane_groups import LaneGrouping
from .study_file import Study, load
from .variant_fingerprint import fingerprint, kept_digest, structure_fingerprint
from .variant_outcome import VariantOutcome
from .worker_messages import ModelOrder, Orders
from .worker_process import Said, StudyWorker

POLL = 0.1  # seconds between looks at whoever may want to stop
# seconds beyond a variant's limit: for what is compiled before its first step; for a machine that is busy with others
BEGINNING, STANDING = 300.0, 60.0


@dataclass
class _WorkerPool:
    """Processes, and the variants that wait for them."""

    study: Study
    folder: Path
    waiting: list[VariantOutcome]
    most: int
    limit: float | None = None  # seconds that the steps of a variant may take
    grouping: LaneGrouping = field(default_factory=LaneGrouping)
    workers: list[StudyWorker] = field(default_factory=list)
    begun: bool = False  # whether a variant is under way, and all that it calls compiled
    heard: queue.Queue[tuple[StudyWorker, Said | None]] = field(default_factory=queue.Queue)

    def hire(self) -> None:
        for worker in self.workers:  # some may have nothing to do when variants come back
            if worker.ready and not worker.under_way:
                self.give(worker)
        busy = sum(bool(worker.under_way) for worker in self.workers)
        # what is not compiled yet is compiled once, not by each
        most = self.most if self.begun else 1
        while len(self.workers) < min(most, busy + len(self.waiting)):
            self.workers.append(StudyWorker(self.heard))

    def give(self, worker: StudyWorker) -> None:
        """Order the next variants from a process, or nothing when none waits."""
        if not self.waiting:
            return
        group = self.grouping.take(self.waiting, self.most)
        left = self.grouping.left(group, self.waiting, self.most)
        orders: Orders = {
            "orders": [self._order(outcome) for outcome in group],
            "lanes": {"wanted": self.grouping.wanted, "left": left},
        }
        worker.run(group, orders)
        self._set_deadline(worker, BEGINNING)

    def _order(self, outcome: VariantOutcome) -> ModelOrder:
        outcome.part = self.folder / f"{outcome.hash}{variant_file.SUFFIX}"
        return {
            "model": str(self.study.model),
            "allow_code": self.study.allow_code,
            "files": [str(folder) for folder in self.study.files],
            "changes": self.study.overrides(outcome.variant),
            "record": list(self.study.settings.record),
            "watched": self.study.watched,
            "replay": self.study.replay,
            "hash": outcome.hash,
            "output": str(outcome.part),
            "limit": self.limit,
        }

    def listen(self) -> VariantOutcome | None:
        """Take in one message; returns the outcome that it ends, if it ends one."""
        self._stop_hanging()
        try:
            worker, words = self.heard.get(timeout=POLL)
        except queue.Empty:
            return None
        if words is None:
            return self._account_death(worker)
        worker.ready = True
        if "ready" in words:
            self.hire()
            return None
        self.begun = True
        outcome = worker.under_way[words["hash"]]
        if "share" in words:
            outcome.share = words["share"]
            self._set_deadline(worker, STANDING)
            return None
        del worker.under_way[outcome.hash]
        self._set_deadline(worker, STANDING)
        outcome.heard(words)
        self.grouping.heard(outcome, words, worker.ordered)
        self.hire()
        return outcome

    def _account_death(self, worker: StudyWorker) -> VariantOutcome | None:
        """Account for a process that died: a single variant has failed, several are run again one by one."""
        self.workers.remove(worker)
        worker.end(at_once=True)
        lost, code = [*worker.under_way.values()], worker.process.returncode
        if not lost and not worker.ready:
            raise RunError(
                f"a process of the study died with code {code} as it began; its output stands above"
            )
        if len(lost) == 1 and worker.ordered == 1:
            (outcome,) = lost
            outcome.status, outcome.part = "failed", None
            outcome.message = f"its process died with code {code}"
            if worker.late:
                outcome.message = f"it took more than {self.limit:g} s"
        else:
            outcome = None
            self.grouping.lost(lost)
            for each in lost:
                each.status, each.share = "waiting", 0.0
            self.waiting[:0] = lost
        self.hire()
        return outcome

    @property
    def busy(self) -> bool:
        return bool(self.waiting) or any(worker.under_way for worker in self.workers)

    def _set_deadline(self, worker: StudyWorker, more: float) -> None:
        """Set the time by which the next message has to come: the limit, and this many seconds."""
        worker.until = time.monotonic() + self.limit + more if self.limit is not None else None

    def _stop_hanging(self) -> None:
        """Kill processes whose variant is past its limit: it should have ended by itself."""
        for worker in self.workers:
            if worker.under_way and worker.until is not None and time.monotonic() > worker.until:
                worker.late, worker.until = True, None
                worker.process.kill()

    def dismiss(self, at_once: bool) -> None:
        for worker in self.workers:
            worker.end(at_once)


Progress = Callable[[Sequence[VariantOutcome], VariantOutcome | None], object]


def run(
    study: Study,
    output: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
    on: object = None,
    limit: float | None = None,
    lanes: bool | None = None,
) -> list[VariantOutcome]:
    """Run the variants that the file does not hold yet.

    `progress(outcomes, ended)` is called all the while; when it returns False, or at Ctrl-C, the study ends and
    keeps the variants that are done. `on` is a cluster of Dask, or None for processes of this machine. `limit` is
    the time that the steps of a variant may take [s]. `lanes` forces or forbids lanes; None lets them be used where
    that saves time.
    """
    _check_limit(limit)
    outcomes = [VariantOutcome(variant) for variant in study.variants]
    known = study_store.finished(output)
    if fresh:
        known = set()
    folder = study_store.partial_folder(output)
    _identify(study, outcomes)
    for outcome in outcomes:
        part = folder / f"{outcome.hash}{variant_file.SUFFIX}"
        if outcome.hash in known:
            outcome.status = "kept"
        elif not fresh and variant_file.is_finished(part):
            outcome.status, outcome.part = "kept", part
        outcome.share = 1.0 if outcome.status == "kept" else 0.0
    # variants that say the same in other words run once
    first: dict[str, VariantOutcome] = {}
    twins = [(o, first[o.hash]) for o in outcomes if o.hash and first.setdefault(o.hash, o) is not o]
    alike = {id(outcome) for outcome, _ in twins}
    waiting = [o for o in outcomes if o.status == "waiting" and id(o) not in alike]
    cancelled = False
    if waiting:
        _make(folder)
        from .dask_cluster import Cluster

        work = study, folder, waiting
        crew: Engine = (
            _WorkerPool(*work, jobs or processors(), limit, LaneGrouping(lanes))
            if on is None
            else Cluster(on, *work, jobs, limit, LaneGrouping(lanes))
        )
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
    _settle(outcomes, twins)
    _write(study, output, outcomes)
    return outcomes


def _settle(
    outcomes: Iterable[VariantOutcome], twins: Iterable[tuple[VariantOutcome, VariantOutcome]]
) -> None:
    """Copy outcomes to variants that equal another one; mark those that were not run as interrupted."""
    for outcome, twin in twins:
        outcome.status, outcome.message, outcome.part = twin.status, twin.message, twin.part
        outcome.refuted, outcome.alone = twin.refuted, twin.alone
    for outcome in outcomes:
        if outcome.status in ("waiting", "running"):
            outcome.status, outcome.part = "interrupted", None
            outcome.message = "the study ended before this variant"


class Engine(Protocol):
    """Runner of variants: takes them from `waiting` and reports their ends one message at a time."""

    waiting: list[VariantOutcome]

    @property
    def busy(self) -> bool:
        """True while a variant waits or is under way."""
        ...

    def hire(self) -> None:
        """Begin to run variants."""

    def listen(self) -> VariantOutcome | None:
        """Wait a little for a message; the outcome that it has ended."""

    def dismiss(self, at_once: bool) -> None:
        """End; with `at_once` without waiting for what is under way."""


def study(
    source: Given | Study,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    files: Iterable[str | Path] = (),
    on: object = None,
    limit: float | None = None,
    lanes: bool | None = None,
    *,
    set: Mapping[str, object] | None = None,
    **changes: object,
) -> study_store.StudyResult:
    """Run the variants of a study, as `luff study` does.

    Variants that differ in numbers alone are computed in lanes where that saves time.

    Parameters
    ----------
    source : str, Path or mapping
        A study file, or a mapping with its sections.
    output : str or Path, optional
        An .h5 file for the results; NAME.h5 in the current folder by default. Variants that it holds are not run again.
    jobs : int, optional
        Number of processes; one for each processor by default.
    progress : callable, optional
        Called with the state of the variants; the study ends when it returns False.
    files : iterable of str or Path, optional
        Folders, beside the file's own, that may be read.
    on : object, optional
        Dask in place of processes: the address of a scheduler, "local", a client or a cluster.
    limit : float, optional
        Time that the steps of a variant may take [s].
    lanes : bool, optional
        Compute in lanes: always or never; by default where that saves time. `.alone` says why a variant was not.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **changes : object
        Parameters of the model in place of the file's.

    Returns
    -------
    StudyResult
        Results by variant; `.statuses` and `.messages` tell of failed ones.

    Raises
    ------
    LuffError
        The file or the model is wrong.

    Examples
    --------
    >>> import luff, tempfile
    >>> from pathlib import Path
    >>> settings = {
    ...     "model": luff.load("library/templates/pendulum.yaml"),
    ...     "set": {"simulation.stop": "0.5 s"},
    ...     "variants": {"grid": {"mass": ["1 kg", "2 kg"]}},
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = luff.study(settings, Path(folder) / "masses.h5", jobs=1)
    ...     peaks = {name: result.peak("pin.velocity") for name, result in results.items()}
    >>> len(peaks), set(results.statuses.values())
    (2, {'finished'})
    """
    loaded = (
        source if isinstance(source, Study) else load(source, parameter_changes(set, changes), files=files)
    )
    target = Path(output) if output is not None else Path(f"{(loaded.path or Path('study')).stem}.h5")
    outcomes = run(loaded, target, jobs, progress, on=on, limit=limit, lanes=lanes)
    return with_alone_figures(study_store.read_study(target), outcomes)


def with_alone_figures(
    results: study_store.StudyResult, outcomes: Iterable[VariantOutcome]
) -> study_store.StudyResult:
    """Results with `.alone` of the variants that ran just now, which no file keeps."""
    results.alone = {each.variant.name: each.alone for each in outcomes if each.alone is not None}
    return results


def _check_limit(limit: float | None) -> None:
    if limit is not None and not 0.0 < limit < math.inf:
        raise RunError(f"found {limit:g} s, expected a number above zero", path="limit")


def _identify(study: Study, outcomes: list[VariantOutcome]) -> None:
    """The hash of each variant; one that the model refuses has failed."""
    diagram = study.diagram()
    for outcome in outcomes:
        try:
            flat = flatten(diagram, study.overrides(outcome.variant))
            outcome.hash = fingerprint(
                flat, [*study.settings.record, *kept_digest(study.watched, study.replay)]
            )
            outcome.kind = structure_fingerprint(flat)
        except LuffError as error:
            outcome.status, outcome.message, outcome.share = "failed", str(error), 1.0


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise RunError(Problem(f"cannot write results: {error.strerror}", str(folder))) from None


def _write(study: Study, output: Path, outcomes: list[VariantOutcome]) -> None:
    from ...version import __version__

    entries = [
        study_store.Entry(
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
    study_store.write_study(output, about, entries, study.settings.measures())
