"""Verdicts on the step of models that chance draws: against shorter steps, and in another place of the world."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pytest

import luff
from luff.solver.simulation.session import Session
from luff.tests.conftest import SEED
from luff.tests.systems.step_draws import KINDS, drawn, true_errors

CLAIMED = 0.1  # of its range a state may be off, and nothing is said
UNBALANCED = 0.005  # and energies, of what they change
MAGNITUDE = 10.0  # the estimate is one of magnitude


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    """Draws of a kind: more in a search."""
    return 25 if request.config.getoption(SEED) else 3


def gone(text: str) -> Session:
    session = luff.compile(luff.loads(text)).start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        while session.advance() == "running":
            pass
    return session


@pytest.mark.parametrize("kind", KINDS)
def test_step_is_told_as_too_long_where_it_is(kind: str, seed: int, count: int) -> None:
    """Runs that nothing is said of are right to what is claimed, and warnings are of errors that are there."""
    found: Counter[str] = Counter()
    for k in range(count):
        text, step, method = drawn(kind, 1000 * seed + k)
        session = gone(text)
        if session.status != "finished":
            found["failed"] += 1
            continue
        told = session.quality()["step_error"]
        rms, largest = true_errors(session.sim, step, method)  # type: ignore[arg-type]
        what = (
            f"{kind} {1000 * seed + k}: {told.get('estimate'):.3g} told, {rms:.3g} RMS, {largest:.3g} at most"
        )
        if told["verdict"] == "fine":
            found["missed" if rms > CLAIMED else "fine"] += 1
            assert rms < MAGNITUDE * CLAIMED, what
        else:
            found["false alarm" if largest < CLAIMED else "too long"] += 1
            unbalanced = session.quality().get("energy", {}).get("relative_residual", 0.0) > UNBALANCED
            assert unbalanced or largest > CLAIMED / MAGNITUDE, what
    print(kind, dict(found))
    # a miss is worse than an alarm: errors grow from an impact, or where they cannot be seen
    assert found["missed"] <= 0.1 * count


@pytest.mark.parametrize("kind", ["springs", "pendulum", "bounces"])
def test_verdicts_do_not_hang_on_where_the_world_begins(kind: str, seed: int, count: int) -> None:
    """A mast at another place and turned by any angle, with gravity turned alike: the same balance and verdict."""
    draw = np.random.default_rng(seed)
    for k in range(count):
        angle, at = draw.uniform(-np.pi, np.pi), (1000.0 * draw.standard_normal(3)).tolist()
        down = [-9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)]
        here = gone(drawn(kind, 1000 * seed + k)[0])
        place = f"at: {at!r}, rotate: [[y, {float(angle)!r}]]"
        there = gone(drawn(kind, 1000 * seed + k, place, f"{[float(g) for g in down]!r}")[0])
        assert here.status == there.status
        if here.status != "finished":
            continue
        one, other = here.quality(), there.quality()
        told = one["step_error"]["estimate"]
        # rounding of kilometres is 1e-13 m, in motions of 1e-4 m, and grows with them
        assert other["step_error"]["estimate"] == pytest.approx(told, rel=1e-2, abs=1e-6)
        # what rounding leaves of energies of 1e8 J, over all steps
        terms = sum(map(abs, (*other["energy"]["start"].values(), *other["energy"]["end"].values())))
        rounding = float(np.finfo(float).eps) * (10 + there.done) * terms
        residual, missing = one["energy"]["residual"], one["energy"]["relative_residual"]
        assert other["energy"]["residual"] == pytest.approx(residual, rel=1e-2, abs=rounding)
        if abs(residual) > 100 * rounding:
            assert other["energy"]["relative_residual"] == pytest.approx(missing, rel=3e-2)
        if all(abs(found / limit - 1) > 0.1 for found, limit in ((told, CLAIMED), (missing, UNBALANCED))):
            assert [str(each)[:60] for each in here.remarks] == [str(each)[:60] for each in there.remarks]
