"""Runs that are finite and wrong say so, and the step that they advise is right; runs that are right say nothing."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.process import call
from luff.tests.systems.step_cases import CASES, Case

LIBRARY = Path(luff.__file__).resolve().parent / "library"
TOO_LONG = re.compile(r"a step of (\S+) s is too long for this run with rk4: .*; try a step of (\S+) s")


def run(path: Path, *words: str) -> dict:
    """As a process, whose JSON has the warnings and the quality report."""
    return json.loads(call("run", path, "--json", *words, cwd=path.parent).stdout)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_step_that_is_too_long_is_told_with_one_that_does(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text("luff: 1\n" + case.text)
    told = run(path, "-o", "long.h5")
    assert told["status"] == "finished"
    # the run is wrong indeed: by a tenth and more of what is known, where work adds up over all speeds by 1.5 %
    assert case.answer(luff.read(tmp_path / "long.h5")) > (0.015 if "work" in case.names else 0.1)
    warnings = [f"{w['path']}: {w['message']}" for w in told["warnings"]]
    found = [match for match in map(TOO_LONG.search, warnings) if match]
    assert len(found) == 1, warnings
    assert case.names in found[0].string
    # what it advises is right to a few per cent, and nothing more is said
    again = run(path, "-o", "short.h5", "--step", found[0][2])
    assert [w for w in again["warnings"] if "over-constrains" not in w["message"]] == []
    assert case.answer(luff.read(tmp_path / "short.h5")) < (0.005 if "work" in case.names else 0.05)


@pytest.mark.parametrize(
    ("name", "estimate"),
    [
        ("templates/pendulum.yaml", 1e-6),
        ("templates/crane.yaml", 1e-6),
        ("crane_demo.yaml", 1e-6),
        # corners of its plan; a vessel that is let go from where it does not rest
        ("crane_overhead.yaml", 1e-2),
        ("crane_vessel.yaml", 1e-3),
    ],
)
def test_shipped_model_with_its_own_step_is_told_as_fine(name: str, estimate: float) -> None:
    told = run(LIBRARY / name)
    assert told["warnings"] == []
    # far from the limit of 10 %, not just below it
    assert told["quality"]["step_error"]["estimate"] < estimate


def test_looking_aside_changes_no_bit_of_a_run() -> None:
    """A run by single steps, a run at once, and one whose looks find nothing to take: the same numbers."""
    sim = luff.compile(LIBRARY / "templates" / "pendulum.yaml")
    whole = sim.start(stop=0.2)
    while whole.advance() == "running":
        pass
    single = sim.start(stop=0.2)
    single.trust.due = lambda session: session.steps + 1  # type: ignore[method-assign]
    while single.advance(steps=1) == "running":
        pass
    assert (whole.x == single.x).all()
    assert whole.done == single.done == 200
    stepped = sim.start(stop=0.2)
    stepped.advance(steps=123)
    assert stepped.done == 123


# a fast pendulum whose pin stands at a height
HIGH = """luff: 1
blocks:
  mast: {type: fixed, at: [0, 0, %s]}
  pin: {type: revolute, axis: y, initial: {position: 60 deg}}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.001]}
connect: [world.frame -- mast.frame_a, mast.frame_b -- pin.frame_a, pin.frame_b -- rod.frame_a]
simulation: {stop: 5 s, step: 10 ms}
"""


def test_energies_balance_alike_at_every_height() -> None:
    """Potential energy has no zero of its own: a height of 1000 m changes neither the balance nor what is said."""
    low, high = (luff.compile(luff.loads(HIGH % z)).start() for z in ("0", "1000"))
    for session in (low, high):
        while session.advance() == "running":
            pass
    one, other = (session.quality()["energy"] for session in (low, high))
    # 2 g h = 2e4 J are known to 4e-12 J each, over 500 steps to 2e-9 J; the pendulum has 0.03 J
    assert other["residual"] == pytest.approx(one["residual"], abs=1e-8)
    assert other["relative_residual"] == pytest.approx(one["relative_residual"], rel=1e-4)
    assert one["relative_residual"] > 0.05
    assert [str(remark) for remark in low.remarks] == [str(remark) for remark in high.remarks]
    assert "do not balance" in str(low.remarks[0])


def test_what_rounding_leaves_of_a_great_height_is_no_imbalance() -> None:
    text = (HIGH % "1e6").replace("-0.001", "-0.5").replace("60 deg", "1e-6 deg").replace("10 ms", "1 ms")
    result = luff.compile(luff.loads(text)).run()
    # m g l (1 - cos a) = 1.5e-15 J beside 2e7 J, whose last digit is 4e-9 J
    assert result.quality["energy"]["relative_residual"] == 0.0
    assert result.remarks == []


# a ram without seals or rod, pushed by an accumulator; its rod side opens wide to the tank
OPEN_RAM = """luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  rail: {type: prismatic, axis: z, initial: {position: 1.3 m}}
  load: {type: rigid_link, mass: 800}
  cyl:
    type: hydraulic_cylinder
    axis: y
    barrel: {mass: 1e-3, length: 1.0}
    piston: {mass: 1e-3}
    fluid: {bore: 60 mm, rod: 0 mm, stroke: 0.8 m, dead_cap: 0.3 l, initial: {cap: 50 bar, rod: 0 bar}, air: 0}
  acc: {type: accumulator, size: 1 l, precharge: 40 bar, initial: 50 bar, exponent: 1.2, air: 0}
  o: {type: orifice, area: 40 mm^2}
  t: {type: tank}
  to: {type: orifice, area: 5e-3}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- load.frame_a
  - world.frame -- cyl.frame_a
  - load.frame_b -- cyl.frame_b
  - acc.port -- o.a
  - o.b -- cyl.cap
  - cyl.rod -- to.a
  - to.b -- t.port
simulation: {stop: 0.08 s, step: %s ms, output_step: 1 ms}
"""


def test_small_pressure_beside_large_ones_is_held_against_its_own_range(tmp_path: Path) -> None:
    """The rod side swings between pressures of 100 mbar where 15 mbar are true; the cap side has 50 bar."""
    path = tmp_path / "ram.yaml"
    path.write_text(OPEN_RAM % "0.005")
    told = run(path, "-o", "long.h5")
    message = " ".join(f"{w['path']}: {w['message']}" for w in told["warnings"])
    found = TOO_LONG.search(message)
    assert found, told["warnings"]
    assert "cyl.p_rod" in message
    assert told["quality"]["step_error"]["verdict"] == "too long"
    # rk4's real limit is 2.785 over the rate
    rate, limit = re.search(r"rate of (\S+) rad/s, for which rk4 is unstable above (\S+) s", message).groups()  # type: ignore[union-attr]
    assert float(rate) * float(limit) == pytest.approx(2.785, rel=1e-2)
    again = run(path, "-o", "short.h5", "--step", found[2])
    assert again["warnings"] == []
    path.write_text(OPEN_RAM % "0.0002")
    run(path, "-o", "true.h5")
    true, long, short = (
        luff.read(tmp_path / f"{name}.h5")["cyl.rod_pressure"] for name in ("true", "long", "short")
    )
    assert np.ptp(long) > 5 * np.ptp(true)
    # of the range, at every row
    assert np.max(abs(short - true)) < 1e-3 * np.ptp(true)


GROWING = """
luff: 1
blocks:
  x: {type: integrator, initial: %s}
  y: {type: integrator, initial: %s}
  e: {type: expression, inputs: [a, b], expr: %s*a + %s*b}
  f: {type: expression, inputs: [a, b], expr: %s*a + %s*b}
connect: [x.y -> e.a, y.y -> e.b, x.y -> f.a, y.y -> f.b, e.y -> x.u, f.y -> y.u]
simulation: {stop: 0.5 s, step: %s, method: implicit}
"""


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_pairs_of_growing_modes_by_chance_are_followed_or_told(seed: int, many: int) -> None:
    """Rates of 1 to 100 1/s under five implicit steps of 0.1 s. Without a remark local errors add up to below 0.1;
    they grow with the motion, so that the end may be off by five times as much.
    """
    rng, outcomes = np.random.default_rng(seed), Counter[str]()
    for _ in range(6 if many == 1 else 300):
        rates, turn, start = 10.0 ** rng.uniform(0.0, 2.0, 2), rng.uniform(0.0, np.pi), rng.standard_normal(2)
        R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        A = R @ np.diag(rates) @ R.T
        try:
            run = luff.compile(luff.loads(GROWING % (*start, *A.ravel(), "0.1 s"))).run()
        except luff.RunError:
            outcomes["run away"] += 1
            continue
        wanted = R @ (np.exp(0.5 * rates) * (R.T @ start))
        off = abs([run["x.y"][-1], run["y.y"][-1]] - wanted).max() / abs(wanted).max()
        outcomes["too long" if run.remarks else "followed"] += 1
        assert run.remarks or off < 0.5, (rates, turn, start, off)
    print(dict(outcomes))
    assert len(outcomes) == 3 or many == 1


@pytest.mark.parametrize("shares", [(1.0, 1.0), (1.0, -0.5), (1e-6, 1.0)])
def test_two_modes_that_grow_faster_than_an_implicit_step_are_told(shares: tuple[float, float]) -> None:
    """Eigenvalues 45 and 35 1/s with a step of 0.1 s: h lambda = 4.5 and 3.5, where the step decays."""
    about = 40, 5, 5, 40
    start = shares[0] + shares[1], shares[0] - shares[1]
    with pytest.raises(luff.RunError, match="this run has run away"):
        luff.compile(luff.loads(GROWING % (*start, *about, "0.1 s"))).run()
    result = luff.compile(luff.loads(GROWING % (*start, *about, "0.1 ms"))).run()
    wanted = shares[0] * np.exp(45 * 0.5) + shares[1] * np.exp(35 * 0.5)
    assert result["x.y"][-1] == pytest.approx(wanted, rel=1e-4)
