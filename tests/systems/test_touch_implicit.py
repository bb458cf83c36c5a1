"""`implicit` with shapes that touch: bristles of pairs that push, of pairs that let go, and of pairs that never met."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from math import comb, factorial

import numpy as np
import pytest

import luff
from luff.solver.integrators.run_data import TRIED
from luff.solver.kernels.stiction import FORGETS
from luff.tests.conftest import about_compiling
from luff.tests.shared.netlists import TOUCHING_BOXES

STIFFNESS, GAMMA = 1e5, 0.435866521508459
LAW = f"{{stiffness: {STIFFNESS}, dissipation: 1}}"
SLAB = "{kind: box, size: [0.4, 0.4, 0.2], round: 0.01}"


def model(friction: str, posts: int = 1, height: float = 5.0, **settings: object) -> luff.Simulation:
    """A box above the ground, with spheres that it never meets."""
    blocks = [
        f"free: {{type: free, initial: {{position: [0, 0, {height}], velocity: [1, 0, 0]}}}}",
        f"box: {{type: rigid_link, mass: 2, inertia: [0.01, 0.01, 0.01], shape: {SLAB}}}",
        "energy: {type: energy_sensor}",
        "ground: {type: fixture, shape: {kind: plane}}",
        *(
            f"post{k}: {{type: fixture, shape: {{kind: sphere, size: 0.2, at: [{k}, 9, 0]}}}}"
            for k in range(posts)
        ),
        f"meet: {{type: touch, of: [box], against: [ground, 'post*'], law: {LAW}{friction}}}",
    ]
    settings = {"stop": 100, "method": "implicit", "step": 1e-3, **settings}
    shown = ", ".join(f"{key}: {value}" for key, value in settings.items())
    return luff.compile(
        luff.loads(
            "luff: 1\nblocks:\n  " + "\n  ".join(blocks) + "\n"
            "connect: [world.frame -- free.frame_a, free.frame_b -- box.frame_a]\n"
            f"simulation: {{{shown}}}\n"
        )
    )


RUBS = ", friction: {mu: 0.5}"


def decay_in_a_step(z: float) -> float:
    """R(z) of an L-stable method of order 3 with four stages and one gamma (Hairer and Wanner II, eq. IV.7.14)."""
    series = [
        sum(comb(4, i) * (-GAMMA) ** i / factorial(k - i) for i in range(min(k, 4) + 1)) for k in range(4)
    ]
    return sum(c * z**k for k, c in enumerate(series)) / (1.0 - GAMMA * z) ** 4


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_bristle_of_a_pair_that_let_go_decays_as_its_own_equation(step: float) -> None:
    sim = model(RUBS, step=step)
    session, n = sim.start(), len(sim.x0)
    at = sim.state_names.index("meet.bristle_box_post0[0]")
    begun, lost = 1e-3, n + 1
    session.x[at] = begun
    session.advance(steps=4)
    # rounding of four steps
    assert session.x[at] / begun == pytest.approx(decay_in_a_step(-FORGETS * step) ** 4, rel=1e-12)
    stored = STIFFNESS / 2.0 * (begun**2 - session.x[at] ** 2)
    # the rate of a square is twice as stiff: an error of order 3 in 2 FORGETS h, R(2z) beside exp(2z) in a step
    off = abs(decay_in_a_step(-2.0 * FORGETS * step) - np.exp(-2.0 * FORGETS * step))
    assert session.x[lost] == pytest.approx(stored, abs=STIFFNESS / 2.0 * begun**2 * max(4.0 * off, 1e-6))


def test_steps_slide_and_stop_as_those_of_rk4_a_tenth_as_long() -> None:
    coarse = model(RUBS, posts=6, height=0.1 - 2 * 9.81 / 4 / STIFFNESS, stop=0.5, output_step=1e-2).run()
    fine = model(
        RUBS,
        posts=6,
        height=0.1 - 2 * 9.81 / 4 / STIFFNESS,
        stop=0.5,
        output_step=1e-2,
        method="rk4",
        step=1e-4,
    ).run()
    # within the errors of rk4, whose energy is off by 1e-4, and of order 3 at the edges of sticking
    np.testing.assert_allclose(coarse["free.position"], fine["free.position"], rtol=0.0, atol=1e-6)
    np.testing.assert_allclose(coarse["free.velocity"], fine["free.velocity"], rtol=0.0, atol=1e-4)
    assert abs(coarse["free.velocity"][-1]).max() < 1e-4
    assert coarse.quality["energy"]["relative_residual"] < 1e-5


def test_bristles_of_pairs_that_do_not_push_cost_no_differences() -> None:
    """Steps with 124 bristles beside none: 1.9 times as long for 137 states, with a difference each 18 times."""
    durations = []
    for friction in (RUBS, ""):
        session = model(friction, posts=30).start()
        session.advance(steps=20)
        best = np.inf
        for _ in range(5):
            begun = time.process_time()
            session.advance(steps=200)
            best = min(best, time.process_time() - begun)
        durations.append(best)
    assert durations[0] < 4.0 * durations[1]


STATES = """
import json, sys
import luff
session = luff.compile(luff.loads(sys.stdin.read())).start()
session.advance(steps=5)
print(json.dumps(session.x.tolist()))
"""


def without_the_compiler(text: str, off: str) -> np.ndarray:
    """The state after five steps, in a process of its own."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": off}
    words = [sys.executable, "-c", STATES]
    done = subprocess.run(words, input=text, env=environment, check=True, text=True, capture_output=True)
    return np.array(json.loads(done.stdout))


@about_compiling
def test_steps_are_the_same_without_the_compiler() -> None:
    """A box that slides on the ground, another on it, both pushing from the start."""
    text = TOUCHING_BOXES.replace("step: 2 ms", "step: 0.1 ms").replace("0.3002", "0.29999")
    compiled, plain = (without_the_compiler(text, off) for off in ("0", "1"))
    # compiled code fuses products and sums; forces of 1e5 N/m turn 1e-16 m into 1e-11 N, 1e-14 m/s in a step
    np.testing.assert_allclose(compiled, plain, rtol=0.0, atol=1e-12)


def test_pairs_that_do_not_push_change_no_bit_of_the_others() -> None:
    """Also while a bristle of theirs decays, whose equation is solved alone: through landing, sliding and sticking."""
    ends = []
    for posts, bent in ((1, 0.0), (1, 1e-3), (7, 0.0), (7, 1e-3)):
        session = model(RUBS, posts=posts, height=0.11, stop=0.5).start()
        session.x[session.instance.program.state_names.index(f"meet.bristle_box_post{posts - 1}[0]")] = bent
        session.advance(steps=400)
        parts = session.instance.real[TRIED]
        ends.append((parts, session.x[:13].copy()))
    for parts, x in ends[1:]:
        assert parts == ends[0][0] > 450  # it lands in parts of steps
        np.testing.assert_array_equal(x, ends[0][1])


def test_snapshots_amid_refused_parts_and_amid_sticking_go_on_to_the_bit() -> None:
    sim = luff.compile(luff.loads(TOUCHING_BOXES))
    session, parts = sim.start(), []
    for steps in (10, 150):
        session.advance(steps=steps)
        mark, at = session.snapshot(), session.instance.real[TRIED]
        session.advance(steps=20)
        first = session.x.copy()
        parts.append(session.instance.real[TRIED] - at)
        session.restore(mark)
        session.advance(steps=20)
        np.testing.assert_array_equal(session.x, first)
        other = sim.start()
        other.restore(mark)
        other.advance(steps=20)
        np.testing.assert_array_equal(other.x, first)
    assert parts[0] > 100
    assert parts[1] == 20


@about_compiling
def test_lanes_that_part_their_steps_otherwise_have_the_bits_of_single_runs() -> None:
    friction = np.linspace(0.1, 0.8, 8)
    sim = luff.compile(luff.loads(TOUCHING_BOXES))
    parts = []
    for mu in friction:
        session = luff.compile(luff.loads(TOUCHING_BOXES), **{"between.friction.mu": mu}).start()
        session.advance(steps=50)
        parts.append(session.instance.real[TRIED])
    assert len({*parts}) == 8
    alone, together = (
        luff.batch(sim, {"between.friction.mu": friction}, "*", lanes=lanes, stop=0.1)
        for lanes in (False, True)
    )
    assert together.lanes == 8
    np.testing.assert_array_equal(together.table, alone.table)


def test_modes_at_rest_are_those_of_springs_where_it_sticks() -> None:
    """Of a box that slid and stopped, and of the equilibrium: corners and bristles are springs."""
    mass, turn, arm, bristle = 2.0, 0.01, 0.19, STIFFNESS
    weight = mass * 9.81
    sim = model(RUBS, height=0.1 - weight / 4 / STIFFNESS)
    session = sim.start()
    session.advance(steps=3000)
    rocks = 4 * STIFFNESS * arm**2 - weight * 0.1
    # damping moves single frequencies, not their product: the determinant is that of the stiffnesses
    sway = np.sqrt(np.sqrt(bristle / mass * rocks / turn))
    expected = [sway, np.sqrt(4 * STIFFNESS / mass), np.sqrt(2 * bristle * arm**2 / turn)]
    for x in (session.x[: len(sim.x0)].copy(), "equilibrium"):
        w = luff.modes(sim, x=x).frequencies[:6]
        found = [np.sqrt(w[0] * w[4]), w[2], w[3]]
        # corners roll by the depth, 5e-5 m, of their arms of 0.19 m
        assert found == pytest.approx(expected, rel=1e-4)
        assert np.sqrt(w[1] * w[5]) == pytest.approx(sway, rel=1e-4)
        assert luff.linearise(sim, x=x).stability in ("stable", "indifferent")
