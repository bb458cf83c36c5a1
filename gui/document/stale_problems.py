"""Removal of problems that an edit has made void, before the next check."""

from __future__ import annotations

from collections.abc import Iterable

from ...blocks.errors import Problem
from ...solver.diagram.netlist_edits import Event


def without_stale(problems: Iterable[Problem], event: Event) -> list[Problem]:
    """Problems that may still hold after an edit: without those of a removed or renamed block, or of wires whose
    index changed."""
    gone = {"removed": event.name, "renamed": event.detail}.get(event.kind, "")
    numbers = event.kind in ("removed", "disconnected")
    return [
        problem
        for problem in problems
        if not (gone and block_of(problem) == gone) and not (numbers and problem.path.startswith("connect["))
    ]


def block_of(problem: Problem) -> str:
    return problem.path.removeprefix("blocks.").replace("[", ".").partition(".")[0]
