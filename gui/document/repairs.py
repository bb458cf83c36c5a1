"""Repairs that problems propose, each one step of undo."""

from __future__ import annotations

from pathlib import Path

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...solver.diagram.spelling_repair import repair
from ...solver.flatten.diagram import Diagram
from .document import Document
from .undo_commands import Snapshot


def apply_repair(document: Document, problem: Problem) -> bool:
    """Put the proposed word in place of the misspelt one; False where that does not end the problem."""
    own = document.diagram

    def read(text: str) -> Diagram:
        return Diagram.from_yaml(text, "", own.base or Path(), own.allow_code, own.files, own.path)

    def check(text: str) -> list[Problem]:
        try:
            return read(text).check()
        except LuffError as error:
            return error.problems

    text = own.to_yaml()
    problems = check(text)
    same = (one for one in problems if (one.path, one.message) == (problem.path, problem.message))
    found = next(same, None)  # with its place in the text as it is now
    changed = repair(text, found, problems, check) if found is not None else None
    if changed is None:
        return False
    data = read(changed).snapshot()
    document.push(Snapshot(own, f"repair {problem.path.removeprefix('blocks.')}", lambda d: d.restore(data)))
    return True
