"""Plans of mechanisms: three drives, cases, closed loops, earlier plans; played again, stopped, misunderstood."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import luff
from luff import LuffError, RunError
from luff.solver.planning.interior_point import Callbacks
from luff.solver.planning.plan_file import load
from luff.solver.planning.plan_problem import make_problem
from luff.tests.process import INTERRUPTIBLE, PATIENCE, call, luff_command

from .models import CHAIN, LUFFING, TROLLEY, chain

pytest.importorskip("ipyopt")

BASE: dict[str, Any] = {"controls": {"u": {"lower": -1, "upper": 1}}, "end": {"i2.x": 1, "at_rest": True}}
MOVE: dict[str, Any] = {
    "controls": {"accel": {"lower": -1, "upper": 1}},
    "end": {"trolley.position": "10 m", "at_rest": True},
}


def planned(model: luff.Diagram, **plan: Any) -> luff.Plan:
    return luff.plan({"model": model, "plan": plan})


def test_three_drives_within_the_time_of_the_prototype() -> None:
    """14.07 s is what a uniform grid of 60 intervals reached by IPOPT before; by hand the motion takes 27 s."""
    made = luff.plan("library/plans/slewing_crane.yaml")
    assert made.status == "finished"
    assert made.duration <= 14.07
    (flown,) = made.flown
    assert flown.deviation < 1e-6  # rad or m, of an independent integrator at 1e-10
    assert flown.rate < 1e-5
    assert "slew.velocity at its upper limit of 0.2 rad/s" in "\n".join(made.table())
    assert made.result is not None
    assert made.result["sling.beta"][-1] == pytest.approx(0.0, abs=1e-6)


def test_one_motion_for_several_ropes() -> None:
    """Each case is flown by its own model: all end at rest, in a time that no single rope needs."""
    ropes = {"short": {"rope": "4 m"}, "long": {"rope": "6 m"}}
    made = planned(luff.loads(TROLLEY), **MOVE, cases=ropes)
    assert [one.case for one in made.flown] == [*ropes]
    for one in made.flown:
        assert one.result is not None
        assert abs(one.result["pin.position"][-1]) < 1e-6
        assert one.rate < 1e-5
    lone = [luff.plan({"model": luff.loads(TROLLEY), "set": rope, "plan": MOVE}) for rope in ropes.values()]
    assert made.duration > max(one.duration for one in lone)
    # a motion for one rope swings the other
    other = luff.compile(luff.loads(TROLLEY), rope="6 m")
    rows = lone[0].rows
    swung = other.run(stop=10.0, inputs={"accel": (rows[:, 0], rows[:, 1])}, method="dop853")
    assert np.max(abs(swung["pin.position"][swung.time > lone[0].duration])) > 0.01


@pytest.mark.parametrize("far", [500.0, 1e6])
def test_end_far_away_is_found(far: float) -> None:
    """The nearest state is found by steps of half the sizes of the numbers, which grow with them."""
    plan = MOVE | {"end": {"trolley.position": far, "at_rest": True}}
    problem = make_problem(load({"model": luff.loads(TROLLEY), "plan": plan}))
    assert problem.end_found == [True]
    names = problem.cases[0].points.state_names
    assert problem.end_points[0][names.index("way.x")] == pytest.approx(far, rel=1e-9)


def test_closed_loop_is_followed() -> None:
    """From rest to rest below the rate limit: T is at least d / v, and forces are not what limits it."""
    made = planned(
        luff.loads(LUFFING),
        controls={"force": {"lower": "-600 kN", "upper": "600 kN"}},
        start={"at_rest": True},
        end={"crane.cylinder.position": "1.3 m", "at_rest": True},
        limits={"crane.cylinder.velocity": {"lower": -0.15, "upper": "0.15 m/s"}},
        intervals=12,
    )
    (flown,) = made.flown
    assert made.status == "finished"
    assert 0.3 / 0.15 < made.duration < 0.3 / 0.15 + 0.1
    assert flown.end["crane.cylinder.position"][1] == pytest.approx(1.3, abs=1e-3)
    assert made.limits[0].name == "crane.cylinder.velocity"


OVER_A_WALL = """
luff: 1
inputs: {ax: {unit: m/s^2}, az: {unit: m/s^2}}
blocks:
  vx: {type: integrator}
  px: {type: integrator}
  mx: {type: make_trajectory}
  vz: {type: integrator}
  pz: {type: integrator, initial: 1 m}
  mz: {type: make_trajectory}
  x: {type: prismatic, axis: x, driven: true}
  z: {type: prismatic, axis: z, driven: true, guess: {position: 1 m}}
  carriage: {type: rigid_link, mass: 1 kg}
  load: {type: rigid_link, mass: 1 t, shape: {kind: sphere, size: [1]}}
  wall: {type: fixture, shape: {kind: box, size: [1, 4, 3], round: 0.01, at: [5, 0, 1.5]}}
connect:
  - inputs.ax -> vx.u
  - vx.y -> px.u
  - px.y -> mx.value
  - vx.y -> mx.rate
  - inputs.ax -> mx.acceleration
  - mx.y -> x.follow
  - inputs.az -> vz.u
  - vz.y -> pz.u
  - pz.y -> mz.value
  - vz.y -> mz.rate
  - inputs.az -> mz.acceleration
  - mz.y -> z.follow
  - world.frame -- x.frame_a
  - x.frame_b -- carriage.frame_a
  - carriage.frame_b -- z.frame_a
  - z.frame_b -- load.frame_a
simulation: {stop: 20 s, step: 5 ms}
"""
ACROSS: dict[str, Any] = {
    "controls": {"ax": {"lower": -1, "upper": 1}, "az": {"lower": -0.5, "upper": 0.5}},
    "end": {"x.position": 10, "z.position": 1, "at_rest": True},
    "limits": {"x.velocity": {"lower": -2, "upper": 2}},
    "keep_clear": [{"of": "load", "from": ["wall"], "by": "0.5 m"}],
}


def test_load_passes_over_a_wall() -> None:
    """Up and down by h = 3 m takes 4 sqrt(h / a) at least; the wall is a metre wide. Distance by the centre."""
    made = planned(luff.loads(OVER_A_WALL), **ACROSS, guess={"z.position": "5 m"}, intervals=80)
    least = 4.0 * np.sqrt(3.0 / 0.5)
    assert made.status == "finished"
    assert least < made.duration < 1.01 * least
    assert made.result is not None
    x, z = made.result["x.position"], made.result["z.position"]
    # edges rounded by 0.01 m: the core of the box is smaller by as much
    distance = np.hypot(np.maximum(abs(x - 5) - 0.49, 0.0), np.maximum(z - 2.99, 0.0)) - 0.01 - 0.5
    assert np.min(distance) > 0.5 - 5e-4  # m: a thousandth of the limit, between points


def test_load_passes_over_a_surface(tmp_path: Path) -> None:
    """The wall as triangles without an inside, with sharp edges; surfaces stand in `from`, never in `of`."""
    corners = [(x, y, z) for x in (4.5, 5.5) for y in (-2, 2) for z in (0, 3)]
    sides = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = ["v {} {} {}".format(*corner) for corner in corners] + [
        "f {} {} {} {}".format(*one) for one in sides
    ]
    (tmp_path / "wall.obj").write_text("\n".join(lines))
    text = OVER_A_WALL.replace(
        "{kind: box, size: [1, 4, 3], round: 0.01, at: [5, 0, 1.5]}", "{kind: surface, file: wall.obj}"
    )
    assert text != OVER_A_WALL
    walled = luff.loads(text, base=tmp_path)
    made = planned(walled, **ACROSS, guess={"z.position": "5 m"}, intervals=80)
    least = 4.0 * np.sqrt(3.0 / 0.5)
    assert made.status == "finished"
    assert least < made.duration < 1.01 * least
    assert made.result is not None
    x, z = made.result["x.position"], made.result["z.position"]
    distance = np.hypot(np.maximum(abs(x - 5) - 0.5, 0.0), np.maximum(z - 3.0, 0.0)) - 0.5
    assert np.min(distance) > 0.5 - 5e-4  # m: a thousandth of the limit, between points
    swapped = {**ACROSS, "keep_clear": [{"of": "wall", "from": ["load"], "by": "0.5 m"}]}
    with pytest.raises(luff.LuffError, match=r"wall is a surface.*name surfaces in"):
        planned(walled, **swapped)


def test_jump_over_a_wall_between_points_is_no_plan() -> None:
    """From a guess through the wall, where no slope says which way round: whatever comes of it, it is not confirmed."""
    made = None
    with contextlib.suppress(RunError):
        made = planned(luff.loads(OVER_A_WALL), **ACROSS)
    if made is not None:
        assert made.status == "unconfirmed"
        assert any("keep_clear_1.distance breaks its limit" in remark for remark in made.remarks)


def test_gains_of_looser_limits_are_those_of_new_plans() -> None:
    """Multipliers beside differences of two plans whose limits are a little off."""
    limits = {"pin.position": {"lower": -0.1, "upper": 0.1}, "trolley.velocity": {"upper": 1.5}}
    made = planned(luff.loads(TROLLEY), **MOVE, limits=limits)
    for name, side in (("trolley.velocity", "upper"), ("pin.position", "lower")):
        moved = []
        for sign in (1, -1):
            value = limits[name][side] * (1 + 1e-3 * sign)
            changed = {**limits, name: {**limits[name], side: value}}
            moved.append(planned(luff.loads(TROLLEY), **MOVE, limits=changed).duration)
        slope = (moved[1] - moved[0]) / (2e-3 * abs(limits[name][side]))
        assert made.multipliers[f"{name}.{side}"] == pytest.approx(slope, rel=0.02)  # of a grid that moves


def test_earlier_plan_is_where_the_search_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = planned(luff.loads(TROLLEY), **MOVE)
    first.save("first.json")
    again = planned(luff.loads(TROLLEY), **MOVE, warm_start="first.json", intervals=30)
    assert again.duration == pytest.approx(first.duration, rel=1e-7)


OFFSET = """
luff: 1
inputs: {u: {}, level: {}}
blocks:
  v: {type: integrator}
  x: {type: integrator}
  off: {type: expression, inputs: [v, p], expr: k*v - p, constants: {k: 1}}
connect: [inputs.u -> v.u, v.y -> x.u, v.y -> off.v, inputs.level -> off.p]
simulation: {stop: 1 s, step: 1 ms}
"""


def test_free_parameter_is_where_its_derivative_vanishes() -> None:
    """The level nearest to a rate in the mean square is its mean, d / T, whatever the motion; at a bound it stays."""
    plan: dict[str, Any] = {
        "controls": {"u": {"lower": -4, "upper": 4}},
        "parameters": {"level": {"lower": 0, "upper": 3}},
        "duration": 2,
        "end": {"x.x": 1.5, "at_rest": True},
        "least": {"squares": {"off.y": 1, "u": 0.1}},
    }
    made = planned(luff.loads(OFFSET), **plan)
    assert made.parameters["level"] == pytest.approx(0.75, abs=1e-7)
    assert made.result is not None
    assert made.result["off.y"][0] == pytest.approx(-0.75, abs=1e-7)
    assert "level = 0.75" in made.table()[1]
    bounded = planned(luff.loads(OFFSET), **plan | {"parameters": {"level": {"lower": 1, "upper": 3}}})
    assert bounded.parameters["level"] == pytest.approx(1.0, abs=1e-7)
    # dJ/dp = 2 (p T - d) at the bound
    assert bounded.multipliers["level.lower"] == pytest.approx(2 * (1.0 * 2 - 1.5), rel=1e-3)
    shared = planned(luff.loads(OFFSET), **plan, cases={"a": {}, "b": {"off.constants.k": 0.5}})
    assert shared.parameters["level"] == pytest.approx(0.5625, abs=1e-6)  # the mean of 0.75 and half of it
    played = luff.compile(shared.to_netlist()).run()
    assert played["inputs.level"][0] == shared.parameters["level"]


def test_earlier_plan_is_read_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, text in (
        ("list.json", "[1]"),
        ("half.json", '{"plan": 1}'),
        ("no.json", "{"),
        ("../out.json", "{}"),
    ):
        Path(name).write_text(text)
        with pytest.raises(LuffError, match=r"warm_start: (.*expected a plan|.*outside of the plan file)"):
            planned(chain(2), **BASE, warm_start=name)


def test_played_netlist_ends_as_planned() -> None:
    made = planned(luff.loads(TROLLEY), **MOVE)
    result = luff.compile(made.to_netlist()).run()
    assert result["trolley.position"][-1] == pytest.approx(10.0, abs=1e-6)
    assert result["pin.position"][-1] == pytest.approx(0.0, abs=1e-6)


def test_search_that_is_stopped_says_so() -> None:
    with pytest.raises(RunError, match="stopped before it found a motion"):
        luff.plan({"model": chain(2), "plan": BASE}, progress=lambda k, words: k < 2)

    def interrupted(k: int, words: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(RunError, match="stopped before it found a motion"):
        luff.plan({"model": chain(2), "plan": BASE}, progress=interrupted)


def test_best_motion_so_far_is_kept() -> None:
    """Stopped at the first iterate that keeps its limits."""

    def until_feasible(k: int, words: str) -> bool:
        return float(words.rpartition(" ")[2]) > 1e-8

    made = luff.plan({"model": luff.loads(TROLLEY), "plan": MOVE}, progress=until_feasible)
    assert made.status == "interrupted"
    assert 6.681 < made.duration < 9.0
    assert made.limits == []  # what holds an unfinished motion back is not known
    assert any("best motion so far" in remark for remark in made.remarks)
    assert made.flown[0].deviation < 1e-3


def test_best_iterate_keeps_its_limits_and_costs_least() -> None:
    problem = SimpleNamespace(accepted=np.zeros(1))
    calls = Callbacks(problem, None)
    for k, (cost, violation) in enumerate(
        [(5.0, 1e-9), (4.0, 1e-3), (6.0, 0.0), (4.5, 1e-8), (1.0, np.nan)], 1
    ):
        problem.accepted = np.array([float(k)])
        assert calls.each(0, k, cost, violation, 0.0, 1e-3)
    assert calls.best.v == [4.0]
    assert calls.best.cost == 4.5


def test_plan_that_the_run_does_not_follow_is_not_confirmed() -> None:
    """Three intervals over a period of a swing: the collocation is off by far more than a thousandth."""
    made = planned(luff.loads(TROLLEY), **MOVE, intervals=3, duration={"upper": 20}, interpolation="linear")
    assert made.status == "unconfirmed"
    assert any("ends more than 0.001" in remark for remark in made.remarks)


def test_run_corrects_controls_of_a_coarse_grid() -> None:
    """Four intervals: the collocated load ends at 0.1 rad/s; corrected it rests, by SciPy on equations of this test."""
    made = planned(luff.loads(TROLLEY), **MOVE, intervals=4, duration={"upper": 20}, interpolation="linear")
    assert made.status == "finished"
    assert any("are corrected by the runs" in remark for remark in made.remarks)
    u = made.controls["accel"]
    assert np.max(abs(u)) <= 1.0

    def law(t: float, x: np.ndarray) -> list[float]:
        a = float(np.interp(t, made.time, u))
        return [x[1], a, x[3], -(9.80665 * np.sin(x[2]) + a * np.cos(x[2])) / 5.0]

    x = solve_ivp(
        law, (0.0, made.duration), np.zeros(4), method="DOP853", rtol=1e-10, atol=1e-12, max_step=0.05
    ).y
    assert x[0, -1] == pytest.approx(10.0, abs=1e-2)  # a thousandth of the way, as the run is asked for
    assert np.max(abs(x[1:, -1])) < 1e-3 * np.max(abs(x[1:]))


DRIFTING = CHAIN.format(
    blocks="one: {type: constant, value: 1}, clock: {type: integrator}, i1: {type: integrator}, i2: {type: integrator}",
    wires="one.y -> clock.u, inputs.u -> i1.u, i1.y -> i2.u",
)


def test_state_that_no_control_stops_is_not_at_rest() -> None:
    """The rate of the clock is 1 wherever the motion leads: no search can change it, and the answer says so."""
    made = planned(luff.loads(DRIFTING), **BASE)
    assert made.duration == pytest.approx(2.0, rel=1e-6)  # 2 sqrt(d / a)
    assert made.status == "unconfirmed"
    assert any("the run does not rest" in remark for remark in made.remarks)


def test_rest_is_asked_of_a_quantity_of_a_large_size() -> None:
    """T = 2 sqrt(d / a), with a position nine orders of magnitude above its rate's size."""
    made = planned(chain(2), controls=BASE["controls"], end={"i2.x": 1e9, "at_rest": True})
    assert made.status == "finished"
    assert made.duration == pytest.approx(2.0 * np.sqrt(1e9), rel=1e-6)


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "no such input": ({"controls": {"force": {}}}, r"controls\.force: the netlist has no such input"),
    "no control": ({"controls": {}}, "controls"),
    "bounds swapped": ({"controls": {"u": {"lower": 1, "upper": -1}}}, "expected the lower below the upper"),
    "no such signal": ({"end": {"i2.z": 1}}, r"end\.i2\.z: there is no such state or signal .*i2\."),
    "no such limit": ({"limits": {"i3.x": {"upper": 1}}}, r"limits\.i3\.x: there is no such state"),
    "limit without bounds": ({"limits": {"i1.x": {}}}, "a limit without bounds"),
    "no end": ({"end": {}}, "found no end"),
    "no end but unrest": ({"end": {"at_rest": False}, "duration": 1, "least": "effort"}, "found no end"),
    "time that is fixed": ({"duration": 5}, "a fixed duration, whose time cannot be least"),
    "durations swapped": ({"duration": {"lower": 5, "upper": 2}}, "expected the lower below the upper"),
    "too short": ({"duration": {"upper": 1}}, r"i2\.x misses its end by 0\.75"),
    "too short for effort": ({"duration": 1, "least": "effort"}, r"i2\.x misses its end by 0\.75"),
    "start beyond a limit": ({"limits": {"i2.x": {"lower": 0.5}}}, "the start is 0, beyond the lower limit"),
    "end beyond a limit": ({"limits": {"i2.x": {"upper": 0.5}}}, "the end is 1, beyond the upper limit"),
    "rate too slow": (
        {"limits": {"i1.x": {"upper": 0.1}}, "duration": {"upper": 5}},
        r"misses its end by 0\.51",
    ),
    "nothing limits": ({"controls": {"u": {}}}, "nothing limits how fast the motion may be"),
    "never done": ({"least": "effort"}, "found no longest duration"),
    "cannot brake": (
        {"controls": {"u": {"lower": 0, "upper": 1}}},
        "no motion that keeps|grows without bound",
    ),
    "no weight": ({"least": {"time": 0}}, "no weight above 0"),
    "no such cost": ({"least": "fuel"}, "expected one of time, energy, effort"),
    "moving at rest": ({"end": {"i2.x": 1, "i1.x": 3, "at_rest": True}}, "no state .* has the wanted end"),
    "no earlier plan": ({"warm_start": "none.json"}, "warm_start: cannot read"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_told_in_a_word(name: str) -> None:
    change, words = MISTAKES[name]
    with pytest.raises(LuffError, match=words):
        planned(chain(2), **{**BASE, **change})


def test_model_of_the_time_is_refused() -> None:
    wave = luff.loads(
        """
luff: 1
inputs: {u: {}}
blocks: {s: {type: sine}, add: {type: sum, signs: ++}, v: {type: integrator}}
connect: [inputs.u -> add.u1, s.y -> add.u2, add.y -> v.u]
"""
    )
    with pytest.raises(LuffError, match="s depends on the time"):
        planned(wave, controls={"u": {"lower": -2, "upper": 2}}, end={"v.x": 1})


FILE = """\
luff: 1
name: swing-free move
model: ./trolley.yaml
plan:
  controls: {accel: {lower: -1 m/s^2, upper: 1 m/s^2}}
  end: {trolley.position: 10 m, at_rest: true}
"""


def test_command_writes_what_plays_the_plan(tmp_path: Path) -> None:
    (tmp_path / "trolley.yaml").write_text(TROLLEY)
    (tmp_path / "move.yaml").write_text(FILE)
    words = "plan move.yaml --table move.csv --netlist played.yaml --result flown.h5 --json"
    done = call(*words.split(), cwd=tmp_path)
    told = json.loads(done.stdout)
    assert told["status"] == "finished"
    assert told["files"] == ["move.plan.json", "move.csv", "played.yaml", "flown.h5"]
    assert luff.read(tmp_path / "flown.h5")["trolley.position"][-1] == pytest.approx(10.0, abs=1e-6)
    call("run", "played.yaml", "-o", "again.csv", "--quiet", cwd=tmp_path)
    again = luff.read(tmp_path / "again.csv")
    assert abs(again["pin.position"][-1]) < 1e-6
    words = "run trolley.yaml --input move.csv --method dop853 --stop 8 --set simulation.output_step=0.1 -o fed.csv"
    call(*words.split(), cwd=tmp_path)
    assert abs(luff.read(tmp_path / "fed.csv")["pin.velocity"][-1]) < 1e-6


def test_command_without_ipopt_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "trolley.yaml").write_text(TROLLEY)
    (tmp_path / "move.yaml").write_text(FILE)
    script = "import sys; sys.modules['ipyopt'] = None; sys.argv = ['luff', 'plan', 'move.yaml']; "
    script += "from luff.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "pip install 'luff[plans]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_interrupt_ends_the_command_with_a_word(tmp_path: Path) -> None:
    """Whenever it comes, there is no traceback, and a file only of what was found."""
    (tmp_path / "trolley.yaml").write_text(TROLLEY)
    (tmp_path / "move.yaml").write_text(FILE.replace("plan:\n", "plan:\n  intervals: 900\n"))
    process = subprocess.Popen(
        luff_command("plan", "move.yaml"), cwd=tmp_path, env=os.environ, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **INTERRUPTIBLE,
    )  # fmt: skip
    try:
        process.wait(timeout=2.0)  # until it has begun: any moment has to do
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert process.returncode in (0, 3), (out, err)
    if process.returncode == 3:
        assert "best motion so far" in err or "stopped before it found" in err or "Ctrl-C" in err


PENDULUM = """
luff: 1
blocks:
  trolley: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 2}
  pin: {type: revolute, axis: y, damping: 0.01}
  bob: {type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [0.01, 0.01, 0.01]}
inputs: {push: {unit: N, default: 0}}
connect:
  - inputs.push -> trolley.effort
  - world.frame -- trolley.frame_a
  - trolley.frame_b -- cart.frame_a
  - cart.frame_a -- pin.frame_a
  - pin.frame_b -- bob.frame_a
simulation: {stop: 3 s, step: 10 ms}
"""


def test_a_free_motion_meets_a_limit_of_a_force_in_a_joint() -> None:
    """The rod may pull by 10.5 N, where it carries 9.81 N at rest: the limit holds the plan back."""
    plan = {"controls": {"push": {"lower": -20, "upper": 20}}, "duration": {"lower": 0.5, "upper": 8}}
    plan |= {"intervals": 15, "end": {"trolley.position": 1, "at_rest": True}, "least": "time"}
    made = planned(luff.loads(PENDULUM), **plan, limits={"pin.total_force[2]": {"upper": 10.5}})
    assert made.limits[0].name == "pin.total_force[2]"
    assert made.result is not None
    # kept at three points of each interval; what it is beyond between them is told
    beyond = made.result["pin.total_force"][:, 2].max() - 10.5
    told = next(line for line in made.table() if "beyond its limit between points" in line)
    assert float(told.split()[2]) == pytest.approx(beyond, rel=0.05)
    assert beyond < 0.3
