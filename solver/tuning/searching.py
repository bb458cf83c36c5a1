"""From a task to its answer, for fits and optima alike: a search that was ended goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from ...blocks.errors import LuffError, RunError
from ..result.export import replacing
from .engines import Engine, engine
from .journal import End, Journal
from .runs import Ended, Watch
from .task import Task

STOPPED = "the search was stopped before its first step"

Progress = Callable[[int, str], object]


class Answer:
    """What a search comes to: a fit or an optimum."""

    units: Mapping[str, str] = MappingProxyType({})  # in which what is searched for is told; values are in SI
    alone: dict[str, int]  # how many runs of this call were by themselves, by the reason; "" in lanes

    def as_dict(self) -> dict[str, object]:
        """Plain data, as the result file holds it."""
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        with replacing(Path(path), "the result") as part:
            part.write_text(json.dumps(self.as_dict(), indent=1) + "\n", encoding="utf-8")


A = TypeVar("A", bound=Answer, covariant=True)


class Aim(Protocol[A]):
    """What is to be small at points of the cube."""

    digest: str

    def searches(self, journal: Journal) -> Iterator[End]:
        """Where each search ended; those that the journal knows are not made again."""
        ...

    def answer(self, ends: list[End], status: str) -> A: ...


def searched(
    task: Task,
    aimed: Callable[[Task, Engine, Watch], Aim[A]],
    output: str | Path | None,
    progress: Progress | None,
    fresh: bool,
    on: object,
    threads: int | None,
) -> A:
    """The best end of all searches, and its file where one is wanted."""
    watch, target = Watch(progress), Path(output) if output is not None else None
    with closing(engine(on, threads)) as made:
        try:
            aim = aimed(task, made, watch)
        except (Ended, KeyboardInterrupt):
            raise RunError(STOPPED) from None
        except LuffError as error:
            task.refuse(error.problems)
            raise
        journal = Journal(target, aim.digest, fresh)
        ends = finished(target, aim.digest) if not fresh else []
        status = "finished"
        try:
            if not ends:
                ends.extend(aim.searches(journal))
        except (Ended, KeyboardInterrupt):
            status = "interrupted"
            last = journal.last()
            if last is None:
                raise RunError(STOPPED) from None
            ends += [last] if last not in ends else []
        watch.progress = None  # what is left are a few runs
        answer = aim.answer(ends, status)
        answer.alone, answer.units = dict(watch.alone), task.units
        if target is not None and status == "finished":
            answer.save(target)
            journal.close()
        return answer


def finished(target: Path | None, digest: str) -> list[End]:
    """Searches that a result file of the same task holds."""
    if target is None or not target.is_file():
        return []
    try:
        kept = json.loads(target.read_text(encoding="utf-8"))
    except ValueError:
        return []
    return kept["searches"] if isinstance(kept, dict) and kept.get("task") == digest else []
