"""An operator's stand elsewhere: a drive that was kept moves a page in a browser, and a C library, as a run."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.simulation.operator_log import OperatorLog
from luff.tests.browser import Page
from luff.tests.conftest import about_compiling
from luff.tests.process import call

pytestmark = about_compiling
NEAR = 1e-9
STEP, EVERY, LOOKS = 0.002, 130, 57  # s; steps between looks, so that no look is where a lever moves

# a trolley with a load on a rope: levers, a key that enables them, a sequence that slows down beside the rail's end,
# a limiter of the load moment, and an assist against swing
STAND = """luff: 1
name: stand
inputs:
  limit: {default: 1, doc: "1: the limiter is on"}
  assist: {default: 0, doc: "1: the trolley damps the swing"}
blocks:
  levers: {type: joystick, axes: [x], dead_band: 0.08, expo: 0.3, scale: 1.5}
  keys: {type: joystick_buttons, buttons: [1]}
  logic:
    type: state_machine
    inputs: [enable, place]
    outputs: {share: {}, turns: {}}
    constants: {slow: 0.4}
    states:
      rest: {entry: {share: 0}}
      drive: {during: {share: "min(1, elapsed/0.3)"}}
      creep: {entry: {share: slow}, exit: {turns: turns + 1}}
    transitions:
      - {from: rest, to: drive, when: enable, after: 0.1 s}
      - {from: drive, to: rest, when: not enable, priority: 1}
      - {from: drive, to: creep, when: place > 3}
      - {from: creep, to: rest, when: not enable, priority: 1}
      - {from: creep, to: drive, when: place < 2.5}
  wanted: {type: expression, inputs: [lever, share, swing, on], expr: lever*share + on*k*sin(swing), constants: {k: 3}}
  held: {type: expression, inputs: [u, over, on], expr: 0 if u > 0 and over > 0.5 and on > 0.5 else u}
  shaped: {type: trajectory_limiter, of: speed, speed: 2, acceleration: 1.5, jerk: 20, initial: 0.5}
  trolley: {type: prismatic, axis: x, driven: true}
  carriage: {type: rigid_link, mass: 400 kg}
  sway: {type: revolute, axis: -y, damping: 20 N*m*s/rad}
  load: {type: rigid_link, mass: 1 t, com: [0, 0, -6], inertia: [100, 100, 100]}
  rated: {type: table, over: input, beyond: hold, data: [[0, 2000], [2, 1500], [4, 1050], [6, 700]]}
  moment: {type: expression, inputs: [f, allowed], expr: abs(f)/(9.81*allowed)}
  over: {type: relay, lower: 0.9, upper: 1}
connect:
  - world.frame -- trolley.frame_a
  - trolley.frame_b -- carriage.frame_a
  - carriage.frame_b -- sway.frame_a
  - sway.frame_b -- load.frame_a
  - keys.y -> logic.enable
  - trolley.position -> logic.place
  - levers.y -> wanted.lever
  - logic.share -> wanted.share
  - sway.position -> wanted.swing
  - inputs.assist -> wanted.on
  - wanted.y -> held.u
  - over.y -> held.over
  - inputs.limit -> held.on
  - held.y -> shaped.u
  - shaped.y -> trolley.follow
  - trolley.position -> rated.u
  - sway.constraint_force[2] -> moment.f
  - rated.y -> moment.allowed
  - moment.y -> over.u
outputs: {place: trolley.position, swing: sway.position, moment: moment.y, over: over.y, state: logic.state,
  turns: logic.turns}
simulation: {stop: 15 s, step: 2 ms, output_step: 10 ms}
dashboard:
  - {kind: lever, of: levers_u, title: Trolley, keys: [A, D]}
  - {kind: load_moment, of: moment.y, title: Load moment}
"""
DRIVE = """time,levers_u,levers_lost,keys_u,keys_lost,limit,assist
0,0,0,0,0,1,0
0.5,0.9,0,1,0,1,0
3,0.9,0,1,0,1,1
7,-1,0,1,0,1,1
9,-1,0,1,0,1,0
11,0.8,0,1,0,0,0
13,0.8,1,1,0,0,1
14,0.5,0,0,0,1,1
"""
OUTPUTS = ["place", "swing", "moment", "over", "state", "turns"]
COUNTS = ("over", "state", "turns")  # which are the same bits
LAWS = {
    "over.upper": 1.05,
    "wanted.constants.k": 2.9,
    "logic.constants.slow": 0.41,
}  # of limiter, assist and sequence
IN_C = r"""
#include "made.h"
#include <stdio.h>
static const double drive[][1 + made_INPUTS] = {DRIVE};
static unsigned char memory[made_BYTES];
int main(void) {
    double out[made_OUTPUTS], in[made_INPUTS];
    made *m = made_init(memory, sizeof memory);
    if (!m || made_start(m, out)) return 1;
    for (int k = 0, line = 0; k < STEPS;) {
        if (line < (int)(sizeof drive / sizeof drive[0]) && k >= drive[line][0]) {
            for (int i = 0; i < made_INPUTS; i++) in[i] = drive[line][1 + i];
            line++;
        }
        if (made_step(m, in, out)) return 2;
        if (++k % EVERY) continue;
        for (int i = 0; i < made_OUTPUTS; i++) printf("%.17g ", out[i]);
        puts("");
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stand")
    (folder / "stand.yaml").write_text(STAND)
    (folder / "drive.csv").write_text(DRIVE)
    return folder


@pytest.fixture(scope="module")
def native(stand: Path) -> np.ndarray:
    """Of the outputs, a row at each look."""
    return driven(stand)


def driven(stand: Path, *changes: str) -> np.ndarray:
    call("run", "stand.yaml", "--replay", "drive.csv", "-o", "driven.h5", "--quiet", *changes, cwd=stand)
    result = luff.read(stand / "driven.h5")
    rows = np.searchsorted(result.time, STEP * EVERY * np.arange(1, LOOKS + 1) - 1e-9)
    return np.column_stack([np.asarray(result[name])[rows] for name in OUTPUTS])


def check(rows: np.ndarray, native: np.ndarray) -> None:
    counts = [OUTPUTS.index(name) for name in COUNTS]
    assert np.array_equal(rows[:, counts], native[:, counts])
    np.testing.assert_allclose(rows, native, rtol=0.0, atol=NEAR)


def exported(stand: Path, *words: str) -> None:
    """What stays behind is said once each, when it is exported."""
    said = call("export", "stand.yaml", *words, cwd=stand).stderr
    assert (
        said.count("no joystick is read there")
        == said.count("the 2 items of the dashboard stay in luff")
        == 1
    )
    assert "levers_u, levers_lost, keys_u, keys_lost" in said


def test_page_is_driven_as_a_run(stand: Path, native: np.ndarray, browser: Page) -> None:
    exported(stand, "-o", "stand.html")
    browser.open((stand / "stand.html").as_uri())
    browser.until("document.title === 'stand' && document.readyState === 'complete'")
    browser.ask("luff.ready")
    drive = OperatorLog.read(stand / "drive.csv")
    lines = [*zip(np.rint(drive.times / STEP).astype(int).tolist(), drive.values.tolist(), strict=True)]
    done = browser.ask(f"""(async () => {{
        const lines = {json.dumps(lines)}, names = {json.dumps(drive.names)}, rows = [];
        for (let k = 0; k < {LOOKS * EVERY};) {{
            if (lines.length && lines[0][0] === k)
                for (const [i, value] of lines.shift()[1].entries()) await luff.set(names[i], value);
            const next = Math.min(k + {EVERY} - k % {EVERY}, lines.length ? lines[0][0] : Infinity);
            await luff.step(next - k);
            if ((k = next) % {EVERY} === 0) rows.push({json.dumps(OUTPUTS)}.map(name => luff.value(name)));
        }}
        return rows;
    }})()""")
    check(np.array(done), native)


def test_library_is_driven_as_a_run(stand: Path, native: np.ndarray) -> None:
    exported(stand, "-o", "made.a")
    names = re.findall(r"made_(?:in|out)_\w+ = \d+, /\* (\S+)", (stand / "made.h").read_text())
    inputs, outputs = names[: -len(OUTPUTS)], names[-len(OUTPUTS) :]
    assert outputs == OUTPUTS
    drive = OperatorLog.read(stand / "drive.csv")
    columns = [drive.times / STEP, *(drive.values[:, drive.names.index(name)] for name in inputs)]
    lines = ", ".join(f"{{{', '.join(map(repr, map(float, line)))}}}" for line in zip(*columns, strict=True))
    words = {"DRIVE": lines, "STEPS": LOOKS * EVERY, "EVERY": EVERY}
    (stand / "use.c").write_text("".join(f"#define {name} {text}\n" for name, text in words.items()) + IN_C)
    subprocess.run(["gcc", "use.c", "made.a", "-lm", "-o", "use"], cwd=stand, check=True)
    told = subprocess.run([stand / "use"], check=True, capture_output=True, text=True).stdout
    check(np.array([line.split() for line in told.splitlines()], float), native)


@pytest.mark.parametrize("law", LAWS)
def test_drive_shows_a_change_of_each_law(law: str, stand: Path, native: np.ndarray) -> None:
    """Also of the first digits, so that the two tests above would miss none."""
    assert np.abs(driven(stand, "--set", f"{law}={LAWS[law]}") - native).max() > 1e3 * NEAR
