"""Marks of problems: which block or wire a problem is about, and the worst that each has."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...blocks.errors import Problem
from ..document.document import INCOMPLETE, Document
from ..drawing.wire_nets import ring_of

MARKS = ("error", "warning", INCOMPLETE, "")  # the first of those that a block or a wire has is shown


def subject_of(path: str, blocks: Iterable[str], connections: list[str]) -> str:
    """Block name or connection text that a problem's path (`blocks.slew.axis`, `pd.effort`, `connect[3]`) refers to."""
    if path.startswith("connect["):
        number = path[8:].partition("]")[0]
        index = int(number) if number.isdigit() else -1
        return connections[index] if 0 <= index < len(connections) else ""
    if path in connections:
        return path
    words = path.replace("[", ".").split(".")
    if words[0] == "blocks":
        words = words[1:]
    return words[0] if words and words[0] in blocks else ""


def marks_of(problems: Iterable[Problem], document: Document, blocks: Collection[str]) -> dict[str, str]:
    """Marks (error, warning, incomplete) by block name or connection text."""
    connections = document.diagram.connections
    marks: dict[str, str] = {}
    for problem in problems:
        subjects = ring_of(problem.message, connections, document.diagram.level)
        subjects.append(subject_of(problem.path, blocks, connections))
        mark = document.mark_of(problem)
        for subject in subjects:
            if subject and MARKS.index(mark) < MARKS.index(marks.get(subject, MARKS[-1])):
                marks[subject] = mark
    return marks
