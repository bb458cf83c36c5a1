"""What a problem speaks of, and which of several is shown."""

from __future__ import annotations

from collections.abc import Iterable

from ..document.document import INCOMPLETE

MARKS = ("error", "warning", INCOMPLETE, "")  # the first of those that a block or a wire has is shown


def subject_of(path: str, blocks: Iterable[str], connections: list[str]) -> str:
    """The block or the wire that a problem's path (`blocks.slew.axis`, `pd.effort`, `connect[3]`) speaks of."""
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
