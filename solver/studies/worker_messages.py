"""What a process that runs variants is told, and what it says."""

from __future__ import annotations

from typing import TypedDict

from ..simulation.turning_points import Watched


class Order(TypedDict):
    """What is wanted of a run."""

    record: list[str]
    watched: list[Watched]  # what is looked at after each step
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


class Lanes(TypedDict):
    """Whether variants that are ordered together go in lanes, or None where that has to pay; what is left then, [s]."""

    wanted: bool | None
    left: float


class Orders(TypedDict):
    """Variants that may go side by side."""

    orders: list[ModelOrder]
    lanes: Lanes


class Answer(TypedDict):
    """How a run ended, and whether its file is there."""

    hash: str

    status: str
    message: str
    seconds: float | None
    saved: bool
    refuted: bool  # a line of `assert:` does not hold
    alone: str  # why it ran by itself; empty where it was in lanes to its end
    stepping: float | None  # seconds that its steps took, where it ran by itself
