"""A Sobol sample of plans that no motion can meet, or that are badly posed: each ends with a word on what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scipy.stats import qmc

import luff

from .models import TROLLEY, chain

pytest.importorskip("ipyopt")

SEED = 20
SEARCHED = 500  # iterations of a plan of two states: half of what one search may take
BASE: dict[str, Any] = {"controls": {"u": {"lower": -1, "upper": 1}}, "end": {"i2.x": 1, "at_rest": True}}

# what is wrong, by a number a from 0 to 1: changes of the plan, and a word of the message
WRONG: list[tuple[Callable[[float], dict[str, Any]], str]] = [
    (lambda a: {"duration": {"upper": 0.2 + 1.6 * a}}, r"i2\.x misses its end by"),  # 2 s is the least
    (
        lambda a: {"limits": {"i1.x": {"upper": 0.05 + 0.2 * a}}, "duration": {"upper": 3}},
        r"i2\.x misses its end by",
    ),
    (lambda a: {"limits": {"i2.x": {"lower": 0.01 + a}}}, "the start is 0, beyond the lower limit"),
    (lambda a: {"limits": {"i2.x": {"upper": 0.99 * a}}}, "the end is 1, beyond the upper limit"),
    (lambda a: {"limits": {"i1.x": {"lower": 1 + a, "upper": 1 - a}}}, "expected the lower below the upper"),
    (lambda a: {"duration": -a}, "duration"),
    (lambda a: {"duration": {"lower": 3 + a, "upper": 3 - a}}, "expected the lower below the upper"),
    (lambda a: {"limits": {"i1.x": {"upper": float("nan")}}}, r"limits\.i1\.x\.upper: found nan"),
    (lambda a: {"end": {"i2.x": float("nan")}}, r"end\.i2\.x: found nan"),
    (lambda a: {"end": {"i2.x": 1 + a, "i1.x": 1 + a, "at_rest": True}}, "no state .* has the wanted end"),
    (lambda a: {"controls": {"u": {"lower": 0.1 + a, "upper": 2}}}, "misses its end|come to rest|no motion"),
    (lambda a: {"controls": {"idle": {"lower": -1, "upper": 1 + a}}}, r"controls\.idle"),
    (
        lambda a: {"controls": {"u": {"lower": -1e-6 * a, "upper": 1e-6}}, "duration": {"upper": 3}},
        r"i2\.x misses its end by",
    ),
]


def sample() -> list[tuple[int, float]]:
    points = qmc.Sobol(2, seed=SEED).random(64)[:50]
    return [(int(kind * len(WRONG)), float(amount)) for kind, amount in points]


@pytest.mark.parametrize(("kind", "amount"), sample())
def test_badly_posed_plan_ends_with_a_word(kind: int, amount: float) -> None:
    print(f"seed {SEED}, kind {kind}, amount {amount}")
    change, words = WRONG[kind]
    told: list[int] = []
    with pytest.raises(luff.LuffError, match=words):
        luff.plan(
            {"model": chain(2), "plan": {**BASE, **change(amount)}}, progress=lambda k, words: told.append(k)
        )
    assert max(told, default=0) < SEARCHED


MOVE: dict[str, Any] = {
    "controls": {"accel": {"lower": -1, "upper": 1}},
    "end": {"trolley.position": 10, "at_rest": True},
}

# the same with a mechanism, which needs 6.7 s and 9.5 deg
NO_MOTION = r"misses its end by|does not come to rest|cannot keep its"
HANGING: list[tuple[Callable[[float], dict[str, Any]], str]] = [
    (lambda a: {"duration": {"upper": 1 + 5 * a}}, NO_MOTION),
    (
        lambda a: {
            "limits": {"pin.position": {"lower": -0.02, "upper": 0.001 + 0.02 * a}},
            "duration": {"upper": 8},
        },
        NO_MOTION,
    ),
    (
        lambda a: {"limits": {"trolley.velocity": {"upper": 0.1 + 0.7 * a}}, "duration": {"upper": 12}},
        NO_MOTION,
    ),
    (lambda a: {"controls": {"accel": {"lower": 0, "upper": 0.1 + a}}}, NO_MOTION),
    (
        lambda a: {"controls": {"accel": {"lower": -1e-9, "upper": 1e-9}}, "duration": {"upper": 9 + a}},
        NO_MOTION,
    ),
    (lambda a: {"end": {**MOVE["end"], "pin.position": 0.1 + a}}, "no state of the model was found"),
    (
        lambda a: {"end": {**MOVE["end"], "trolley.position": 1e6 * (1 + a)}, "duration": {"upper": 100}},
        NO_MOTION,
    ),
    (lambda a: {"cases": {"one": {}, "other": {"load.mass": -1 - a}}}, "expected a number >= 0 kg"),
    (lambda a: {"least": {"energy": 1}, "duration": 1 + 4 * a}, NO_MOTION),
]


def test_badly_posed_plans_of_a_mechanism_end_with_a_word(seed: int) -> None:
    """As many in a search as it has seeds; a search of a plan ends by itself."""
    for kind, amount in qmc.Sobol(2, seed=seed).random(4).tolist():
        change, words = HANGING[int(kind * len(HANGING))]
        print(f"kind {int(kind * len(HANGING))}, amount {amount}")
        with pytest.raises(luff.LuffError, match=words):
            luff.plan({"model": luff.loads(TROLLEY), "plan": {**MOVE, **change(amount)}})


def test_end_in_a_wrong_unit_is_told() -> None:
    move = {"controls": {"accel": {"lower": -1, "upper": 1}}, "end": {"trolley.position": "10 kg"}}
    with pytest.raises(luff.LuffError, match=r"end\.trolley\.position: .*kg"):
        luff.plan({"model": luff.loads(TROLLEY), "plan": move})


@pytest.mark.parametrize("name", ["rope", "load.mass"])
def test_number_of_the_model_is_not_chosen(name: str) -> None:
    move = {
        "controls": {"accel": {"lower": -1, "upper": 1}},
        "parameters": {name: {"lower": 4, "upper": 6}},
        "end": {"trolley.position": 10},
    }
    with pytest.raises(luff.LuffError, match="only inputs are chosen"):
        luff.plan({"model": luff.loads(TROLLEY), "plan": move})
