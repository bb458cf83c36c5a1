"""Messages to and from a process that runs variants."""

from __future__ import annotations

from typing import TypedDict

from ..simulation.turning_points import Watched


class Order(TypedDict):
    """Order of a run."""

    record: list[str]
    watched: list[Watched]  # what is looked at after each step
    replay: str  # file of what an operator did, or empty
    hash: str  # of the variant as the study began
    output: str
    limit: float | None  # seconds that its steps may take


class ModelOrder(Order):
    """Order of a run with the place of its model."""

    model: str
    allow_code: bool
    files: list[str]
    changes: dict[str, object]


class Lanes(TypedDict):
    """Use of lanes for variants ordered together: forced, forbidden or None; and the work that is left then [s]."""

    wanted: bool | None
    left: float


class Orders(TypedDict):
    """Variants that may go side by side."""

    orders: list[ModelOrder]
    lanes: Lanes


class Answer(TypedDict):
    """End of a run, and whether its file is there."""

    hash: str

    status: str
    message: str
    seconds: float | None
    saved: bool
    refuted: bool  # a line of `assert:` does not hold
    alone: str  # why it ran by itself; empty where it was in lanes to its end
    stepping: float | None  # seconds that its steps took, where it ran by itself
