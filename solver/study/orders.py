"""What a process that runs variants is told, and what it says."""

from __future__ import annotations

from typing import TypedDict


class Order(TypedDict):
    """What is wanted of a run."""

    record: list[str]
    replay: str  # file of what an operator did, or empty
    hash: str  # of the variant as the study began
    output: str
    limit: float | None  # seconds that its steps may take


class ModelOrder(Order):
    """With where its model is read."""

    model: str
    allow_code: bool
    files: list[str]
    changes: dict[str, object]


class Answer(TypedDict):
    """How a run ended, and whether its file is there."""

    status: str
    message: str
    seconds: float | None
    saved: bool
    refuted: bool  # a line of `assert:` does not hold
