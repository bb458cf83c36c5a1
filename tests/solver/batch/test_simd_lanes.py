"""Runs side by side in registers: the bits of single runs, whatever a lane does that others do not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import luff
from luff.solver.batch import simd_group
from luff.solver.batch.simd_memory import MemoryGroups
from luff.solver.codegen import object_loader
from luff.solver.codegen.transforms.entry_point_variants import LANES
from luff.tests.conftest import PLAIN, about_compiling
from luff.tests.shared.random_trees import Limb, netlist, trees

LIBRARY = Path(luff.__file__).parent / "library"
# parts of models: they have no world, or ports that nothing is wired to
PARTS = (
    "base_on_springs",
    "boom_with_cylinder",
    "boom_with_hydraulics",
    "bridge_crane",
    "crane_gpme_laws",
    "crane_king",
    "digging_resistance",
    "empty",
    "excavator_arm",
    "load_sensing_section",
    "working_zone",
)
MODELS = [
    path for path in [*LIBRARY.glob("*.yaml"), *LIBRARY.glob("templates/*.yaml")] if path.stem not in PARTS
]

BALL = """
luff: 1
inputs: {push: {unit: N}}
blocks:
  rail: {type: prismatic, axis: z, initial: {position: 1}, damping: 0.1}
  ball: {type: rigid_link, mass: 1}
  low: {type: saturation, lower: 0.9, upper: 5}
  high: {type: zero_order_hold, sample_time: 0.01}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- ball.frame_a
  - inputs.push -> rail.effort
  - rail.position -> high.u
  - rail.position -> low.u
outputs: {z: rail.position, held: high.y}
simulation: {stop: 1, step: 0.001, output_step: 0.01, EXTRA}
"""


def mass_of(sim: luff.Simulation) -> tuple[str, float]:
    """The last mass that may be set."""
    for name, block in reversed(sim.program.flat.blocks.items()):
        mass = getattr(block, "mass", None)
        if "mass" in block.params and isinstance(mass, float) and mass > 0.0:
            try:
                sim.twin().set(f"{name}.mass", mass)
            except luff.LuffError:
                continue
            return f"{name}.mass", mass
    raise AssertionError("no mass")


@contextmanager
def models_watched() -> Iterator[None]:
    """No step of a group writes numbers of a model, which are not kept for those that leave it."""
    go = MemoryGroups._advance_groups

    def watched(groups: MemoryGroups, k: int) -> None:
        fixed = groups.memory[k, : groups._fixed]
        before = fixed.tobytes()
        go(groups, k)
        assert fixed.tobytes() == before

    with mock.patch.object(MemoryGroups, "_advance_groups", watched):
        yield


def agree(sim: luff.Simulation, parameters: dict[str, np.ndarray], **settings: object) -> luff.Batch:
    """Both ways give the same, bit for bit: what lanes gave."""
    alone = luff.batch(sim, parameters, "*", lanes=False, **settings)  # type: ignore[arg-type]
    with models_watched():
        together = luff.batch(sim, parameters, "*", lanes=True, **settings)  # type: ignore[arg-type]
    assert alone.lanes == 0
    assert together.status == alone.status
    assert together.messages == alone.messages
    np.testing.assert_array_equal(together.table, alone.table)
    return together


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_lanes_have_the_bits_of_single_runs(path: Path) -> None:
    sim = luff.compile(path)
    key, mass = mass_of(sim)
    steps = 2 if PLAIN else 60
    batch = agree(sim, {key: mass * np.linspace(1.0, 1.02, 8)}, stop=steps * sim.settings.step)
    assert PLAIN or batch.lanes == 8, set(batch.alone)


def ball(extra: str = "") -> luff.Simulation:
    return luff.compile(luff.loads(BALL.replace(", EXTRA", f", {extra}" if extra else "")))


def test_one_run_that_ends_leaves_and_the_others_go_on() -> None:
    sim = ball("stop_when: rail.position below 0 m")
    push = np.r_[-4.0, np.linspace(14.0, 20.0, LANES - 1)]
    batch = agree(sim, {"inputs.push": push}, stop=0.7)
    ended = np.isnan(batch["rail.position"][:, -1])
    assert ended.tolist() == [True] + [False] * (LANES - 1)
    if not PLAIN:
        assert [bool(why) for why in batch.alone] == ended.tolist()


def test_one_run_that_fails_is_told_and_the_others_go_on() -> None:
    # a damping of which no step of 1 ms is stable: the velocity grows until it is no number
    damping = np.array([0.1, 0.2, 9e4, 0.3, 0.4, 8e4, 0.5, 0.6])
    batch = agree(ball(), {"rail.damping": damping})
    assert batch.status == ["failed" if each > 1.0 else "finished" for each in damping]
    assert PLAIN or batch.lanes == 6


def test_runs_that_all_fail_in_one_step_are_told() -> None:
    """The loop says then that it has not taken all steps, and nothing else does."""
    batch = agree(ball(), {"rail.damping": np.full(8, 9e4)})
    assert batch.status == ["failed"] * 8


@pytest.mark.parametrize("count", [1, 3, 4, 9, 21])
@pytest.mark.parametrize("threads", [1, 3])
def test_groups_of_any_size(count: int, threads: int) -> None:
    mass = np.linspace(0.5, 4.0, count)
    batch = agree(ball(), {"ball.mass": mass, "inputs.push": 3.0}, threads=threads)
    # z = 1 + v^2 / g (...): a drag of 0.1 N s/m, which the closed form has exactly
    c, g = 0.1, 9.81
    last, a = mass[:, None] / c, 3.0 / mass[:, None] - g
    expected = 1.0 + a * last * (batch.time - last * -np.expm1(-batch.time / last))
    np.testing.assert_allclose(
        batch["rail.position"], expected, atol=1e-10
    )  # RK4 at a thousandth of a second
    if not PLAIN:
        assert batch.lanes == count - (count % LANES if count % LANES < simd_group.LEAST else 0)


@pytest.mark.parametrize("events", ["step", "locate"])
def test_changes_at_times_of_each_lane(events: str) -> None:
    batch = agree(ball(f"events: {events}"), {"inputs.push": np.linspace(-4.0, 4.0, 8)}, stop=0.5)
    assert PLAIN or batch.lanes == 8
    # the limit lies below where all of them begin, and is passed by all at another time
    passed = [np.argmax(column < 0.9) for column in batch["rail.position"]]
    assert len({*passed}) > 4


@about_compiling
def test_a_batch_that_is_soon_done_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = ball()
    monkeypatch.setattr(object_loader, "loaded", lambda entries: False)
    monkeypatch.setattr(object_loader, "cost_of", lambda units: 1e9)
    monkeypatch.setattr(simd_group, "LOADING", 0.0)
    batch = luff.batch(sim, {"ball.mass": np.linspace(1.0, 2.0, 20)}, threads=1)
    assert batch.lanes == 0
    assert set(batch.alone[1:]) == {"to compile their code would take longer"}
    monkeypatch.setattr(object_loader, "cost_of", lambda units: 0.0)
    batch = luff.batch(sim, {"ball.mass": np.linspace(1.0, 2.0, 21)}, threads=1)
    assert batch.lanes == 20 - 20 % LANES + (20 % LANES if 20 % LANES >= simd_group.LEAST else 0)


@about_compiling
def test_a_batch_whose_code_is_loaded_goes_in_lanes_from_its_first_run() -> None:
    """As those of a search do, one after the other: there is nothing more to find out."""
    sim = ball()
    luff.batch(sim, {"ball.mass": np.linspace(1.0, 2.0, 8)}, lanes=True)
    assert luff.batch(sim, {"ball.mass": np.linspace(1.0, 2.0, 8)}, threads=1).lanes == 8


@about_compiling
@settings(max_examples=4, deadline=None)
@given(limbs=trees(largest=5, light=False), seed=st.integers(0, 2**32 - 1))
def test_random_trees_and_groups(limbs: list[Limb], seed: int) -> None:
    rng = np.random.default_rng(seed)
    sim = luff.compile(netlist(limbs, rng.uniform(-10, 10, 3)))
    heavy = [limb for limb in limbs if limb.mass]
    # some of them so light that they blow up, or so heavy that nothing moves
    spread = 10.0 ** rng.uniform(-1, 1, int(rng.integers(4, 18)))
    chosen = heavy[int(rng.integers(len(heavy)))]
    batch = agree(sim, {f"b{chosen.number}.mass": chosen.mass * spread}, stop=0.1, step=1e-3)
    assert len(batch) == len(spread)


def test_a_model_without_states_runs_in_lanes() -> None:
    text = """
luff: 1
blocks:
  s: {type: sine, amplitude: 1, frequency: 1 Hz}
  held: {type: zero_order_hold, sample_time: 30 ms}
connect: [s.y -> held.u]
outputs: {held: held.y}
simulation: {stop: 0.5, step: 0.01, output_step: 0.01}
"""
    batch = agree(luff.compile(luff.loads(text)), {"s.amplitude": np.linspace(1.0, 2.0, 8)})
    assert PLAIN or batch.lanes == 8
    np.testing.assert_allclose(
        batch["held.y"], np.linspace(1, 2, 8)[:, None] * batch["held.y"][0], rtol=1e-14
    )
