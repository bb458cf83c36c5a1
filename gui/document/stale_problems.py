"""Problems that an edit makes void before anything is checked anew."""

from __future__ import annotations

from collections.abc import Iterable

from ...blocks.errors import Problem
from ...solver.diagram.netlist_edits import Event


def without_stale(problems: Iterable[Problem], event: Event) -> list[Problem]:
    """Those that may still be there: of no block that the edit took away or renamed, and of no wire whose number in the
    list it has changed."""
    gone = {"removed": event.name, "renamed": event.detail}.get(event.kind, "")
    numbers = event.kind in ("removed", "disconnected")
    return [
        problem
        for problem in problems
        if not (gone and block_of(problem) == gone) and not (numbers and problem.path.startswith("connect["))
    ]


def block_of(problem: Problem) -> str:
    return problem.path.removeprefix("blocks.").replace("[", ".").partition(".")[0]
