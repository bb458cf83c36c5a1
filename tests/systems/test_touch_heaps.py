"""Heaps of shapes: pairs that are far cost little, and what they leave behind changes no later evaluation."""

from __future__ import annotations

import numpy as np

import luff
from luff.solver.kernels import model_data as f
from luff.tests.conftest import PLAIN

SHAPES = {
    "ball": "{kind: sphere, size: [0.4]}",
    "rod": "{kind: capsule, size: [0.3, 0.8]}",
    "box": "{kind: box, size: [0.5, 0.4, 0.3], round: 0.04}",
    "drum": "{kind: cylinder, size: [0.4, 0.5], round: 0.04}",
}


def heap(copies: int, touch: str, further: str = "", names: str = "") -> str:
    """Netlist of copies of the shapes side by side, 0.7 m apart, above a floor; one drum alone."""
    kinds = [*(["ball", "rod", "box"] * copies), "drum"]
    blocks, wires = [], []
    for k, kind in enumerate(kinds):
        at = [0.7 * (k % 3), 0.7 * (k // 3), 0.5]
        blocks.append(
            f"  {names}f{k}: {{type: free, initial: {{position: {at}}}}}\n"
            f"  {names}{kind}_{k}: {{type: rigid_link, mass: 50, inertia: [1, 1.2, 1.4], shape: {SHAPES[kind]}}}"
        )
        wires += [f"world.frame -- {names}f{k}.frame_a, {names}f{k}.frame_b -- {names}{kind}_{k}.frame_a"]
    bodies = [f"{names}{kind}_{k}" for k, kind in enumerate(kinds)]
    return f"""
luff: 1
blocks:
  floor: {{type: fixture, shape: {{kind: plane}}}}
{chr(10).join(blocks)}
  {names}heap: {{type: touch, among: [{", ".join(bodies)}, floor], law: {{stiffness: 2e5, dissipation: 1}}, {touch}}}
{further}
connect: [{", ".join(wires)}]
simulation: {{stop: 0.4 s, step: 1 ms, output_step: 10 ms}}
"""


ROLLING = "friction: {mu: 0.5, rolling: 5 mm}"


def test_evaluations_depend_on_the_state_alone_whatever_touched_before(seed: int) -> None:
    """Rates and outputs of all pairs in one work space, in any order of states, are to the bit those in a new one."""
    rng = np.random.default_rng(seed)
    sim = luff.compile(luff.loads(heap(1, ROLLING)))
    names = sim.state_names
    bristles = [k for k, name in enumerate(names) if "bristle" in name]
    places = [k for k, name in enumerate(names) if ".position" in name]
    used, elements, touched = sim.new_instance(), len(sim.program.mechanism.elements), set[int]()
    assert elements == 10
    for draw in range(3 if PLAIN else 40):
        x = np.array(sim.x0)
        # heaps of all densities: near ones, and ones where all are far
        x[places] = rng.uniform(-1, 1, len(places)) * 10.0 ** rng.uniform(-1, 1) + 0.3
        x[bristles] = rng.choice([0.0, 1e-3, 1e-120], len(bristles)) * rng.normal(size=len(bristles))
        new = sim.new_instance()
        here, there = used.rates(0.0, x).copy(), new.rates(0.0, x).copy()
        assert np.isfinite(there).all()
        np.testing.assert_array_equal(here, there, err_msg=f"draw {draw}")
        outputs = (run.data.element_out[:, : f.SLIP] for run in (used, new))
        np.testing.assert_array_equal(*outputs, err_msg=f"draw {draw}")
        touched |= set(np.flatnonzero(new.data.element_out[:, f.TOUCHING] > 0.0).tolist())
    assert PLAIN or len(touched) == elements


def test_list_of_near_pairs_misses_none_as_shapes_creep(seed: int) -> None:
    """Small motions, after which the list holds or is made anew: to the bit the rates of a work space that is new."""
    rng = np.random.default_rng(seed)
    deck = heap(2, ROLLING).replace("floor:", "sea: {type: revolute, axis: y}\n  floor:")
    deck = deck.replace("connect: [", "connect: [world.frame -- sea.frame_a, sea.frame_b -- floor.frame, ")
    deck = deck.replace("blocks:", "blocks:\n  pole: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}", 1)
    deck = deck.replace(
        "sea.frame_b -- floor.frame, ", "sea.frame_b -- pole.frame_a, pole.frame_b -- floor.frame, "
    )
    for text in (heap(2, ROLLING), deck):
        sim = luff.compile(luff.loads(text))
        x, used, names = np.array(sim.x0), sim.new_instance(), sim.state_names
        moves = [k for k, name in enumerate(names) if ".position" in name]
        bristles = [k for k, name in enumerate(names) if "bristle" in name]
        kept, touched, target = 0, set[int](), x[moves]
        for draw in range(10 if PLAIN else 400):
            listed = used.data.stand_at[:, f.STAND_LISTED].copy()
            if draw % 40 == 0:
                target = rng.uniform(0.0, 1.2, len(moves))
            x[moves] += (target - x[moves]) * rng.uniform(0.0, 0.04)
            x[bristles] = 0.0
            x[rng.choice(bristles)] = rng.choice([0.0, 0.0, 0.0, 1e-3])
            here, new = used.rates(0.0, x).copy(), sim.new_instance()
            np.testing.assert_array_equal(here, new.rates(0.0, x), err_msg=f"seed {seed}, draw {draw}")
            outputs = (run.data.element_out[:, : f.SLIP] for run in (used, new))
            np.testing.assert_array_equal(*outputs, err_msg=f"seed {seed}, draw {draw}")
            kept += bool((used.data.stand_at[:, f.STAND_LISTED] == listed).all())
            touched |= set(np.flatnonzero(new.data.element_out[:, f.TOUCHING] > 0.0).tolist())
        assert PLAIN or (40 < kept < 380 and len(touched) > 10)


def test_bristle_without_a_push_decays_and_takes_its_energy_along() -> None:
    sim = luff.compile(luff.loads(heap(1, ROLLING)))
    x, bent = np.array(sim.x0), sim.state_names.index("heap.bristle_rod_1_ball_0[0]")
    x[bent] = 2e-3
    x[[sim.state_names.index(f"f{k}.position[2]") for k in range(4)]] = 5.0
    run = sim.new_instance()
    rates = run.rates(0.0, x)
    assert rates[bent] == -100.0 * x[bent]
    # of k z^2 / 2, which falls at twice the rate of z; the bristle is as stiff as `law`
    energy = 0.5 * 2e5 * x[bent] ** 2
    out = run.data.element_out[:, [f.STORED, f.POWER_LOST]].sum(axis=0)
    np.testing.assert_allclose(out, [energy, 200.0 * energy], rtol=1e-12)


def test_two_mechanisms_with_heaps_have_the_rates_of_each_alone() -> None:
    """Bristles of pairs have other places in the state vector of both; contacts with bristles stand among them."""
    contact = (
        "  pin: {type: free, initial: {position: [9, 0, 0.1], velocity: [1, 0.5, 0]}}\n"
        "  foot: {type: rigid_link, mass: 10, inertia: [1, 1, 1]}\n"
        "  ground: {type: contact, radius: 0.1, law: {stiffness: 1e5, dissipation: 1}, friction: {mu: 0.3}}\n"
    )
    wires = ", world.frame -- pin.frame_a, pin.frame_b -- foot.frame_a, world.frame -- ground.plane, "
    wires += "foot.frame_a -- ground.of"
    first, second = heap(1, ROLLING, names="a_"), heap(1, "friction: {mu: 0.3}", contact, "b_")
    second = second.replace("floor", "deck").replace("]\nsimulation", f"{wires}]\nsimulation")
    blocks = second.partition("blocks:\n")[2].partition("\nconnect")[0]
    second_wires = second.partition("connect: [")[2].partition("]\n")[0]
    both = first.replace("blocks:\n", f"blocks:\n{blocks}\n").replace(
        "connect: [", f"connect: [{second_wires}, "
    )
    together = luff.compile(luff.loads(both))
    x = np.array(together.x0)
    rng = np.random.default_rng(1)
    bristles = [k for k, name in enumerate(together.state_names) if "bristle" in name]
    x[bristles] = 1e-4 * rng.normal(size=len(bristles))
    rates = together.new_instance().rates(0.0, x)
    for text in (first, second):
        alone = luff.compile(luff.loads(text))
        places = [together.state_names.index(name) for name in alone.state_names]
        own = alone.new_instance().rates(0.0, x[places])
        np.testing.assert_array_equal(rates[places], own)
        assert np.count_nonzero(own) > 40


def test_steps_of_a_heap_are_divided_unless_it_says_otherwise() -> None:
    """Four evaluations a step of rk4, and some 36 where a feature meets or parts."""
    counts = []
    for touch in ("", "divide_steps: false"):
        sim = luff.compile(luff.loads(heap(1, touch or "divide_steps: true")))
        session = sim.start()
        before = float(np.array(session.instance.data.scalar[f.EVALUATIONS]))
        session.advance(steps=400)
        counts.append(float(np.array(session.instance.data.scalar[f.EVALUATIONS])) - before)
    # a row of outputs may evaluate once more
    assert 4 * 400 <= counts[1] <= 4 * 400 + 41
    assert counts[0] >= counts[1] + 32


def test_outputs_of_far_pairs_are_zero_after_they_parted() -> None:
    sim = luff.compile(luff.loads(heap(1, ROLLING)))
    run = sim.new_instance()
    names = sim.state_names
    x = np.array(sim.x0)
    heights = [names.index(f"f{k}.position[2]") for k in range(4)]
    x[heights] = 5.0
    run.rates(0.0, x)
    x[heights] = 0.1
    run.rates(0.0, x)
    assert run.data.element_out[:, f.TOUCH_NORMAL].sum() > 0.0
    x[heights] = 5.0
    run.rates(0.0, x)
    for column in (f.TOUCH_NORMAL, f.RUBBING, f.DEFLECTION, f.TOUCHING, f.STORED, f.POWER_LOST):
        assert not run.data.element_out[:, column].any()
