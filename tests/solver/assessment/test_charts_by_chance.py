"""Charts of cranes that chance drew: against loads tried one by one, alone against the grid, with wind, and flown."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.analysis.confirmation import Confirmation
from luff.solver.assessment.chart_table import Chart
from luff.solver.assessment.confirmation_runs import confirmations
from luff.solver.assessment.load_capacity import Capacity, Excess, LoadOutcome, capacity, seen
from luff.solver.assessment.load_chart import checks_from
from luff.tests.process import call
from luff.tests.shared.friction_of_feet import share_held

# a mast on four pads, a boom that carries the load and feels the wind; the counterweight stands behind
CRANE = """
luff: 1
parameters: {load: 2 t, reach: 6 m, azimuth: 0 deg, counter: 8 t, speed: 0.1 m/s, to: 90 deg, grip: 1}
blocks:
  stand:
    type: base_support
    mass: 12 t
    com: [0, 0, 1]
    inertia: [60 t*m^2, 110 t*m^2, 130 t*m^2]
    one_sided: true
    grip: =grip
    supports:
      - {at: [3, 2, 0], stiffness: [1e8, 1e8, 4e8], damping: [1e6, 1e6, 4e6]}
      - {at: [3, -2, 0], stiffness: [1e8, 1e8, 2e8], damping: [1e6, 1e6, 4e6]}
      - {at: [-3, 2, 0], stiffness: [1e8, 1e8, 4e8], damping: [1e6, 1e6, 4e6]}
      - {at: [-3, -2, 0], stiffness: [1e8, 1e8, 3e8], damping: [1e6, 1e6, 4e6]}
  slew: {type: fixed, rotate: [[z, =azimuth]]}
  back: {type: rigid_link, mass: =counter, com: [-4, 0, 2], inertia: [1e4, 1e4, 1e4]}
  boom: {type: rigid_link, mass: 1 t, com: [=reach/2, 0, 4], inertia: [1e3, 1e4, 1e4], frame_b: {at: [=reach, 0, 8]}}
  hook: {type: rigid_link, mass: =load}
  wind: {type: wind, speed: =speed, direction: =to, spectrum: none}
  sail: {type: wind_drag, area: 20 m^2, coefficient: 1.4}
connect:
  - world.frame -- stand.frame_a
  - stand.frame_b -- slew.frame_a
  - slew.frame_b -- back.frame_a
  - slew.frame_b -- boom.frame_a
  - boom.frame_b -- hook.frame_a
  - boom.frame_b -- sail.frame_b
  - wind.mean -> sail.wind
initial: {solve: static}
simulation: {stop: 0.5 s, step: 1 ms, output_step: 10 ms, method: implicit}
"""
PADS = np.array([(3.0, 2.0), (3.0, -2.0), (-3.0, 2.0), (-3.0, -2.0)])
G = 9.81


def crane(folder: Path, pulled: bool = False) -> Path:
    """The crane's netlist; pulled, its load is no mass but a force along x at the boom's end, in N."""
    path = folder / ("pulled.yaml" if pulled else "crane.yaml")
    hook = "  hook: {type: rigid_link, mass: =load}\n"
    winch = "  rope: {type: constant, value: [=load, 0, 0]}\n  hook: {type: applied_force}\n"
    wires = "  - boom.frame_b -- hook.frame_b\n  - rope.y -> hook.force\n"
    text = CRANE.replace("load: 2 t", "load: 1 kN").replace(hook, winch).replace("step: 1 ms", "step: 5 ms")
    text = text.replace("  - boom.frame_b -- hook.frame_a\n", wires)
    path.write_text(text if pulled else CRANE)
    return path


def by_moments(reach: float, azimuth: float, counter: float, speed: float, to: float) -> tuple[float, bool]:
    """The load at which a rigid crane tips, by moments about each edge; and whether it stands without load."""
    ahead = np.array([math.cos(azimuth), math.sin(azimuth)])
    force = 0.5 * 1.225 * 1.4 * 20.0 * speed**2 * np.array([math.cos(to), math.sin(to)])
    least, stands = math.inf, True
    for normal, half in (((1, 0), 3.0), ((-1, 0), 3.0), ((0, 1), 2.0), ((0, -1), 2.0)):
        n = np.array(normal, float)
        # stabilising less overturning: each weight by its way to the edge, the wind by its height of 8 m
        own = (
            G * (12e3 * half + counter * (half + 4.0 * ahead @ n) + 1e3 * (half - 0.5 * reach * ahead @ n))
            - 8.0 * force @ n
        )
        each = G * (half - reach * ahead @ n)
        stands = stands and own > 0.0
        if each < 0.0:
            least = min(least, float(own / -each))
    return (least, True) if stands else (0.0, False)


def drawn(rng: random.Random) -> dict[str, float]:
    return {
        "reach": rng.uniform(4.0, 14.0),
        "azimuth": rng.uniform(-math.pi, math.pi),
        "counter": rng.choice([1e3, 6e3, 10e3, 25e3]),
        "speed": rng.choice([0.1, 10.0, 25.0, 40.0]),
        "to": rng.uniform(-math.pi, math.pi),
    }


def agrees(found: Chart, k: tuple[int, ...], at: dict[str, float]) -> str:
    """Empty where a place is that of moments; within 1 %, since the crane stands on springs and leans by them."""
    wanted, stands = by_moments(**at)
    kind, rated = str(found.kinds[k]), float(found.rated[k])
    if not stands:
        return "" if kind == "none" and rated == 0.0 else f"{kind} {rated}, expected none"
    if wanted > 100e3:
        return "" if kind == "range" else f"{kind} {rated}, expected no limit"
    close = abs(rated - wanted) <= 0.01 * wanted + 20.0
    return "" if kind == "rated" and close else f"{kind} {rated} ({found.limits[k]}), expected {wanted}"


def test_wind_tips_a_crane_by_moments(tmp_path: Path) -> None:
    path = crane(tmp_path)
    place = {"reach": 8.0, "azimuth": math.pi / 2, "counter": 8e3, "to": math.pi / 2}
    speeds = [0.1, 20.0, 80.0]
    found = luff.chart(path, "load", {"speed": speeds}, upper=100e3, jobs=1, **place)
    for k, speed in enumerate(speeds):
        assert agrees(found, (k,), {**place, "speed": speed}) == ""
    assert found.kinds.tolist() == ["rated", "rated", "none"]
    assert found.rated[1] < 0.98 * found.rated[0]


def test_pads_that_slide_are_no_tipping(tmp_path: Path) -> None:
    """One pad lifts and one slides: its friction has no potential, and half of K + K^T is negative where all stands."""
    path = crane(tmp_path)
    rest = {"counter": 1e3, "speed": 25.0, "to": -2.267586635921792, "azimuth": -0.6492980851042711}
    reaches = [9.874047993526748, 5.3724322979591905]
    found = luff.chart(path, "load", {"reach": reaches}, upper=100e3, jobs=1, confirm=True, **rest)
    for k, reach in enumerate(reaches):
        assert agrees(found, (k,), {**rest, "reach": reach}) == ""
    assert not [run for run in found.confirmed if disagrees(run)]


@pytest.mark.parametrize("load", [55.1e3, 55.5e3, 58.5e3])
def test_a_crane_rests_on_three_feet_up_to_its_load_by_moments(tmp_path: Path, load: float) -> None:
    """Tipping is at 59.36 t by moments; feet without push have no stiffness, from which a search would go astray."""
    place = {"counter": 1e3, "speed": 25.0, "to": 1.1453934735097357, "azimuth": -2.7042855255102314}
    place["reach"] = 4.191802823151131
    assert by_moments(**place)[0] == pytest.approx(59.36e3, rel=1e-4)
    sim = luff.compile(luff.load(crane(tmp_path)), load=load, **place, **{"initial.solve": "static"})
    report = sim.program.static
    assert report is not None
    assert (report.unstable, report.undecided) == ([], [])
    pushes = [sim.evaluate()[f"stand.force_{k}[2]"] for k in (1, 2, 3, 4)]
    assert sum(pushes) == pytest.approx(G * (load + 12e3 + 1e3 + 1e3), rel=1e-9)
    assert [push > 0.0 for push in pushes] == [False, True, True, True]


def test_a_crane_that_falls_backwards_without_load_is_rated_nothing(tmp_path: Path) -> None:
    path = crane(tmp_path)
    done = call(
        "chart", path.name, "--load", "load=0t:40t", "--over", "counter=8t,60t", "--set", "reach=8", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told["kinds"] == ["rated", "none"]
    assert told["rated"][1] == 0.0
    assert "tip" in told["limits"][1]
    text = call("chart", path.name, "--load", "load=0t:40t", "--over", "counter=60t", cwd=tmp_path).stdout
    assert "none" in text
    assert "at the least load already" in text


def test_a_place_alone_is_that_of_the_grid(tmp_path: Path) -> None:
    path = crane(tmp_path)
    axes = {"azimuth": [0.3, 2.0], "reach": [5.0, 12.0, 7.0]}
    grid = luff.chart(path, "load", axes, upper=60e3, jobs=1)
    for k, (azimuth, reach) in grid.places():
        alone = luff.chart(path, "load", {"azimuth": [azimuth], "reach": [reach]}, upper=60e3, jobs=1)
        assert alone.rated[0, 0] == grid.rated[k]
        assert alone.limits[0, 0] == grid.limits[k]


def test_confirmed_by_runs(tmp_path: Path) -> None:
    path = crane(tmp_path)
    words = [
        "chart",
        path.name,
        "--load",
        "load=0t:60t",
        "--over",
        "reach=7",
        "--set",
        "azimuth=90deg",
        "--limit",
        "stand.force_1[2]<150kN",
    ]
    told = json.loads(call(*words, "--confirm", "--json", cwd=tmp_path).stdout)
    assert [one["agrees"] for one in told["confirmed"]] == [True, True]
    assert [one["seen"] for one in told["confirmed"]] == [
        "holds",
        "stand.force_1[2]<150kN is beyond its limit",
    ]
    shown = call(*words, "--confirm", cwd=tmp_path).stdout
    assert "confirmed by runs: 2 of 2 agree" in shown
    assert "confirmed" not in call(*words, cwd=tmp_path).stdout


def test_a_load_that_runs_do_not_bear_out_differs_when_flown(tmp_path: Path) -> None:
    """A chart whose loads are twice too high, and half as high, as somebody else might have found them."""
    limits = [{"of": "stand.force_1[2]", "metric": "maximum", "below": "150 kN"}]
    assessment = checks_from(crane(tmp_path), {"azimuth": math.pi / 2}, limits)
    found = luff.chart(assessment, "load", {"reach": [7.0]}, upper=60e3, jobs=1)
    for factor, wanted in ((1.0, [True, True]), (1.3, [False, True]), (0.7, [True, False])):
        runs = [*confirmations(replace(found, rated=factor * found.rated), assessment)]
        assert [one.agrees for one in runs] == wanted


def test_a_chart_says_what_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "crane.yaml"
    path.write_text(CRANE.replace("spectrum: none", "spectrum: kaimal, fade_in: 5 s"))
    speeds = {"speed": [15.0]}
    gusty = luff.chart(path, "load", speeds, upper=60e3, jobs=1, azimuth=math.pi / 2)
    assert gusty.left_out == ["gusts of wind; its mean acts"]
    steady = luff.chart(crane(tmp_path), "load", speeds, upper=60e3, jobs=1, azimuth=math.pi / 2)
    assert gusty.rated.tolist() == steady.rated.tolist()
    assert steady.left_out == []


def test_a_start_at_rest_stands_against_the_wind(tmp_path: Path) -> None:
    """What `solve: static` finds is a rest of the run: without the wind's force the hook would move off at once."""
    sim = luff.compile(luff.load(crane(tmp_path)), speed=30.0)
    result = sim.run()
    for name in ("stand.force_1[2]", "stand.force_3[2]"):
        assert np.ptp(result[name]) < 1e-5 * abs(result[name][0])


# --- searches ---------------------------------------------------------------------------------------------------------


def laws(rng: random.Random) -> tuple[Callable[[float], LoadOutcome], Callable[[float], bool]]:
    """Checks of a made-up crane: straight, bent, in pieces; it may fall from some load on. Second, what it bears."""
    checks: dict[str, Callable[[float], float]] = {}
    for k in range(rng.randint(1, 5)):
        end, kind, size = (
            rng.uniform(2.0, 60.0),
            rng.choice(["straight", "square", "root", "lifts"]),
            10 ** rng.uniform(-2, 6),
        )
        knee, steep = rng.uniform(0.0, end), rng.uniform(0.3, 3.0)
        law = {
            "straight": lambda x, e=end: x / e - 1.0,
            "square": lambda x, e=end: (x / e) ** 2 - 1.0,
            "root": lambda x, e=end: math.sqrt((x + 1.0) / (e + 1.0)) - 1.0,
            "lifts": lambda x, e=end, k=knee, s=steep: (x - e + (s - 1.0) * (max(x - k, 0.0) - (e - k))) / e,
        }[kind]
        checks[f"{kind} {k}"] = lambda x, law=law, size=size: size * law(x)
    falls = rng.uniform(1.0, 80.0) if rng.random() < 0.4 else math.inf
    start = rng.choice([0.0, 0.0, 0.0, 0.2])  # of a crane that falls without load

    def look(load: float) -> LoadOutcome:
        if load > falls or load < start:
            return LoadOutcome(falls="tips")
        told: Excess = {name: law(load) for name, law in checks.items()}
        return seen(told)

    return look, lambda load: look(load).holds


def first_by_trying(holds: Callable[[float], bool], upper: float) -> float:
    """The first load that is not borne, by 20,000 loads one after the other."""
    loads = np.linspace(0.0, upper, 20_001)
    return next((float(load) for load in loads if not holds(load)), upper)


def searched(rng: random.Random) -> None:
    look, holds = laws(rng)
    upper, scale = 50.0, rng.choice([0.5, 3.0, 20.0, None])
    found: Capacity = capacity(look, 0.0, upper, scale)
    wanted = first_by_trying(holds, upper)
    if not holds(0.0):
        assert (found.kind, found.load) == ("none", 0.0)
        return
    assert found.kind == ("range" if wanted == upper else "rated") or abs(wanted - upper) < 0.01 * upper, (
        found,
        wanted,
    )
    assert found.load == pytest.approx(wanted, rel=0.01), (found, wanted)


def test_the_search_finds_the_first_load_that_is_not_borne() -> None:
    for seed in range(60):
        searched(random.Random(seed))


def test_the_search_finds_the_first_load_that_is_not_borne_by_chance(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(400):
        searched(rng)


def test_charts_by_chance_against_moments_alone_and_by_runs(tmp_path: Path, many: int, seed: int) -> None:
    """Places against moments, 300 in a search; one of each chart alone, and by runs at 1.02 and 0.98 of its load."""
    rng = random.Random(seed)
    path, wrong, unknown, sliding = crane(tmp_path), [], 0, 0
    reaches, turns = (5, 4) if many > 1 else (2, 1)
    for _ in range(15 if many > 1 else 1):
        at = drawn(rng)
        axes = {
            "reach": [rng.uniform(4.0, 14.0) for _ in range(reaches)],
            "azimuth": [rng.uniform(-3, 3) for _ in range(turns)],
        }
        rest = {name: at[name] for name in ("counter", "speed", "to")}
        grid = luff.chart(path, "load", axes, upper=100e3, jobs=1, **rest)
        for k, (reach, azimuth) in grid.places():
            place = {**rest, "reach": reach, "azimuth": azimuth}
            words = agrees(grid, k, place)
            unknown += str(grid.kinds[k]) == "unknown"
            if words and str(grid.kinds[k]) != "unknown":
                slid = slides(path, place, float(grid.rated[k]))
                sliding += slid
                wrong += [] if slid else [f"{place}: {words}"]
        k = rng.randrange(reaches), rng.randrange(turns)
        one = {"reach": [axes["reach"][k[0]]], "azimuth": [axes["azimuth"][k[1]]]}
        alone = luff.chart(path, "load", one, upper=100e3, jobs=1, confirm=True, **rest)
        if str(alone.rated[0, 0]) != str(grid.rated[k]):
            wrong.append(f"{rest} {one}: alone {alone.rated[0, 0]}, in the grid {grid.rated[k]}")
        wrong += [f"{rest} {one}: {run}" for run in alone.confirmed if disagrees(run)]
    print(unknown, "unknown", sliding, "where feet slide before the crane tips, as runs do")
    assert not wrong, "\n".join([f"seed {seed}", *wrong])


def first_slide(place: dict[str, float], grip: float, upper: float, pulled: bool) -> tuple[float, str]:
    """The least load at which the crane tips or its feet slide, by springs under a rigid body and limit analysis."""

    def verdict(load: float) -> str:
        force, moment = acting(place, load, pulled)
        push = pushes(force, moment)
        if push is None:
            return "tips"
        on = push > 0.0
        across = np.array([-force[0], -force[1], -moment[2]])
        return "" if not across.any() or share_held(PADS[on], grip * push[on], across) >= 1.0 else "slides"

    if (word := verdict(0.0)) != "":
        return 0.0, word
    loads = np.linspace(0.0, 1.0, 25)[1:] ** 2 * upper
    high = next((float(load) for load in loads if verdict(float(load))), math.inf)
    if high == math.inf:
        return math.inf, ""
    low = max((float(load) for load in loads if load < high), default=0.0)
    for _ in range(10):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if verdict(middle) else (middle, high)
    return high, verdict(high)


def acting(place: dict[str, float], load: float, pulled: bool) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about the middle of the pads, of all weights and the wind [N, N m]."""
    c, s = math.cos(place["azimuth"]), math.sin(place["azimuth"])
    tip = np.array([place["reach"] * c, place["reach"] * s, 8.0])
    wind = (
        0.5
        * 1.225
        * 1.4
        * 20.0
        * place["speed"] ** 2
        * np.array([math.cos(place["to"]), math.sin(place["to"]), 0.0])
    )
    weights = (
        (12e3, (0.0, 0.0, 1.0)),
        (place["counter"], (-4.0 * c, -4.0 * s, 2.0)),
        (1e3, (0.5 * place["reach"] * c, 0.5 * place["reach"] * s, 4.0)),
        (0.0 if pulled else load, tip),
    )
    acts = [(np.array([0.0, 0.0, -G * mass]), np.array(at)) for mass, at in weights] + [(wind, tip)]
    acts += [(np.array([load, 0.0, 0.0]), tip)] if pulled else []
    forces = np.array([force for force, _ in acts])
    return forces.sum(axis=0), np.cross([at for _, at in acts], forces).sum(axis=0)


def pushes(force: np.ndarray, moment: np.ndarray) -> np.ndarray | None:
    """Pushes of pads under a rigid crane, those that would pull left out one by one; None where it tips."""
    k, on = np.array([4e8, 2e8, 4e8, 3e8]), np.ones(4, bool)
    plane = np.column_stack((np.ones(4), PADS))
    for _ in range(8):
        if on.sum() < 3:
            return None
        sink = np.linalg.solve((plane * (k * on)[:, None]).T @ plane, [-force[2], moment[1], -moment[0]])
        pushing = plane @ sink > 0.0
        if (pushing == on).all():
            return np.where(on, k * (plane @ sink), 0.0)
        on = pushing
    return None


def test_a_crane_is_rated_up_to_where_its_pads_slide(tmp_path: Path) -> None:
    """A pull at the boom's end turns the crane about its pads; straight ahead they hold mu m g, of 22 t."""
    rest = {"counter": 9e3, "to": 0.0, "grip": 0.1, "reach": 6.0}
    turns, path = [0.0, 2.0], crane(tmp_path, True)
    found = luff.chart(path, "load", {"azimuth": turns}, upper=30e3, jobs=1, **rest)
    assert found.rated[0] == pytest.approx(0.1 * 22e3 * G, rel=4e-3)
    for k, azimuth in enumerate(turns):
        wanted, word = first_slide({**rest, "speed": 0.1, "azimuth": azimuth}, 0.1, 100e3, True)
        assert word == "slides"
        assert found.limits[k] == "slides on its supports"
        assert found.rated[k] == pytest.approx(wanted, rel=4e-3)
    flown = luff.chart(
        path, "load", {"azimuth": [2.0]}, upper=30e3, jobs=1, confirm=True, margin=1.5, **rest
    ).confirmed
    assert [(run.seen, run.agrees) for run in flown] == [("holds", True), ("slides on its supports", True)]


def test_pads_without_friction_hold_nothing(tmp_path: Path) -> None:
    found = luff.chart(crane(tmp_path), "load", {"speed": [10.0]}, upper=100e3, jobs=1, grip=0.0)
    assert found.kinds.tolist() == ["none"]
    assert found.limits[0].startswith("nothing holds stand.")


def test_cranes_whose_pads_slide_by_chance(tmp_path: Path, many: int, seed: int) -> None:
    """Pads with little grip in strong wind, against springs under a rigid crane and limit analysis; and flown."""
    rng = random.Random(seed)
    wrong, kinds = list[str](), Counter[str]()
    reaches, turns = (5, 4) if many > 1 else (2, 1)
    for n in range(15 if many > 1 else 2):
        pulled = n % 2 == 0
        upper = 20e3 if pulled else 100e3
        rest = {
            "counter": rng.choice([1e3, 6e3, 10e3]),
            "speed": rng.choice([0.1, 10.0, 20.0, 30.0]),
            "to": rng.uniform(-math.pi, math.pi),
            "grip": rng.choice([0.03, 0.06, 0.1, 0.15]),
        }
        axes = {
            "reach": [rng.uniform(4.0, 14.0) for _ in range(reaches)],
            "azimuth": [rng.uniform(-3, 3) for _ in range(turns)],
        }
        found = luff.chart(crane(tmp_path, pulled), "load", axes, upper=upper, jobs=1, confirm=True, **rest)
        for k, (reach, azimuth) in found.places():
            kind, rated = str(found.kinds[k]), float(found.rated[k])
            wanted, word = first_slide(
                {**rest, "reach": reach, "azimuth": azimuth}, rest["grip"], 100e3, pulled
            )
            expected = "none" if wanted == 0.0 else "rated" if word else "range"
            kinds[f"{expected} {word}: {kind}"] += 1
            close = kind != "rated" or abs(rated - wanted) <= 0.01 * wanted + 20.0
            if kind != "unknown" and (kind != expected or not close):
                place = f"{pulled}, {rest}, reach {reach}, azimuth {azimuth}"
                wrong.append(f"{place}: {kind} {rated} ({found.limits[k]}), expected {wanted} ({word})")
        kinds["runs agree"] += sum(run.agrees is True for run in found.confirmed)
        wrong += [f"{rest}: {run}" for run in found.confirmed if disagrees(run)]
    print(dict(kinds))
    assert not wrong, "\n".join([f"seed {seed}", *wrong])


def slides(path: Path, place: dict[str, float], rated: float) -> bool:
    """Moments suppose feet that stick: below what they say a crane may slide and fall, if runs do beside the load."""
    wanted, _ = by_moments(**place)
    one = {"reach": [place["reach"]]}
    rest = {name: value for name, value in place.items() if name != "reach"}
    if not 0.0 < rated < wanted:
        return False
    runs = luff.chart(path, "load", one, upper=100e3, jobs=1, confirm=True, **rest).confirmed
    return len(runs) == 2 and all(run.agrees is True for run in runs)


def disagrees(run: Confirmation) -> bool:
    return run.agrees is False
