"""Edits of a state machine's states and transitions, one undo step each."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from ...blocks import LuffError
from ...blocks.text.raw_types import Raw, RawMap
from .document import Document


def states(document: Document, block: str) -> dict[str, Raw]:
    raw = document.diagram.value(f"{block}.states")
    return dict(raw) if isinstance(raw, dict) else {}


def transitions(document: Document, block: str) -> list[Raw]:
    raw = document.diagram.value(f"{block}.transitions")
    return copy.deepcopy(raw) if isinstance(raw, list) else []


def add_state(document: Document, block: str) -> str:
    known = states(document, block)
    name = next(f"state{k}" for k in range(1, len(known) + 2) if f"state{k}" not in known)
    with document.step(f"add {name}"):
        document.set_value(f"{block}.states", {**known, name: {}})
    return name


def rename_state(document: Document, block: str, old: str, new: str) -> None:
    """Rename a state in its transitions and the initial state too. Raises LuffError for an invalid name."""
    known = states(document, block)
    if new == old or old not in known:
        return
    if not new.isidentifier():
        raise LuffError(f'found the name "{new}", expected letters, digits and underscores', path=block)
    if new in known:
        raise LuffError(f'there is a state "{new}" already', path=block)
    with document.step(f"rename {old}"):
        document.set_value(f"{block}.states", {new if key == old else key: raw for key, raw in known.items()})
        for k, one in enumerate(transitions(document, block)):
            for end in ("from", "to"):
                if isinstance(one, dict) and one.get(end) == old:
                    document.set_value(f"{block}.transitions[{k}].{end}", new)
        if document.diagram.value(f"{block}.initial") == old:
            document.set_value(f"{block}.initial", new)


def renaming(before: Raw, after: Raw) -> tuple[str, str] | None:
    """Old and new name if two lists of states differ in one name only."""
    if not (isinstance(before, dict) and isinstance(after, dict) and len(before) == len(after)):
        return None
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    if (
        len(changed) != 1
        or list(before.values()) != list(after.values())
        or not str(changed[0][1]).isidentifier()
    ):
        return None
    return str(changed[0][0]), str(changed[0][1])


def remove_state(document: Document, block: str, name: str) -> None:
    """Remove a state and its transitions."""
    known = states(document, block)
    if name not in known:
        return
    with document.step(f"remove {name}"):
        document.set_value(f"{block}.states", {key: raw for key, raw in known.items() if key != name})
        _set_kept(document, block, (one for one in transitions(document, block) if name not in _ends(one)))
        if document.diagram.value(f"{block}.initial") == name:
            document.unset_value(f"{block}.initial")


def add_transition(document: Document, block: str, source: str, target: str) -> int:
    """Add a transition and return its index."""
    known = transitions(document, block)
    made: RawMap = {"from": source, "to": target, "after": "1 s"}
    with document.step(f"add {source} to {target}"):
        document.set_value(f"{block}.transitions", [*known, made])
    return len(known)


def remove_transition(document: Document, block: str, index: int) -> None:
    known = transitions(document, block)
    if 0 <= index < len(known):
        with document.step("remove transition"):
            _set_kept(document, block, (one for k, one in enumerate(known) if k != index))


def _set_kept(document: Document, block: str, kept: Iterable[Raw]) -> None:
    left = list(kept)
    if left:
        document.set_value(f"{block}.transitions", left)
    else:
        document.unset_value(f"{block}.transitions")


def _ends(one: Raw) -> tuple[Raw, Raw]:
    return (one.get("from"), one.get("to")) if isinstance(one, dict) else (None, None)
