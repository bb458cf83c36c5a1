"""Search from a task to its answer, for fits and optima; a search that was ended goes on."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from ...blocks.errors import LuffError, RunError
from ..results.result_files import atomic_replace
from ..studies.sections import refuse
from .parallel_runs import BestSoFar, RunCounter, SearchEnded
from .run_backends import RunBackend, run_backend
from .search_journal import SearchEnd, SearchJournal, least_of
from .tuning_file import Task

STOPPED = "the search was stopped before its first step"

Progress = Callable[[int, str], object]


class Answer(ABC):
    """Result of a search: a fit or an optimum."""

    units: Mapping[str, str] = MappingProxyType({})  # in which what is searched for is told; values are in SI
    file: Path | None = None  # that this call has written
    alone: dict[str, int]  # how many runs of this call were by themselves, by the reason; "" in lanes

    @abstractmethod
    def as_dict(self) -> dict[str, object]:
        """Convert to plain data, as the result file holds it.

        Returns
        -------
        dict
            Values and searches.
        """

    def save(self, path: str | Path) -> None:
        """Write to a .json file that `luff.read` reads; one that was there is replaced.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        LuffError
            The file cannot be written.
        """
        with atomic_replace(Path(path), "the result") as part:
            part.write_text(json.dumps(self.as_dict(), indent=1) + "\n", encoding="utf-8")


A = TypeVar("A", bound=Answer, covariant=True)


class SearchObjective(Protocol[A]):
    """Objective at points of the cube."""

    digest: str

    def searches(self, journal: SearchJournal) -> Iterator[SearchEnd]:
        """Ends of the searches; those that the journal holds are not repeated."""
        ...

    def answer(self, ends: list[SearchEnd], status: str) -> A:
        """Answer at the best end."""
        ...


def run_searches(
    task: Task,
    aimed: Callable[[Task, RunBackend, RunCounter], SearchObjective[A]],
    output: str | Path | None,
    progress: Progress | None,
    fresh: bool,
    on: object,
    threads: int | None,
    improved: Callable[[BestSoFar], object] | None = None,
) -> A:
    """The best end of all searches, and its file where one is wanted; of a search that was ended the best so far.

    The file of a search that was ended takes the place of no finished result. `improved` hears each better value.
    """
    watch, target = RunCounter(progress, improved=improved), Path(output) if output is not None else None
    with closing(run_backend(on, threads)) as made:
        try:
            aim = aimed(task, made, watch)
        except (SearchEnded, KeyboardInterrupt):
            raise RunError(STOPPED) from None
        except LuffError as error:
            refuse(error.problems, task.document)
            raise
        journal = SearchJournal(target, aim.digest, fresh)
        ends = finished_searches(target, aim.digest) if not fresh else []
        status, before = "finished", journal.best()
        try:
            if before is not None:
                watch.report_progress(value=least_of(before))
            if not ends:
                ends.extend(aim.searches(journal))
        except (SearchEnded, KeyboardInterrupt):
            status = "interrupted"
            best = journal.best()
            if best is None:
                raise RunError(STOPPED) from None
            ends += [best] if best not in ends else []
        watch.progress = None  # what is left are a few runs
        answer = aim.answer(ends, status)
        answer.alone, answer.units = dict(watch.alone), task.units
        if target is not None and (status == "finished" or not finished_result(target)):
            answer.save(target)
            answer.file = target
        if status == "finished":
            journal.close()
        return answer


def finished_searches(target: Path | None, digest: str) -> list[SearchEnd]:
    """Searches of the finished result of the same task in a file; none of another file."""
    kept = finished_result(target)
    return kept["searches"] if kept.get("task") == digest else []


def finished_result(target: Path | None) -> dict[str, Any]:
    """Finished result that a file holds; empty of another file."""
    if target is None or not target.is_file():
        return {}
    try:
        kept = json.loads(target.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) and kept.get("status") == "finished" else {}
