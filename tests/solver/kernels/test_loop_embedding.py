"""Loops in blocks: constraint embedding against bodies of six freedoms, the null-space method, and differences."""

from __future__ import annotations

import numpy as np
import pytest

import luff
from luff.bench.components import ladder
from luff.solver.initial.loop_blocks import strong_components
from luff.solver.kernels import model_data as f
from luff.solver.mechanism.loop_clusters import loop_clusters
from luff.tests.shared.compile_text import plain
from luff.tests.shared.maximal_coordinates import Twin, luff_accelerations
from luff.tests.shared.random_loops import random_loops
from luff.tests.solver.kernels.test_random_loops import moving

BAR = "mass: 1, com: [1, 0, 0], inertia: [0.01, 0.3, 0.3], frame_b: {at: [2, 0, 0]}, frames: {mid: {at: [1, 0, 0]}}"


def scissor(stages: int) -> str:
    """Crossed bars on each other: neighbouring loops share the pin in the middle of a stage."""
    blocks, wires = [], ["world.frame -- p.frame_a", "p.frame_b -- a0.frame_a"]
    blocks.append("p: {type: revolute, initial: {position: 0.8}, stiffness: 30, rest: 0.7}")
    for k in range(stages):
        blocks += [f"a{k}: {{type: rigid_link, {BAR}}}", f"b{k}: {{type: rigid_link, {BAR}}}"]
        angle = "initial: {position: 1.5}, damping: 0.3" if k == 0 else "guess: {position: 1.5}"
        blocks.append(f"m{k}: {{type: revolute, {angle}}}")
        wires += [f"a{k}.mid -- m{k}.frame_a", f"m{k}.frame_b -- b{k}.mid"]
        if k:
            blocks += [
                f"r{k}: {{type: revolute, guess: {{position: 1.5}}}}",
                f"l{k}: {{type: revolute, guess: {{position: -1.5}}}}",
            ]
            wires += [
                f"a{k - 1}.frame_b -- r{k}.frame_a", f"r{k}.frame_b -- b{k}.frame_a",
                f"b{k - 1}.frame_b -- l{k}.frame_a", f"l{k}.frame_b -- a{k}.frame_a",
            ]  # fmt: skip
    lines = ["luff: 1", "blocks:", "  world: {gravity: [0, -9.81, 0]}", *(f"  {b}" for b in blocks)]
    return "\n".join([*lines, "connect:", *(f"  - {w}" for w in wires)])


def choose(monkeypatch: pytest.MonkeyPatch, solver: int) -> None:
    """Compile with a solver wherever it can."""

    def chosen(n: int, r: int, responses: bool, clusters: np.ndarray | None) -> int:
        return f.DENSE if clusters is None else solver

    monkeypatch.setattr("luff.solver.initial.initial_state.cheapest_solver", chosen)


def agree_with_twin(sim: luff.Simulation, x: np.ndarray, efforts: dict[str, float]) -> None:
    """Accelerations of all bodies against equations in six coordinates a body, with all joints as constraints."""
    sim.evaluate(0.0, x)
    answer = Twin(sim).solve(efforts)
    for mine, wanted in zip(luff_accelerations(sim), (answer.spin, answer.point), strict=True):
        scale = max(1.0, *(abs(a).max() for a in wanted.values()))
        for body, a in mine.items():
            # the twin solves for all bodies and joints at once, and loses some digits
            np.testing.assert_allclose(a, wanted[body], rtol=0, atol=1e-9 * scale, err_msg=body)


@pytest.mark.parametrize("seed", range(12))
def test_embedded_loops_agree_with_bodies_of_six_freedoms(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(monkeypatch, f.EMBEDDED)
    rng = np.random.default_rng(seed)
    model = random_loops(rng)
    sim = plain(model.text)
    x = moving(sim, rng)
    values = sim.evaluate(0.0, x)
    efforts = {}
    for name, block in sim.program.flat.blocks.items():
        if block.type_name in ("revolute", "prismatic") and f"{name}.position" in values:
            q, v = values[f"{name}.position"], values[f"{name}.velocity"]
            given = model.efforts.get(name, 0.0)
            efforts[name] = given - block.stiffness * (q - block.rest) - block.damping * v
    agree_with_twin(sim, x, efforts)


def test_a_ladder_is_solved_loop_by_loop() -> None:
    sim = luff.compile(ladder(12))
    model, data = sim.instance.mechanisms[0]
    assert model.option[f.O_SOLVER] == f.EMBEDDED
    assert data.part[f.BLOCK, :13].tolist() == [2 * k for k in range(13)]
    assert not data.part[f.CHAINED, :24].any()


def test_loops_in_a_chain_are_solved_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of two that depend on the one before; positions, rates and accelerations as of one dense matrix."""
    made = []
    for whole in (False, True):
        if whole:
            monkeypatch.setattr("luff.solver.initial.loop_blocks.is_divisible", lambda *_: False)
        sim = plain(scissor(4))
        _, data = sim.instance.mechanisms[0]
        assert data.part[f.BLOCK, 1] == (6 if whole else 2)
        assert data.part[f.CHAINED, :6].any() != whole
        x = sim.x0 + 0.01 * np.arange(1.0, 1.0 + len(sim.x0))
        rates = sim.derivative(0.0, x)
        made.append((rates, data.q.copy(), data.v.copy(), sim.run(stop=0.2)["p.position"][-1]))
    for blocks, dense in zip(*made, strict=True):
        # Newton ends below rounding, so that only the order of sums differs
        np.testing.assert_allclose(blocks, dense, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("solver", [f.EMBEDDED, f.DENSE])
def test_reactions_of_a_chain_of_loops_balance(solver: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from luff.solver.diagnostics.energy_balance import worst_balance

    choose(monkeypatch, solver)
    sim = plain(scissor(3))
    sim.evaluate(0.0, sim.x0 + 0.1)
    sim.instance.kernel("reactions")
    assert worst_balance(sim.instance).residual < 1e-11


def test_derivatives_of_embedded_loops_agree_with_differences() -> None:
    sim = luff.compile(ladder(9))
    assert sim.instance.mechanisms[0][0].option[f.O_SOLVER] == f.EMBEDDED
    model, n, h = luff.linearise(sim), len(sim.x0), 1e-6
    for k in (0, 4, n - 1):
        step = h * np.eye(n)[k]
        wanted = (sim.derivative(0.0, sim.x0 + step) - sim.derivative(0.0, sim.x0 - step)) / (2 * h)
        # central differences: rounding over h, and h^2
        np.testing.assert_allclose(np.asarray(model.A)[:, k], wanted[:n], rtol=1e-5, atol=1e-5)


def test_lanes_of_embedded_loops_agree_with_single_runs() -> None:
    sim = luff.compile(ladder(9))
    names = {"a0.stiffness": np.array([40.0, 50.0, 60.0, 70.0])}
    found = luff.batch(sim, names, outputs=["a0.position"], stop=0.05)["a0.position"][:, -1]
    for value, mine in zip(names["a0.stiffness"], found, strict=True):
        other = luff.compile(ladder(9), **{"a0.stiffness": float(value)})
        assert mine == other.run(stop=0.05)["a0.position"][-1]


def test_a_free_joint_whose_orientation_follows_is_named_whatever_block_comes_last() -> None:
    """A body that floats and hangs on a pin, with a loop of four bars on it."""
    bar = "{type: rigid_link, mass: 1, inertia: [0.01, 0.1, 0.1], frame_b: {at: [1, 0, 0]}}"
    text = f"""
luff: 1
blocks:
  float: {{type: free}}
  body: {{type: rigid_link, mass: 2, inertia: [1, 1, 1], frame_b: {{at: [1, 0, 0]}}, frames: {{c: {{at: [2, 0, 0]}}}}}}
  pin: {{type: revolute}}
  j1: {{type: revolute, initial: {{position: 1.0}}}}
  l1: {bar}
  j2: {{type: revolute, guess: {{position: -1.0}}}}
  l2: {bar}
  j3: {{type: revolute, guess: {{position: -1.0}}}}
  l3: {bar}
  j4: {{type: revolute}}
connect:
  - world.frame -- float.frame_a
  - float.frame_b -- body.frame_a
  - world.frame -- pin.frame_a
  - pin.frame_b -- body.frame_a
  - body.frame_b -- j1.frame_a
  - j1.frame_b -- l1.frame_a
  - l1.frame_b -- j2.frame_a
  - j2.frame_b -- l2.frame_a
  - l2.frame_b -- j3.frame_a
  - j3.frame_b -- l3.frame_a
  - l3.frame_b -- j4.frame_a
  - j4.frame_b -- body.c
simulation: {{constraints: {{method: reduced}}}}
"""
    with pytest.raises(
        luff.LuffError, match="float: the constraints determine the orientation of a free joint"
    ):
        luff.compile(luff.loads(text))


def test_clusters_join_loops_that_share_rows_and_stand_on_one_row() -> None:
    # row 2 carries 3, 4 and 5; constraints along 3-4 and 4-5, and of the far row 7 with 6 by a relation
    parents = [-1, 0, 1, 2, 2, 4, 5, 6]
    cluster, member = loop_clusters(parents, [[3, 4], [4, 5], [7]])
    sets = [(sorted(member[first:end, f.CL_ROW].tolist()), base) for first, end, base in cluster.tolist()]
    assert sets == [([0], -1), ([1], 0), ([2], 1), ([3, 4, 5], 2), ([6], 5), ([7], 6)]
    assert member[member[:, f.CL_ROW], f.CL_PLACE].tolist() == [*range(8)]


def test_components_come_behind_what_they_depend_on() -> None:
    # 0 on 1, 1 on 2 and back, 3 on 0 and on 4
    assert strong_components([[1], [2], [1], [0, 4], []]) == [[1, 2], [0], [4], [3]]
