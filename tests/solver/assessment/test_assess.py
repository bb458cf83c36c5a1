"""Assessments as a user runs them: a load picked up by a spring, partial factors, damage, ropes, stability."""

from __future__ import annotations

import json
import math
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.solver.assessment import assessment_file, html_elements
from luff.solver.assessment.assessment_figures import governing_curves
from luff.solver.assessment.assessment_file import scale_value
from luff.solver.assessment.assessment_settings import Code
from luff.solver.assessment.dynamic_factors import dynamic_factor
from luff.solver.assessment.three_view import crane_lines
from luff.tests.process import call
from luff.version import told

# a crane of no mass but its stiffness: a rope of EA/L = 2 MN/m, wound at v; long, so that winding hardly stiffens it
CRANE = """
luff: 1
name: spring crane
doc: A rope picks a load up at full speed.
parameters: {load: 5 t, speed: 0.3 m/s, damping: 0 ms}
blocks:
  top: {type: fixed, at: [0, 0, 100.5]}
  slide: {type: prismatic, axis: z, initial: {position: 0}}
  body: {type: rigid_link, mass: =load, frame_b: {at: [0, 0, 0.5]}}
  floor: {type: line_spring, stiffness: 0}
  ground: {type: contact, radius: 0, law: {stiffness: 1e10, dissipation: 0.2}}
  boom: {type: rfem_link, rigid: true, length: 2, section: {shape: box, width: 0.2, height: 0.2, thickness: 8 mm}}
  root: {type: section_sensor, of: boom, allowable: 160 MPa}
  drum: {type: constant, value: =speed/0.1}
  winch: {type: winch, radius: 0.1}
  rope: {type: rope, EA: 200 MN, damping: =damping, length: 100.01}
connect:
  - world.frame -- top.frame_a
  - top.frame_b -- boom.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - world.frame -- ground.plane
  - body.frame_a -- ground.of
  - drum.y -> winch.velocity
  - rope.tension -> winch.tension
  - winch.take_up -> rope.take_up
  - boom.frame_a -- rope.frame_a
  - body.frame_b -- rope.frame_b
simulation: {stop: 2 s, step: 0.1 ms, output_step: 0.5 ms}
""".replace("  floor: {type: line_spring, stiffness: 0}\n", "")

DESK = """
luff: 1
name: Spring crane
model: ./crane.yaml
cases:
  fast: {doc: at full speed, repeats: 1e4}
  slow: {set: {speed: 0.1 m/s}, repeats: 1e5}
combinations:
  A: {doc: chosen here, cases: [fast], scale: {load: 1.2}, effect: 1.1}
sections:
  boom's root: {sensor: root, fatigue: {strength: 71 MPa, slope: 3}}
ropes:
  rope:
    tension: rope.tension
    breaking: 500 kN
    safety: 4
    length: rope.natural_length
    sheaves: [{at: 1 m}]
limits:
  - {title: height, metric: maximum, of: slide.position, below: 2 m}
factors:
  hoisting:
    of: rope.tension
    over: {metric: mean, start: 1 s, stop: 1.9425 s}  # three periods
    code: {formula: spring, speed: 0.3 m/s, stiffness: 2 MN/m, mass: 5 t}
assumptions: [The floor is stiff.]
"""


def desk(tmp_path: Path, text: str = DESK) -> Path:
    (tmp_path / "crane.yaml").write_text(CRANE)
    path = tmp_path / "desk.yaml"
    path.write_text(text)
    return path


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return call("assess", "desk.yaml", *words, cwd=tmp_path, code=None)


def test_a_load_picked_up_by_a_spring(tmp_path: Path) -> None:
    """1 + (v/g) sqrt(k/m) within 1 %; each fall of the checks by hand; and the report of it."""
    desk(tmp_path)
    done = run(tmp_path, "--json", "--report", "desk.html")
    assert done.returncode in (0, 4), done.stderr
    told = json.loads(done.stdout)
    assert [one["run"] for one in told["every"] if one["title"] == "rope"] == ["slow", "A: fast"]
    fast, slow = told["factors"]
    # winding shortens the rope by 0.2 %: k = EA/L
    for one, v in ((fast, 0.3), (slow, 0.1)):
        assert one["simulated"] == pytest.approx(1 + v / 9.81 * math.sqrt(2e6 / 5e3), rel=0.01)
    assert fast["code"] == pytest.approx(1 + 0.3 / 9.81 * 20)
    rope = next(one for one in told["checks"] if one["title"] == "rope")
    assert rope["run"] == "A: fast"
    peak = 1.1 * 6e3 * 9.81 * (1 + 0.3 / 9.81 * math.sqrt(2e6 / 6e3))
    assert rope["value"] == pytest.approx(500e3 / peak, rel=0.01)
    assert rope["utilisation"] == pytest.approx(4 * peak / 500e3, rel=0.01)
    assert told["holds"] == all(one["holds"] for one in told["checks"])
    assert done.returncode == (0 if told["holds"] else 4)
    _read(tmp_path / "desk.html")
    # what is there is not run again, and the answer is the same
    again = run(tmp_path, "--json")
    assert json.loads(again.stdout)["checks"] == told["checks"]
    assert [one.status for one in luff.assess(tmp_path / "desk.yaml", tmp_path / "desk.h5").outcomes] == [
        "kept"
    ] * 3


def _read(path: Path) -> None:
    """One file without links to others, well-formed, with every part."""
    text = path.read_text()
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "path", "use", "rect", "br", "image", "line"):
                opened.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None:
            pass

        def handle_endtag(self, tag: str) -> None:
            if opened and opened[-1] == tag:
                opened.pop()
            elif tag not in ("path", "use", "rect", "image", "line"):
                raise AssertionError(f"</{tag}> closes {opened[-3:]}")

    Reader().feed(text)
    assert not opened
    for heading in (
        "The crane",
        "Load cases",
        "Checks",
        "Dynamic factors",
        "Damage over",
        "Assumptions",
        "Versions",
    ):
        assert heading in text
    assert "claims conformity with no standard" in text.replace("\n", " ")
    assert "luff assess desk.yaml --json --report desk.html" in text
    assert not re.search(r"(src|href)=[\"']https?:", text)
    assert "<script" not in text
    assert told() in text  # the commit too, which makes a report one of these very sources


def test_what_the_command_sets_is_what_a_combination_scales(tmp_path: Path) -> None:
    """`--set load=6t` under a factor of 1.2 is a run with 7.2 t, and one of 6 t as it is."""
    desk(tmp_path)
    loaded = assessment_file.load(tmp_path / "desk.yaml", {"load": "6 t", "damping": "1 ms"})
    given = {one.name: loaded.study.overrides(one) for one in loaded.study.variants}
    assert Scope().quantity(given["A: fast"]["load"]).value == pytest.approx(7200.0)
    assert given["fast"]["load"] == "6 t"
    assert given["A: fast"]["damping"] == "1 ms"


def test_a_limit_counts_from_the_start_of_its_case(tmp_path: Path) -> None:
    """The rope pulls the load up steadily: what it is at most until 0.5 s, and at least from 1.5 s on."""
    limits = """limits:
  - {title: highest, metric: maximum, of: slide.position, below: 2 m}
  - {title: lowest, metric: minimum, of: slide.position, above: -2 m}
"""
    text = DESK.replace(
        "limits:\n  - {title: height, metric: maximum, of: slide.position, below: 2 m}\n", limits
    )
    desk(tmp_path, text.replace("fast: {doc: at full speed,", "fast: {start: 1.5 s, stop: 1.6 s,"))
    made = luff.assess(tmp_path / "desk.yaml", tmp_path / "desk.h5")
    told = {one.title: one.value for one in made.every if one.run == "A: fast"}
    way = made.results["A: fast"]["slide.position"]
    time = made.results["A: fast"].time
    rows = (time >= 1.5) & (time <= 1.6)
    assert way[rows].min() > 0.0  # away from its limit of -2 m: no factor makes it larger
    assert told["lowest"] == pytest.approx(way[rows].min())
    assert told["highest"] == pytest.approx(1.1 * way[rows].max())
    assert way[rows].min() > way.min() + 0.1


def test_the_report_says_sources_warnings_and_charts(tmp_path: Path) -> None:
    """Numbers with their formula, what a run warns of, own lines below the heading, a load chart."""
    text = (
        DESK.replace("model:", "about: {drawing: 17-3, revision: B}\nmodel:")
        + """
charts:
  by the rope's length:
    load: load
    lower: 1 t
    upper: 90 t
    over: {rope.length: "100.01 m:100.03 m:0.01 m"}
"""
    )
    desk(tmp_path, text.replace("breaking: 500 kN", "breaking: 500 kN\n    source: maker's sheet 4"))
    made = luff.assess(
        tmp_path / "desk.yaml", tmp_path / "desk.h5", report=tmp_path / "desk.html", load="6 t"
    )
    told: Any = made.as_dict()
    assert {type(one["holds"]) for one in told["checks"]} == {bool}
    page = (tmp_path / "desk.html").read_text()
    for words in (
        "<td>drawing</td><td>17-3</td>",
        "maker&#39;s sheet 4",
        "v = 0.3 m/s, k = 2e+06 N/m, m = 5000 kg",
        "maximum of rope.tension over the mean of rope.tension from 1 s to 1.9425 s",
        "1.2 on load",
        "<td>load</td><td>6\N{NO-BREAK SPACE}t</td>",
        "by the rope&#39;s length: the load at which the first check",
        "--set &#39;load=6 t&#39; --report report.html",
    ):
        assert words in page, words
    remarks = [str(one.message) for name in made.assessment.loads for one in made.results[name].remarks]
    assert remarks  # the load lifts off
    for one in remarks:
        assert one.replace("'", "&#39;") in page
    assert page.count("<figure>") == 1 + len(made.checks) + 1


@pytest.mark.parametrize(
    ("limit", "unit"), [("below: 90 kN", ""), ("below: 90e3", ""), ("below: 90", ", unit: kN")]
)
def test_a_limit_is_drawn_where_the_curve_reaches_it(tmp_path: Path, limit: str, unit: str) -> None:
    """However its unit is said: curve and dashed line have the same, and touch where the utilisation is 1."""
    one = f"  - {{title: pull, metric: maximum, of: rope.tension, {limit}{unit}}}\n"
    desk(tmp_path, DESK.replace("limits:\n", f"limits:\n{one}").replace("cases: [fast], ", "cases: [slow], "))
    made = luff.assess(tmp_path / "desk.yaml", tmp_path / "desk.h5")
    pull = next(check for check in made.checks if check.title == "pull")
    figure = next(figure for figure, words in governing_curves(made) if words.startswith("pull"))
    axes = figure.axes[0]
    drawn, bound = max(axes.lines[0].get_ydata()), axes.lines[1].get_ydata()[0]
    assert drawn / bound == pytest.approx(pull.utilisation, rel=1e-3)  # of what a picture is thinned to
    assert axes.get_ylim()[0] == 0.0


def test_units_in_tables_have_their_powers() -> None:
    told = (
        html_elements.environment()
        .get_template("pieces.html")
        .module.table(
            [
                ["A", "moment", "name", "factor"],
                ["0.02 m^2", "3 kN*m", "jib.T*me", "2e+06"],
                ["1 kg*m^2", "", "a^2b", ""],
            ]
        )
    )
    for words in ("m\u00b2<", "kN\u00b7m<", "kg\u00b7m\u00b2<", "jib.T*me", "a^2b"):
        assert words in told, words


def test_names_in_a_report_are_no_html() -> None:
    pieces = html_elements.environment().get_template("pieces.html").module
    hostile = "<script>alert(1)</script>"
    made = (
        pieces.table([[hostile], [hostile]])
        + pieces.bullets([hostile])
        + html_elements.code(f"`{hostile}` {hostile}")
    )
    assert "<script" not in made
    assert made.count("&lt;script&gt;") == 5


def test_a_counterweight_is_drawn_though_nothing_is_joined_to_it() -> None:
    text = """
luff: 1
blocks:
  jib: {type: rigid_link, mass: 1 t, frame_b: {at: [10, 0, 0]}}
  weight: {type: rigid_link, mass: 5 t, com: [-4, 0, 1]}
  point: {type: rigid_link, mass: 1 t}
  turn: {type: revolute, axis: z, initial: {position: 90 deg}}
connect:
  - world.frame -- turn.frame_a
  - turn.frame_b -- jib.frame_a
  - turn.frame_b -- weight.frame_a
  - jib.frame_b -- point.frame_a
"""
    lines = {line.name: line for line in crane_lines(luff.compile(luff.loads(text)))}
    assert set(lines) == {"jib", "weight"}
    np.testing.assert_allclose(lines["weight"].end, [0, -4, 1], atol=1e-12)


def test_a_check_that_fails_is_exit_code_4(tmp_path: Path) -> None:
    desk(tmp_path, DESK.replace("below: 2 m", "below: 1 cm"))
    done = run(tmp_path)
    assert done.returncode == 4
    assert "luff: height fails" in done.stderr
    # what the runs warn of is told here too, with their names
    warnings = [line for line in done.stderr.splitlines() if "lifts at" in line]
    assert all(
        line.startswith("luff: warning: ground: the contact carried at the start") for line in warnings
    )
    assert {"fast", "slow", "A: fast"} == {
        name for line in warnings for name in line.rpartition("(in ")[2].rstrip(")").split(", ")
    }
    assert re.search(r"\| height \|.*FAILS", done.stdout)


def test_a_run_that_fails_is_exit_code_3(tmp_path: Path) -> None:
    desk(
        tmp_path,
        DESK.replace(
            "slow: {set: {speed: 0.1 m/s}",
            "slow: {set: {simulation.step: 0.1 s, simulation.output_step: 0.1 s}",
        ),
    )
    done = run(tmp_path, "--limit", "0.001", "--quiet")
    assert done.returncode == 3
    assert "failed" in done.stderr


def test_list_runs_nothing(tmp_path: Path) -> None:
    desk(tmp_path)
    done = run(tmp_path, "--list")
    assert done.stdout.splitlines() == ["Spring crane: 3 runs of crane.yaml", "  fast", "  slow", "  A: fast"]
    assert not (tmp_path / "desk.h5").exists()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("sensor: root", "sensor: rot", 'no section_sensor "rot".*did you mean "root"'),
        ("tension: rope.tension", "tension: rope.tensin", 'no signal "rope.tensin"'),
        ("scale: {load: 1.2}", "scale: {lod: 1.2}", 'says nothing at "lod"'),
        ("cases: [fast]", "cases: [fest]", 'no case matches "fest"'),
        ("below: 2 m", "title: x", "title"),
        ("below: 2 m", "below: 2 kW", "found 2 kW for slide.position, which is in m"),
        ("set: {speed: 0.1 m/s}", "set: {sped: 0.1 m/s}", "sped"),
        ("cases:\n", "case:\n", "found no cases"),
        ("assumptions: [", "tipping: {base: boom}\nassumptions: [", 'no base_support "boom"'),
        ("strength: 71 MPa", "strength: 0", "> 0"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, before: str, after: str, message: str) -> None:
    desk(tmp_path, DESK.replace(before, after))
    done = run(tmp_path)
    assert done.returncode == 1, done.stdout
    assert re.search(message, done.stderr.replace("\n", " ")), done.stderr
    assert "Traceback" not in done.stderr
    assert re.search(r"desk\.yaml:\d+:\d+", done.stderr)


# --- the parts -------------------------------------------------------------------------------------------------------


def code(**values: object) -> Code:
    return Code(convert_all(Code.params, values, Scope(), "", "code"), frozenset(values))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"formula": "en13001", "hoisting_class": "HC1", "speed": "0.5 m/s"}, 1.05 + 0.17 * 0.5),
        ({"formula": "en13001", "hoisting_class": "HC4", "speed": "0.5 m/s"}, 1.20 + 0.68 * 0.5),
        ({"formula": "en13001", "least": 1.3, "beta": 0.1, "speed": 1}, 1.4),
        ({"formula": "fem1001", "xi": 0.3, "speed": 0.5}, 1.15),
        ({"formula": "lift_in_air", "mass": "25 t"}, 1.5),
        ({"formula": "given", "value": 1.1}, 1.1),
        (
            {"formula": "offshore", "speed": 0.4, "tip": 0.3, "deck": 0.4, "stiffness": 2e6, "mass": 5e3},
            1 + (0.2 + 0.5) / 9.81 * 20,
        ),
    ],
)
def test_factors_of_codes(values: dict[str, object], wanted: float) -> None:
    assert dynamic_factor(code(**values)) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (2, 3.0),
        ("2 t", "3.0 t"),
        ("=a + b", "=1.5*(a + b)"),
        (["1 m", 2], ["1.5 m", 3.0]),
        ("-1e3", "-1500.0"),
    ],
)
def test_partial_factors_scale_what_the_netlist_says(raw: object, wanted: object) -> None:
    assert scale_value(raw, 1.5, "") == wanted
