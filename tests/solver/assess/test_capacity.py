"""Capacities against closed forms: moments about outriggers, bending of a cantilever, limits of signals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.assess import capacity as capacity_of_place
from luff.solver.assess.capacity import capacity
from luff.solver.assess.chart import chart, checks_from
from luff.solver.assess.tipping import edges_of, hull, least_reserve
from luff.solver.flat.flatten import Flat
from luff.solver.program.started import started
from luff.solver.run import parameters
from luff.tests.process import call

STAND = """
luff: 1
parameters: {load: 1 t, reach: 6 m, azimuth: 90 deg}
blocks:
  stand:
    type: base_support
    mass: 20 t
    com: [0, 0, 1]
    inertia: [60 t*m^2, 110 t*m^2, 130 t*m^2]
    one_sided: true
    supports:
      - {at: [3, 2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [3, -2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [-3, 2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [-3, -2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
  slew: {type: fixed, rotate: [[z, =azimuth]]}
  boom: {type: rigid_link, frame_b: {at: [=reach, 0, 2]}}
  root: {type: section_sensor, of: boom, section: {shape: box, width: 0.3, height: 0.3, thickness: 8 mm}, ALLOW}
  weight: {type: rigid_link, mass: =load}
connect:
  - world.frame -- stand.frame_a
  - stand.frame_b -- slew.frame_a
  - slew.frame_b -- boom.frame_a
  - boom.frame_b -- weight.frame_a
simulation: {stop: 0.1 s, step: 1 ms}
"""


def stand(tmp_path: Path, allowable: str = "") -> Path:
    path = tmp_path / "crane.yaml"
    path.write_text(STAND.replace(", ALLOW", allowable))
    return path


def tipping_load(reach: float, azimuth: float, reserve: float = 1.0) -> float:
    """20 t in the middle of 6 m by 4 m, and a load at reach: moments about each edge."""
    x, y = reach * math.cos(azimuth), reach * math.sin(azimuth)
    loads = [math.inf]
    for half, along in ((3.0, x), (3.0, -x), (2.0, y), (2.0, -y)):
        if along > half:
            # all weight counts as if it stood in the middle: (m + P) half / (P along) is the reserve
            loads.append(20e3 * half / (reserve * along - half))
    return min(loads)


def test_a_chart_of_outriggers_is_that_of_moments(tmp_path: Path) -> None:
    azimuths, reaches = [0, 40, 90, 200], [5, 8, 12]
    found = luff.chart(
        stand(tmp_path),
        "load",
        {"azimuth": [f"{a} deg" for a in azimuths], "reach": reaches},
        upper="80 t",
        jobs=1,
    )
    for (i, j), (_, reach) in found.places():
        wanted = tipping_load(float(reach), math.radians(azimuths[i]))
        # within 0.5 % of statics; the supports sink by less than a tenth of a millimetre
        assert found.rated[i, j] == pytest.approx(wanted, rel=5e-3), (azimuths[i], reach)
        assert "tipping" in found.limits[i, j]
    assert found.evaluations < 5 * found.rated.size


def test_a_chart_is_that_of_netlists_described_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[Flat] = []
    monkeypatch.setattr(parameters, "started", lambda flat: whole.append(flat) or started(flat))
    given = stand(tmp_path), "load", {"azimuth": [0, "90 deg"], "reach": [5, 8]}
    near = luff.chart(*given, upper="80 t", jobs=1)
    assert len(whole) < 0.8 * near.evaluations
    monkeypatch.setattr(capacity_of_place, "started_near", started)
    assert luff.chart(*given, upper="80 t", jobs=1).as_dict() == near.as_dict()


def test_reserve_and_margin(tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text(
        "luff: 1\nmodel: ./crane.yaml\ncases: {hold: {}}\ntipping: {base: stand, reserve: 1.4}\n"
    )
    stand(tmp_path)
    found = luff.chart(tmp_path / "desk.yaml", "load", {"reach": [8]}, upper="80 t", margin=1.25, jobs=1)
    assert found.rated[0] == pytest.approx(tipping_load(8.0, math.pi / 2, 1.4) / 1.25, rel=5e-3)


def test_the_section_governs_where_the_arm_is_short(tmp_path: Path) -> None:
    """M = m g reach against W sigma; tipping further out, where the stand gives way first."""
    path = stand(tmp_path, ", allowable: 800 MPa")
    found = luff.chart(path, "load", {"reach": [3, 12]}, upper="80 t", jobs=1)
    I = (0.3**4 - 0.284**4) / 12
    assert found.limits.tolist() == ["root", "tipping over 1 to 3"]
    bending = 800e6 * I / 0.15 / (9.81 * 3)
    # shear and the force along the boom's slope are a few per cent of the bending stress
    assert 0.85 * bending < found.rated[0] < bending
    with_load = luff.compile(
        luff.load(path), load=float(found.rated[0]), reach=3, **{"initial.solve": "static"}
    )
    assert with_load.evaluate()["root.utilisation"] == pytest.approx(1.0, abs=5e-3)


def test_moving_runs_bear_less_than_statics(tmp_path: Path) -> None:
    """A load that is let go loads its support twice as much: the limit of a signal is met at half the mass."""
    (tmp_path / "hang.yaml").write_text("""
luff: 1
parameters: {load: 100 kg}
blocks:
  slide: {type: prismatic, axis: z, stiffness: 40 kN/m}
  body: {type: rigid_link, mass: =load}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a]
simulation: {stop: 1 s, step: 1 ms}
""")
    limits = [{"of": "slide.position", "metric": "minimum", "above": "-0.1 m"}]
    still, moving = (
        luff.chart(
            tmp_path / "hang.yaml", "load", {"world.gravity": [[0, 0, -9.81]]}, upper=1000.0, limits=limits,
            dynamic=dynamic, jobs=1,
        )
        for dynamic in (False, True)
    )  # fmt: skip
    assert still.rated[0] == pytest.approx(40e3 * 0.1 / 9.81, rel=1e-3)
    # the rows miss the turning point by less than 1e-5 of the way
    assert moving.rated[0] == pytest.approx(still.rated[0] / 2, rel=2e-3)


def test_chart_from_the_command_line(tmp_path: Path) -> None:
    stand(tmp_path)
    command = [
        "chart",
        "crane.yaml",
        "--load",
        "load=0t:80t",
        "--over",
        "azimuth=0deg:90deg:90deg",
        "--over",
        "reach=8,12",
    ]
    call(*command, "-o", "a.csv", "-o", "a.svg", "-o", "a.yaml", "-o", "a.json", cwd=tmp_path)
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert rows[0] == "azimuth,reach,rated load [t],limit"
    assert len(rows) == 5
    told = json.loads((tmp_path / "a.json").read_text())
    assert float(rows[1].split(",")[2]) == pytest.approx(1e-3 * told["rated"][0][0], rel=1e-5)
    assert np.shape(told["rated"]) == (2, 2)
    # the limiter is a netlist of its own, and gives the least over the azimuths
    (tmp_path / "use.yaml").write_text(
        "luff: 1\nblocks: {r: {type: constant, value: 10}, l: {type: ./a.yaml}}\nconnect: [r.y -> l.u]\n"
        "outputs: {rated: l.y}\n"
    )
    sim = luff.compile(luff.load(tmp_path / "use.yaml"))
    low = np.array(told["rated"]).min(axis=0)
    assert next(v for k, v in sim.evaluate().items() if "capacity" in k) == pytest.approx(
        low.mean(), rel=1e-4
    )


def test_processes_of_a_chart_may_run_what_their_parent_may(tmp_path: Path) -> None:
    path = stand(tmp_path)
    (tmp_path / "mine.py").write_text("import luff\n")
    path.write_text(path.read_text().replace("blocks:\n", "blocks:\n  files: [mine.py]\n", 1))
    places = {"reach": [6.0 + k / 8 for k in range(16)]}  # eight for each of two processes
    made = chart(checks_from(path, allow_code=True), "load", places, upper=80e3, jobs=2)
    assert made.rated[0] == pytest.approx(tipping_load(6.0, math.pi / 2), rel=5e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--load", "load", "--over", "reach"], "expected parameter=values"),
        (["--load", "load", "--over", "reach=1m:9:2m"], "in one unit"),
        (["--load", "load=5t:1t", "--over", "reach=8"], "found a range"),
        (["--load", "lod", "--over", "reach=8"], 'says nothing at "lod"'),
        (["--load", "load", "--over", "rech=8"], "rech"),
        (["--load", "load", "--over", "reach=8", "--limit", "x=3"], "expected signal<value"),
    ],
)
def test_what_a_chart_cannot_be(tmp_path: Path, words: list[str], message: str) -> None:
    stand(tmp_path)
    done = call("chart", "crane.yaml", *words, cwd=tmp_path, code=None)
    assert done.returncode in (1, 2)
    assert message in done.stderr


# --- the parts -------------------------------------------------------------------------------------------------------


def test_the_search_takes_the_first_of_several_limits() -> None:
    seen: list[float] = []

    def excess(load: float) -> dict[str, float] | None:
        seen.append(load)
        if load > 8.2:
            return None
        return {"bent": (load / 10.0) ** 2 - 0.64, "straight": load / 9.0 - 1.0}

    found = capacity(excess, 0.0, 100.0)
    assert (found.limit, found.load) == ("bent", pytest.approx(8.0, rel=5e-3))
    assert len(seen) == found.evaluations < 14


def test_a_load_that_nothing_limits_is_the_end_of_the_range() -> None:
    found = capacity(lambda load: {"never": -1.0 + 1e-6 * load}, 0.0, 50.0)
    assert (found.load, found.limit) == (50.0, "")


def test_what_does_not_hold_even_empty_bears_nothing() -> None:
    assert capacity(lambda load: {"own weight": 0.1 + load}, 0.0, 50.0).load == 0.0
    assert capacity(lambda load: None, 0.0, 50.0).limit == "no equilibrium"


def test_the_edges_go_around_all_pads() -> None:
    places = [(0, 0), (4, 0), (4, 3), (0, 3), (2, 1)]
    assert sorted(hull(np.array(places, float))) == [0, 1, 2, 3]
    assert all(edge.distance(np.array([2.0, 1.0])) > 0 for edge in edges_of(places))


def test_reserve_of_a_beam_balance() -> None:
    """10 kN in the middle of a square of 2 m, P beside it: (W d)/(P (x - d)) with the weight given."""
    places = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    W, P, x = 10e3, 2e3, 3.0
    # all at once by the moments: right pads carry (W + P)/2 + P x/2
    right, left = ((W + P) + P * x) / 4, ((W + P) - P * x) / 4
    forces = np.array([[right, left, left, right]])
    given = least_reserve(forces, places, W, (0.0, 0.0))
    assert given.value == pytest.approx(W * 1.0 / (P * (x - 1.0)))
    assert {given.edge.first, given.edge.second} == {0, 3}
    assert least_reserve(forces, places, None, None).value == pytest.approx((W + P) / (P * x))
    assert least_reserve(np.zeros((1, 4)), places, W, (0.0, 0.0)).value == 0.0
