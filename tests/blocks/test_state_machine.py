"""State machines: random charts bit for bit against the rules by hand, located ones against closed forms."""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.blocks.errors import ModelWarning
from luff.tests.blocks.test_sequence import TWINS, random_number, random_truth
from luff.tests.conftest import PLAIN, about_compiling
from luff.tests.gui.html_page.test_page import difference, in_node
from luff.tests.process import call
from luff.tests.shared.linked_program import linked
from luff.tests.shared.netlists import HELD_WAVES

STEP = 0.01
ROWS = 151


def chart(**entries: Any) -> dict[str, Any]:
    return {"type": "state_machine", **entries}


def with_charts(charts: dict[str, dict[str, Any]]) -> luff.Diagram:
    blocks = "\n".join(f"  {name}: {json.dumps(raw)}" for name, raw in charts.items())
    wires = ", ".join(f"{port}.y -> {name}.{port}" for name, raw in charts.items() for port in raw["inputs"])
    return luff.loads(HELD_WAVES.format(blocks=blocks, wires=wires, stop=1.5))


def quietly(diagram: luff.Diagram) -> luff.Result:
    """A run whose chart may be ambiguous, or loop without time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return luff.compile(diagram).run()


# --- random charts ---------------------------------------------------------------------------------------------------


def random_chart(draw: random.Random) -> dict[str, Any]:
    states = [f"s{k}" for k in range(draw.randint(2, 6))]
    outputs = [f"y{k}" for k in range(draw.randint(1, 3))]

    def value(own: list[str]) -> Any:
        kind = draw.randrange(4)
        if kind == 0:
            return draw.choice([0, 1.5, -2])
        if kind == 1:
            return draw.choice(["t", "elapsed", "a", "a + elapsed"])
        if kind == 2 and own:
            return f"0.5*{draw.choice(own)} + {draw.choice(['1', 'a', 'elapsed'])}"
        return random_number(draw, 2)

    def values(own: list[str], share: float) -> dict[str, Any]:
        return {name: value(own) for name in draw.sample(outputs, len(outputs)) if draw.random() < share}

    transitions = []
    for _ in range(draw.randint(3, 12)):
        a, b = draw.sample(states, 2)
        one: dict[str, Any] = {"from": a, "to": b if draw.random() < 0.95 else a}
        if draw.random() < 0.85:
            one["when"] = draw.choice(
                [
                    random_truth(draw, 0),
                    random_truth(draw, 2),
                    f"{draw.choice(outputs)} > 0.3",
                    "elapsed > 0.055",
                ]
            )
        if draw.random() < 0.4 or "when" not in one:
            one["after"] = draw.choice([0.01, 0.05, 0.12, 0])
        if draw.random() < 0.5:
            one["priority"] = draw.randint(1, 3)
        transitions.append(one)
    made = {}
    for name in states:
        law = values([], 0.3)
        made[name] = {"entry": values(outputs, 0.4), "during": law, "exit": values(outputs, 0.2)}
    return chart(
        inputs=["a", "b"], outputs={name: {"initial": 0.25} for name in outputs}, states=made,
        initial=draw.choice(states), transitions=transitions,
    )  # fmt: skip


@dataclass
class Model:
    """The same chart by hand: a discrete model that is looked at once each step."""

    raw: dict[str, Any]
    state: str = ""
    begun: int = 0
    values: dict[str, float] = field(default_factory=dict)
    together: int = 0  # instants at which several guards held
    turned: int = 0  # of them those that priorities decide against the order of the file
    loops: int = 0

    def look(self, row: int, time: np.ndarray, known: dict[str, float]) -> None:
        self.time, self.row, self.known = time, row, known
        if not self.state:
            self.state, self.begun = self.raw["initial"], row
            self.values = {name: one["initial"] for name, one in self.raw["outputs"].items()}
            self.set_all("entry")
        for taken in range(len(self.raw["states"]) + 1):
            self.set_all("during")
            open_ones = [one for one in self.raw["transitions"] if self.open(one)]
            if not open_ones:
                break
            if taken == len(self.raw["states"]):
                self.loops += 1
                break
            best = min(open_ones, key=lambda one: one.get("priority", math.inf))
            self.together += len(open_ones) > 1
            self.turned += best is not open_ones[0]
            self.set_all("exit")
            self.state, self.begun = best["to"], row
            self.set_all("entry")

    def set_all(self, kind: str) -> None:
        for name, value in self.raw["states"][self.state][kind].items():
            self.values[name] = float(self.value(str(value)))

    def open(self, one: dict[str, Any]) -> bool:
        lasted = self.row - self.begun >= round(one.get("after", 0) / STEP)
        return one["from"] == self.state and lasted and ("when" not in one or self.value(one["when"]) > 0.5)

    def value(self, text: str) -> float:
        now = float(self.time[self.row])
        own = {"t": now, "elapsed": now - float(self.time[self.begun]), **self.known, **self.values}
        return eval(text, {"__builtins__": {}, **TWINS}, own)


def random_charts(count: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Charts that have no mistake, by names."""
    draw, made = random.Random(seed), 0
    while made < count:
        raw = random_chart(draw)
        wrong = [problem for problem in with_charts({"c": raw}).check() if problem.severity == "error"]
        assert all("a loop without time" in problem.message for problem in wrong), (raw, wrong)
        if not wrong:
            made += 1
            yield f"c{made}", raw


def test_200_random_charts_are_their_rules_bit_for_bit(seed: int) -> None:
    together, turned, moved, loops = compare_random_charts(200, seed)
    # enough of them say something
    assert moved > 100
    assert together > 500
    assert turned > 100
    assert 0 < loops < 100


def test_a_few_random_charts_are_their_rules() -> None:
    """So few that a change of the rules is found in seconds, as plain Python too."""
    assert min(compare_random_charts(12, 1)[:3]) > 0


def compare_random_charts(count: int, seed: int) -> tuple[int, int, int, int]:
    """Instants with several open transitions, those of them that a priority decides, charts that move, that loop."""
    charts = dict(random_charts(count, seed))
    result = quietly(with_charts(charts))
    together = turned = moved = loops = 0
    for name, raw in charts.items():
        model, order = Model(raw), list(raw["states"])
        for row in range(ROWS):
            known = {key: float(result[f"{key}.y"][row]) for key in "ab"}
            model.look(row, result.time, known)
            told = {key: float(result[f"{name}.{key}"][row]) for key in ("state", *raw["outputs"])}
            assert told == {"state": order.index(model.state) + 1.0, **model.values}, (name, row)
        moved += len(np.unique(result[f"{name}.state"])) > 1
        together, turned, loops = together + model.together, turned + model.turned, loops + (model.loops > 0)
        said = any(f" {name}: a loop without time" in str(remark) for remark in result.remarks)
        assert said == (model.loops > 0), name
    return together, turned, moved, loops


# --- located transitions ---------------------------------------------------------------------------------------------

CLOCKED = """luff: 1
blocks:
  x: {{type: integrator, initial: -0.3}}
  one: {{type: expression, expr: 1 - 0.2*t}}
  c:
    type: state_machine
    inputs: [x]
    outputs: {{at: {{}}, off: {{}}, rate: {{}}}}
    states:
      low: {{during: {{rate: 0}}}}
      passing: {{entry: {{at: t}}, during: {{rate: 1}}}}
      high: {{during: {{rate: "(2 if x > 0.9 else 0)"}}, exit: {{off: t}}}}
      over: {{entry: {{rate: 0}}}}
    transitions:
      - {{from: low, to: passing, when: x > 0.5}}
      - {{from: passing, to: high, when: x > 0.4, after: 0.1234}}
      - {{from: high, to: over, when: not x < 1.1}}
  area: {{type: integrator}}
connect: [one.y -> x.u, x.y -> c.x, c.rate -> area.u]
simulation: {{stop: 2 s, step: {step}, events: locate, method: {method}}}
outputs: {{area: area.y, at: c.at, off: c.off, state: c.state}}
"""


def reached(level: float) -> float:
    """When x = -0.3 + t - 0.1 t^2 is there."""
    return 5.0 - math.sqrt(25.0 - 10.0 * (0.3 + level))


@pytest.mark.parametrize("method", ["rk4", "heun", "implicit"])
def test_guards_and_times_are_located(method: str) -> None:
    """Steps of 10 ms; x is a parabola, which these methods integrate exactly."""
    result = luff.compile(luff.loads(CLOCKED.format(step="10 ms", method=method))).run()
    assert result["at"][-1] == pytest.approx(reached(0.5), abs=1e-9)
    assert result["off"][-1] == pytest.approx(reached(1.1), abs=1e-9)
    # 1 over the time in `passing`, which `after` ends; 2 from where x is 0.9, in a `during` value
    area = 0.1234 + 2 * (reached(1.1) - reached(0.9))
    assert result["area"][-1] == pytest.approx(area, abs=2e-9)  # of four instants


def test_on_the_grid_a_guard_is_seen_at_the_end_of_its_step_and_a_time_is_exact() -> None:
    text = CLOCKED.format(step="10 ms", method="rk4").replace("events: locate, ", "output_step: 10 ms, ")
    result = luff.compile(luff.loads(text.replace("0.1234", "0.12"))).run()
    first = math.ceil(reached(0.5) / STEP)
    changes = np.flatnonzero(np.diff(result["state"])) + 1
    assert list(changes[:2]) == [first, first + 12]
    assert result["at"][-1] == result.time[first]
    assert any("took effect at its end" in str(remark) for remark in result.remarks)


@pytest.mark.parametrize("method", ["euler", "dop853", "radau"])
def test_other_methods_decide_on_the_grid(method: str) -> None:
    text = CLOCKED.format(step="10 ms", method=method).replace("events: locate, ", "output_step: 10 ms, ")
    result = quietly(luff.loads(text))
    changes = np.flatnonzero(np.diff(result["state"])) + 1
    # as long as a step after what x is by the method; Euler's x is off by less than a step
    assert result.time[changes] == pytest.approx(
        [reached(0.5), reached(0.5) + 0.1234, reached(1.1)], abs=2.5 * STEP
    )
    assert list(result["state"][changes]) == [2.0, 3.0, 4.0]


def test_a_chain_passes_through_states_at_one_instant() -> None:
    text = """luff: 1
blocks:
  x: {type: integrator}
  one: {type: constant, value: 1}
  c:
    type: state_machine
    inputs: [x]
    outputs: {n: {}, seen: {initial: -1}}
    states:
      a: {exit: {n: n + 1}}
      b: {entry: {n: 10*n}, during: {seen: n + x}, exit: {n: n + 2}}
      c: {entry: {n: 10*n}}
    transitions:
      - {from: a, to: b, when: x > 0.505}
      - {from: b, to: c, when: seen > 10}
connect: [one.y -> x.u, x.y -> c.x]
simulation: {stop: 1 s, step: 10 ms, events: locate}
"""
    result = luff.compile(luff.loads(text)).run()
    # ((0 + 1) * 10 + 2) * 10; b is left at the instant at which it began
    assert result["c.n"][-1] == 120.0
    assert not np.any(result["c.state"] == 2.0)
    assert result["c.seen"][-1] == pytest.approx(10.505, abs=1e-9)


def test_what_reads_its_own_outputs_at_once_leaves_its_state() -> None:
    """An interlock: the guard hangs on what the state itself sets."""
    text = """luff: 1
blocks:
  x: {type: integrator}
  both: {type: expression, inputs: [x, on], expr: on and x > 0.5}
  c:
    type: state_machine
    inputs: [ready]
    outputs: {on: {}}
    states: {a: {during: {on: 1}}, b: {during: {on: 0}}}
    transitions: [{from: a, to: b, when: ready}]
  one: {type: constant, value: 1}
connect: [one.y -> x.u, x.y -> both.x, c.on -> both.on, both.y -> c.ready]
simulation: {stop: 1 s, step: 10 ms, events: EVENTS}
"""
    for events in ("locate", "step"):
        result = quietly(luff.loads(text.replace("EVENTS", events)))
        assert result["c.state"][0] == 1.0
        assert result["c.state"][-1] == 2.0


# --- the same everywhere ---------------------------------------------------------------------------------------------

LIFTS = """luff: 1
inputs: {go: {default: 1}}
parameters: {top: 2}
blocks:
  logic:
    type: state_machine
    inputs: [go, x]
    outputs: {speed: {}, lifts: {}}
    constants: {top: =top}
    active: true
    states:
      rest: {entry: {speed: 0}}
      up: {during: {speed: "1 - 0.1*x + 0.01*sin(t)"}, exit: {lifts: lifts + 1}}
      wait: {entry: {speed: 0}}
      down: {during: {speed: -0.8 - 0.1*elapsed}}
    transitions:
      - {from: rest, to: up, when: go and lifts < 3, after: 0.3 s}
      - {from: up, to: wait, when: x >= top}
      - {from: wait, to: down, after: 0.5 s}
      - {from: down, to: rest, when: x <= 0}
  x: {type: integrator}
connect: [inputs.go -> logic.go, logic.speed -> x.u, x.y -> logic.x]
outputs: {height: x.y, lifts: logic.lifts, state: logic.state, going: logic.up}
simulation: {stop: 16 s, step: 10 ms, output_step: 10 ms, events: locate}
"""
NAMES = ["height", "lifts", "state", "going"]
STATES = "1 rest, 2 up, 3 wait, 4 down"


def test_a_snapshot_in_the_middle_goes_on_with_the_same_bits() -> None:
    session = luff.compile(luff.loads(LIFTS)).start()
    for _ in range(600):
        session.step()
    mark = session.snapshot()
    first = [np.array(session.step()) for _ in range(500)]
    session.restore(mark)
    np.testing.assert_array_equal([np.array(session.step()) for _ in range(500)], first)
    assert np.ptp(first, axis=0).all()


def test_a_run_in_pieces_has_the_same_bits() -> None:
    sim = luff.compile(luff.loads(LIFTS))
    whole = sim.run()
    session = sim.start()
    rows = [np.array(session.step()) for _ in range(len(whole.time) - 1)]
    np.testing.assert_array_equal(rows, np.column_stack([whole[name] for name in NAMES])[1:])


def test_an_input_counts_from_the_step_in_which_it_is_given() -> None:
    session = luff.compile(luff.loads(LIFTS)).start()
    row = session.step([0.0], steps=100)
    assert row[NAMES.index("state")] == 1.0
    # its speed is about 1 from the start of that step on
    assert session.step([1.0])[NAMES.index("height")] == pytest.approx(STEP, rel=0.02)


def test_plain_python_decides_alike(tmp_path: Path) -> None:
    (tmp_path / "lifts.yaml").write_text(LIFTS.replace("stop: 16 s", "stop: 4 s"))
    code = "import luff; r = luff.compile('lifts.yaml').run(); print(*[x.hex() for x in r['height']], *r['state'])"
    said = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            check=True, text=True, capture_output=True,
        ).stdout.split()
        for flag in ("0", "1")
    ]  # fmt: skip
    count = len(said[0]) // 2
    assert said[0][count:] == said[1][count:]
    heights = [np.array(list(map(float.fromhex, one[:count]))) for one in said]
    # sine may differ in its last bit, and located instants with it
    np.testing.assert_allclose(heights[1], heights[0], rtol=0, atol=1e-12)


def test_a_batch_in_lanes_has_the_rows_of_single_runs() -> None:
    sim = luff.compile(luff.loads(LIFTS))
    tops = np.linspace(0.5, 2.5, 12)
    rows = luff.batch(sim, {"top": tops}, outputs=NAMES, threads=1, lanes=True)
    assert PLAIN or rows.lanes == 12
    for k in (0, 5, 11):
        single = luff.compile(luff.loads(LIFTS.replace("top: 2}", f"top: {float(tops[k])!r}}}"))).run()
        for name in NAMES:
            np.testing.assert_array_equal(rows[name][k], single[name])


def test_a_number_of_a_state_may_be_set_while_it_runs() -> None:
    sim = luff.compile(luff.loads(LIFTS))
    sim.set("logic.transitions[2].after", 1.0)
    assert np.count_nonzero(sim.run()["state"] == 3.0) > 250  # 1 s each, not half a second


@about_compiling
def test_an_fmu_has_the_same_bits(tmp_path: Path) -> None:
    import fmpy

    luff.export_fmu(luff.loads(LIFTS), tmp_path / "s.fmu")
    described = fmpy.read_model_description(str(tmp_path / "s.fmu")).modelVariables
    assert {one.name: one.description for one in described}["state"] == STATES
    rows = fmpy.simulate_fmu(str(tmp_path / "s.fmu"), stop_time=16, output_interval=0.01, output=NAMES)
    result = luff.compile(luff.loads(LIFTS)).run()
    for name in NAMES:
        np.testing.assert_array_equal(rows[name], result[name])


@about_compiling
def test_a_page_has_the_numbers_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "lifts.yaml").write_text(LIFTS)
    call("export", "lifts.yaml", "-o", "lifts.html", cwd=tmp_path)
    sim = luff.compile(tmp_path / "lifts.yaml")
    (seen,) = in_node(tmp_path / "lifts.html", [["step", 800], ["step", 177], ["see"]])["found"]
    assert difference(sim, sim.run(stop=9.77), seen["row"]) < 1e-12


@about_compiling
def test_a_c_library_has_the_numbers_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "made.yaml").write_text(LIFTS)
    call("export", "made.yaml", "-o", "made.a", "--target", "linux-x86_64", cwd=tmp_path)
    (tmp_path / "use.c").write_text("""#include "made.h"
#include <stdio.h>
static unsigned char room[made_BYTES];
int main(void) {
    double out[made_OUTPUTS + 1];
    made *m = made_init(room, sizeof room);
    if (!m || made_start(m, out)) return 1;
    for (int k = 0; k < 977; k++) if (made_step(m, 0, out)) return 2;
    for (int k = 0; k < made_OUTPUTS; k++) printf("%.17g ", out[k]);
    return 0;
}
""")
    said = subprocess.run(
        [linked(tmp_path, "use.c", "made.a")], check=True, text=True, capture_output=True
    ).stdout
    header = (tmp_path / "made.h").read_text()
    assert f"/* state [{STATES}] */" in header
    names = re.findall(r"made_out_\w+ = \d+, /\* (\S+)", header)
    result = luff.compile(luff.loads(LIFTS)).run(stop=9.77)
    assert set(NAMES) <= set(names)
    for name, value in zip(names, map(float, said.split()), strict=True):
        assert value == pytest.approx(float(result[name][-1]), rel=1e-12, abs=1e-12), name
