"""Concurrent searches: each is written as if it were alone; points wanted at one time are run together.

Each has a thread of its own, which waits while runs are made: all of them in the thread that asked for the searches.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from .parallel_runs import SearchEnded
from .search_journal import SearchEnd


class PointAnswers(Protocol):
    """Answers, one for each point."""

    def __getitem__(self, rows: slice, /) -> Any: ...


T = TypeVar("T", bound=PointAnswers)
Ask = Callable[[np.ndarray], T]  # points of the cube, and their answers
Search = Callable[[Ask[T]], SearchEnd]


@dataclass
class SearchMessage(Generic[T]):
    """Message of a search: it wants answers at points, has ended, or failed."""

    search: int
    points: np.ndarray | None = None
    end: SearchEnd | None = None
    fault: BaseException | None = None


class ConcurrentSearches(Generic[T]):
    """Searches that share their runs; `evaluate` makes them."""

    def __init__(self, evaluate: Ask[T], searches: Sequence[Search[T]]):
        self._evaluate, self._searches = evaluate, searches
        self._heard: queue.Queue[SearchMessage[T]] = queue.Queue()
        self._answers: list[queue.Queue[T | None]] = [queue.Queue() for _ in searches]
        self._stopped = False
        self._ends: dict[int, SearchEnd] = {}

    def ends(self) -> Iterator[SearchEnd]:
        """Yield the ends of the searches in their order; an error of one ends all, after those that had ended."""
        threads = [Thread(target=self._search, args=(k,), daemon=True) for k in range(len(self._searches))]
        try:
            for thread in threads:
                thread.start()
            self._answer_all()
        except BaseException:
            yield from self._known()
            raise
        finally:
            self._stopped = True
            for answers in self._answers:
                answers.put(None)
            for thread in threads:
                thread.join()
        yield from self._known()

    def _known(self) -> list[SearchEnd]:
        return [self._ends[k] for k in sorted(self._ends)]

    def _answer_all(self) -> None:
        waiting: dict[int, np.ndarray] = {}
        while len(self._ends) < len(self._searches):
            if len(waiting) + len(self._ends) < len(self._searches):
                word = self._heard.get()
                if word.fault is not None:
                    raise word.fault
                if word.end is not None:
                    self._ends[word.search] = word.end
                elif word.points is not None:
                    waiting[word.search] = word.points
                continue
            asked = sorted(waiting)
            made = self._evaluate(np.vstack([waiting[k] for k in asked]))
            first = 0
            for k in asked:
                count = len(waiting.pop(k))
                self._answers[k].put(made[first : first + count])
                first += count

    def _search(self, k: int) -> None:
        def ask(points: np.ndarray) -> T:
            if self._stopped:
                raise SearchEnded
            self._heard.put(SearchMessage(k, points=np.atleast_2d(points)))
            made = self._answers[k].get()
            if made is None:
                raise SearchEnded
            return made

        try:
            self._heard.put(SearchMessage(k, end=self._searches[k](ask)))
        except BaseException as error:
            self._heard.put(SearchMessage(k, fault=error))
