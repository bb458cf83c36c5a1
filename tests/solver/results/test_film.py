"""Pictures of the bodies that a run takes beside its rows."""

from __future__ import annotations

import numpy as np
import pytest

import luff

PENDULUM = """
luff: 1
blocks:
  world: {gravity: [0, 0, -9.81]}
  pin: {type: revolute, axis: y, initial: {position: 1.0}}
  bob: {type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a
record: [pin.position]
simulation: {stop: 1 s, step: 1 ms, output_step: 5 ms, method: METHOD}
"""


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_film_shows_the_bodies_where_the_rows_say(method: str) -> None:
    sim = luff.compile(luff.loads(PENDULUM.replace("METHOD", method)))
    session = sim.start()
    session.film = 4
    rng = np.random.default_rng(5)
    films = []
    while session.advance(steps=int(rng.integers(1, 90))) == "running":
        films.append(session.take_film())
    films.append(session.take_film())
    times, frames = (np.concatenate(parts) for parts in zip(*films, strict=True))
    row_times, rows = session.take()
    np.testing.assert_allclose(times, np.arange(1, 51) * 0.02, rtol=1e-12)
    assert frames.shape == (50, 1, 12)
    angle = rows[::4, session.columns.index("pin.position")][1:]
    np.testing.assert_allclose(row_times[::4][1:], times, rtol=1e-12)
    assert np.ptp(angle) > 0.5
    reference = luff.compile(luff.loads(PENDULUM.replace("METHOD", method)))
    for q, frame in zip(angle, frames, strict=True):
        reference.evaluate(0.0, np.array([q, 0.0]))
        np.testing.assert_allclose(frame[0], reference.instance.data.row[0, 12:24], atol=1e-12)


def test_a_run_takes_no_pictures_unasked() -> None:
    session = luff.compile(luff.loads(PENDULUM.replace("METHOD", "rk4"))).start()
    session.advance(steps=100)
    times, frames = session.take_film()
    assert len(times) == 0
    assert frames.shape == (0, 1, 12)
