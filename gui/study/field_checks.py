"""Mistakes of what is typed into the fields of studies and searches. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...solver.flatten.unit_kinds import other_kind
from ...solver.results.file_columns import columns_with_units
from ..properties.value_text import from_text, sentence_of, split


def unknown_signal(text: str, signals: Collection[str], what: str = "signal") -> str:
    """Sentence about a name that no signal has; empty for a known one, and while no signals are known.

    A vector's own name stands for its elements.
    """
    if not text or not signals or text in signals:
        return ""
    if any(name.startswith(f"{text}[") for name in signals):
        return ""
    return unknown(text, signals, what)


def unknown(text: str, known: Iterable[str], what: str, fix: str = "") -> str:
    """Sentence about a name that is not of the model, with the nearest one that is, or else with `fix`."""
    near = did_you_mean(text, known, listed=True) or fix
    return sentence_of(Problem(f"found {what} {text}, expected one of the model", fix=near))


def wrong_quantity(text: str, own: str) -> str:
    """Sentence about a number whose unit is not of the kind of `own`; expressions are left to the model."""
    try:
        parts = split(from_text(text))
        if parts is None or not parts[1]:
            return ""
        return wrong_unit(parts[1], own)
    except LuffError as error:
        return sentence_of(error.problems[0])


def wrong_unit(word: str, own: str) -> str:
    """Sentence about a unit that is none, or not of the kind of `own`."""
    if not word or not own:
        return ""
    try:
        return other_kind(word, word, own)
    except LuffError as error:
        return sentence_of(error.problems[0])


def columns_in(path: Path) -> list[str]:
    """Columns of a file of measured signals; none where it cannot be read."""
    try:
        return [*columns_with_units(path, "a file of measured signals")]
    except LuffError:
        return []
