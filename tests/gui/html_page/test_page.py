"""A model as a page: its numbers in a browser beside luff's own, its knobs, what it says."""

from __future__ import annotations

import base64
import csv
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests.browser import Page
from luff.tests.conftest import about_compiling
from luff.tests.gui.html_page.clicks import NEAR, about, difference, row_of
from luff.tests.process import call
from luff.tests.shared.netlists import TOUCHING_BOXES

pytestmark = about_compiling
HERE = Path(__file__).parent


def in_node(path: Path, orders: list[list[Any]]) -> dict[str, Any]:
    """What the model of a page tells outside of a browser."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on this machine; pages are tested in a browser")
    data, code = about(path)
    own = {key: data[key] for key in ("rows", "poses", "stride", "bodies", "step")} | {
        "columns": len(data["names"])
    }
    asked = {
        "engine": str(Path(luff.__file__).parent / "gui" / "html_page" / "engine.js"),
        "code": base64.b64encode(code).decode(),
        "about": own,
        "orders": orders,
    }
    words = [node, str(HERE / "engine.mjs")]
    done = subprocess.run(words, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def slider(data: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in data["sliders"] if one["name"] == name)


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_library_model_as_a_page(crane: Path) -> None:
    """As luff's own run after two seconds."""
    assert crane.stat().st_size < 1e6
    assert "\n//" not in crane.read_text("utf-8")  # what only its authors read stays behind
    sim = luff.compile(LIBRARY / crane.with_suffix(".yaml").name)
    result = sim.run(stop=2)
    steps = round(2 / sim.settings.step)
    (seen,) = in_node(crane, [["step", steps // 2], ["step", steps // 2], ["see"]])["found"]
    assert seen["time"] == pytest.approx(2, abs=1e-12)
    assert difference(sim, result, seen["row"]) == 0.0


def test_page_in_a_browser_gives_the_numbers_of_a_run(page: Page, folder: Path) -> None:
    sim = luff.compile(folder / "swing.yaml")
    result = sim.run(stop=2)
    page.ask("luff.step(2000)")
    assert page.ask("luff.time") == pytest.approx(2, abs=1e-12)
    assert difference(sim, result, row_of(page, sim)) == 0.0
    lines = list(csv.reader(page.ask("csv()").splitlines()))
    assert lines[0] == [
        "time [s]",
        *(f"{c.name} [{c.unit}]" if c.unit else c.name for c in sim.program.columns),
    ]
    table = np.array(lines[1:], float)
    np.testing.assert_allclose(table[:, 0], result.time, atol=1e-12)
    k = 1 + [column.name for column in sim.program.columns].index("pin.position")
    np.testing.assert_allclose(table[:, k], result["pin.position"], atol=NEAR)


def test_touching_boxes_with_implicit_steps_have_the_numbers_of_a_run(browser: Page, tmp_path: Path) -> None:
    """Two boxes that meet, slide and come to rest, in steps of many parts."""
    sim = luff.compile(luff.loads(TOUCHING_BOXES))
    path = luff.export_page(luff.loads(TOUCHING_BOXES), tmp_path / "boxes.html")
    browser.open(path.as_uri())
    browser.until("document.readyState === 'complete' && window.luff !== undefined")
    browser.ask("luff.ready")
    for stop in (0.02, 0.4):
        browser.ask(
            f"luff.step({round(stop / sim.settings.step)} - Math.round(luff.time / {sim.settings.step}))"
        )
        assert browser.ask("luff.time") == pytest.approx(stop, abs=1e-12)
        assert difference(sim, sim.run(stop=stop), row_of(browser, sim)) == 0.0


def test_the_engine_has_what_the_code_may_call(folder: Path) -> None:
    from luff.solver.fmi.wasm_module import MATHS

    found = in_node(folder / "swing.html", [])
    own = {"memcpy", "memmove", "memset", "sincos", "frexp"}  # of the processor, and of page.c
    assert set(found["maths"]) == MATHS - own


def test_a_machine_that_was_late_once_is_not_said_to_be_slow_for_ever(page: Page) -> None:
    said = []
    for clock, late in ((1000, True), (1500, False), (2500, True), (4000, False), (5000, False)):
        page.ask(f"(performance.now = () => {clock}, tellPace({str(late).lower()}), 0)")
        said.append(page.ask("document.getElementById('status').textContent"))
    page.ask("delete performance.now")
    assert said == [*4 * ["This machine runs the model more slowly than asked."], "Running."]


def test_the_table_names_the_active_state(browser: Page, tmp_path: Path) -> None:
    """Under the name of an output, too; the number stays what luff.value and CSV give."""
    chart = "{type: state_machine, states: {idle: {}, lift: {}}, transitions: [{from: idle, to: lift, after: 20 ms}]}"
    text = f"luff: 1\nblocks: {{logic: {chart}}}\noutputs: {{phase: logic.state}}\n"
    text += "simulation: {stop: 1 s, step: 10 ms}\n"
    path = luff.export_page(luff.loads(text), tmp_path / "chart.html")
    browser.open(path.as_uri())
    browser.until("document.title === 'luff' && document.readyState === 'complete'")
    browser.ask("luff.ready")
    shown = "document.getElementById('chosen').textContent"
    browser.until(f"{shown} === 'phaseidle'")
    browser.ask("luff.step(2)")
    browser.until(f"{shown} === 'phaselift'")
    assert browser.ask("luff.value('phase')") == 2


# --- sliders ---------------------------------------------------------------------------------------------------------


def test_sliders_say_what_a_change_does(folder: Path) -> None:
    data, _ = about(folder / "swing.html")
    kinds = {one["name"]: one["kind"] for one in data["sliders"]}
    assert kinds == {
        "push": "input",
        "mass": "live",
        "damping": "live",
        "length": "start",
        "tip": "live",
        "start": "start",
        "links": "start",
        "idle": "fixed",
    }
    assert "no result of this model depends on it" in slider(data, "idle")["why"]
    assert slider(data, "mass")["doc"] == "of `rod`"
    start = slider(data, "start")
    assert (start["value"], start["unit"], start["low"], start["high"]) == (30 + 10, "deg", 10, 60)
    assert "http" not in re.sub('http://www.w3.org[^"]*', "", (folder / "swing.html").read_text("utf-8"))


def test_start_of_a_page_is_the_start_of_a_run_with_that_value(folder: Path) -> None:
    data, _ = about(folder / "swing.html")
    one = slider(data, "start")["starts"][0]
    at = np.frombuffer(base64.b64decode(one["at"]), "<i4").tolist()
    words = np.frombuffer(base64.b64decode(one["words"]), "<i8").tolist()
    orders = [["start", at, [str(word) for word in words]], ["reset"], ["step", 1000], ["see"]]
    (seen,) = in_node(folder / "swing.html", orders)["found"]
    sim = luff.compile(folder / "swing.yaml", start=f"{one['value']} deg")
    assert difference(sim, sim.run(stop=1), seen["row"]) < NEAR


def test_parameter_and_input_act_at_once(page: Page, folder: Path) -> None:
    page.ask("luff.step(500).then(() => luff.set('mass', 2.6)).then(() => luff.set('push', 1.5))")
    page.ask("luff.step(500)")
    sim = luff.compile(folder / "swing.yaml")
    session = sim.start(stop=3)
    for _ in range(500):
        session.step([0.0])
    sim.set("mass", 2.6)
    outputs = session.step([1.5], 500)
    assert page.ask("luff.value('mass')") == 2.6
    assert page.ask("luff.value('pin.position')") == pytest.approx(
        outputs[sim.outputs.index("pin.position")], abs=NEAR
    )
    # a slider moved by hand says the same
    page.ask(
        "(k => { k.value = 2.25; k.dispatchEvent(new Event('input')); })(document.getElementById('knob-mass'))"
    )
    page.until("luff.value('mass') === 2.25")
    assert (
        page.ask("document.querySelector('#knob-mass').parentElement.querySelector('[type=number]').value")
        == "2.25"
    )


def test_page_refuses_what_it_cannot_do(page: Page) -> None:
    told = "luff.set({}, {}).then(() => 'done', error => error.message)"
    assert "expected a number <= 3" in page.ask(told.format("'mass'", 30))
    assert page.ask("luff.value('mass')") == 2
    assert "no result of this model depends on it" in page.ask(told.format("'idle'", 6))
    assert 'no parameter or input "mas"' in page.ask(told.format("'mas'", 6))
    assert page.ask(told.format("'start'", 0.5)).startswith("start can be 10,")


# --- hands -----------------------------------------------------------------------------------------------------------


def test_run_comes_to_its_end(page: Page) -> None:
    """As fast as it goes; there it waits."""
    page.ask(
        "(s => { s.value = '1000'; s.dispatchEvent(new Event('change')); })(document.getElementById('speed'))"
    )
    page.ask("document.getElementById('play').click()")
    page.until("document.getElementById('status').textContent.includes('come to its end at 3 s')")
    assert page.ask("luff.time") == pytest.approx(3, abs=1e-12)


def test_slider_that_begins_anew_says_so(page: Page, folder: Path) -> None:
    page.ask("luff.step(100)")
    page.ask(
        "(k => { k.value = 0; k.dispatchEvent(new Event('change')); })(document.getElementById('knob-start'))"
    )
    page.until("luff.time === 0")
    assert page.ask("document.getElementById('status').textContent") == "start is 10 deg: the run began anew."
    assert page.ask("luff.value('pin.position')") == pytest.approx(np.radians(10), abs=1e-15)
    page.ask("luff.set('links', 4.1)")
    said = page.ask("document.getElementById('status').textContent")
    assert (
        said
        == "links is 4.1: the run began anew. start went back: starts are computed for one change at a time."
    )
    assert page.ask("luff.value('pin.position')") == pytest.approx(np.radians(40), abs=1e-15)


def test_cursor_reads_the_plots(page: Page) -> None:
    page.ask("luff.step(1000)")
    page.ask("point(0.5)")
    page.until("document.querySelector('.plot').dataset.cursor == 0.5")
    read = page.ask("document.querySelector('.plot .legend span span').textContent")
    row = page.ask("record.at(record.row(0.5), about.names.indexOf('pin.position'))")
    assert float(read) == pytest.approx(np.degrees(row), abs=0.006)
    # by keys as well
    page.ask(
        "document.querySelector('.plot canvas').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))"
    )
    page.until("Math.abs(document.querySelector('.plot').dataset.cursor - 0.47) < 1e-9")


def test_least_and_greatest_of_a_record_are_those_of_its_rows(page: Page) -> None:
    """A plot reads stretches that are kept; a row at a time must give the same, also as rows come and go."""
    wrong = """(() => {
        const record = new Record(2, 900 * 3), wrong = [];
        for (let row = 0, at = 1; row < 5200; row += 130) {
            const rows = Array.from({ length: 130 }, (_, k) => [row + k, Math.sin(row + k), at = (at * 16807) % 65521]);
            record.add(Float64Array.from(rows.flat()));
            const n = record.count;
            for (const [from, until] of [[0, n], [63, 65], [64, 128], [0, 1], [70, n - 3], [5, 5]]) {
                const own = [];
                for (let k = from; k < until; k++) own.push(record.at(k, 1));
                const ends = record.extent(1, from, until);
                if (ends[0] !== Math.min(...own) || ends[1] !== Math.max(...own)) wrong.push([row, from, until]);
            }
        }
        return [wrong, record.dropped];
    })()"""
    assert page.ask(wrong) == [[], True]


def test_marks_of_a_plot_are_told_apart(page: Page) -> None:
    assert page.ask("labels([-60.0002, -60.0001, -60])") == ["-60.0002", "-60.0001", "-60.0000"]
    assert page.ask("labels([0, 0.5, 1])") == ["0.0", "0.5", "1.0"]
    assert page.ask("labels([-5e6, 0, 5e6, 1e7])") == ["-5e6", "0", "5e6", "10e6"]
    assert page.ask("labels([0, 2e-4, 4e-4])") == ["0", "200e-6", "400e-6"]


def test_what_is_seen_follows_the_knobs(page: Page) -> None:
    before = page.picture()
    corners = "stage.shape.corners.reduce((a, b) => Math.max(a, Math.abs(b)), 0)"
    long = page.ask(corners)
    page.ask("luff.set('tip', 0.75)")
    assert page.ask(corners) == pytest.approx(1.5 * long, rel=0.1)
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert np.abs(page.picture().astype(int) - before).max() > 60


def test_the_way_of_a_frame_is_drawn(page: Page) -> None:
    assert page.ask("about.trails[0].name") == "rod.frame_b"
    page.ask("luff.step(500)")
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    way = np.array(page.ask("[...stage.trails[0].points]")).reshape(-1, 3)
    angle = page.ask("luff.value('pin.position')")
    np.testing.assert_allclose(way[-1], [-0.5 * np.sin(angle), 0, -0.5 * np.cos(angle)], atol=1e-9)
    # of another end of the rod
    page.ask("luff.set('tip', 0.75).then(() => luff.step(10))")
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    way = np.array(page.ask("[...stage.trails[0].points]")).reshape(-1, 3)
    assert np.linalg.norm(way[-1]) == pytest.approx(0.75, abs=1e-6)
    page.ask("luff.reset()")
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.ask("stage.trails[0].points.length") <= 3


def test_curves_of_a_run_stay_behind_those_of_the_next(page: Page) -> None:
    page.ask("luff.step(1000)")
    page.ask("document.getElementById('keep').click()")
    page.ask("luff.reset().then(() => luff.set('mass', 2.8)).then(() => luff.step(1000))")
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    kept, now = (np.array(page.ask(f"Array.from({one}.numbers.subarray(0, {one}.count * {one}.width))")) for one in
                 ("plots[0].before", "record"))  # fmt: skip
    assert kept.shape == now.shape
    assert abs(kept - now).max() > 1e-3  # two runs
    page.ask(
        "window.drawn = () => (plots[0].draw(3, about.themes.light, about.lines.light), plots[0].canvas.toDataURL())"
    )
    both = page.ask("drawn()")
    page.ask("document.getElementById('keep').click()")
    assert page.ask("plots[0].before") is None
    assert page.ask("drawn()") != both


def test_what_leaves_the_view_is_followed(page: Page) -> None:
    page.ask("stage.look('front')")
    page.ask("luff.set('tip', 0.75).then(() => luff.step(1))")
    page.until("!stage.keep()")
    drawn = page.picture()[80:300, 40:740].astype(int)
    seen = np.argwhere(np.abs(drawn - np.median(drawn, axis=(0, 1))).max(axis=2) > 40)
    assert len(seen) > 100


def test_page_can_be_used_without_a_mouse_or_eyes(page: Page) -> None:
    """Every control has a name and takes the focus, and what happens is said in a live region."""
    nameless = """[...document.querySelectorAll("button, input, select, canvas")].filter(one => one.offsetParent
        && !(one.getAttribute("aria-label") || one.labels?.length || one.textContent.trim())).length"""
    assert page.ask(nameless) == 0
    assert page.ask("[...document.querySelectorAll('canvas')].every(one => one.tabIndex === 0)")
    assert page.ask("document.getElementById('knob-start').getAttribute('aria-valuetext')") == "40 deg"
    assert page.ask("document.getElementById('status').getAttribute('aria-live')") == "polite"
    page.ask("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', bubbles: true}))")
    page.until("playing && luff.time > 0")


def test_page_within_another_shows_knobs_or_else_plots(browser: Page, folder: Path) -> None:
    (folder / "still.yaml").write_text("luff: 1\nblocks: {wave: {type: sine}}\nsimulation: {stop: 1 s}\n")
    call("export", "still.yaml", "-o", "still.html", cwd=folder)
    parts = "[...document.querySelectorAll('#knobs, #plots, #values')]"
    seen = f"{parts}.filter(one => one.offsetHeight).map(one => one.id)"
    for file, wanted in (("swing", ["knobs"]), ("still", ["plots"])):
        browser.open(f"{(folder / file).as_uri()}.html?{file}#embed")
        browser.until(f"location.search === '?{file}' && document.readyState === 'complete'")
        browser.ask("luff.ready")
        assert browser.ask(seen) == wanted


def test_page_fits_a_phone(page: Page) -> None:
    page.command(
        "Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True
    )
    page.until("document.documentElement.clientWidth === 390")
    assert page.ask("document.documentElement.scrollWidth") <= 390
    assert page.ask("[...document.querySelectorAll('nav button')].every(one => one.offsetHeight >= 36)")
    # one line, also with the pace that a run shows there once it has taken 20 ms of the machine's time
    page.click("#play")
    page.until("luff.time > 1")
    page.ask("document.getElementById('pace').textContent ||= '12345 x real time possible'")
    middles = """['play', 'keep', 'speed', 'time'].map(id => document.getElementById(id).getBoundingClientRect())
        .map(at => at.y + at.height / 2)"""
    assert np.ptp(page.ask(middles)) < 4  # px


def test_names_in_a_text_stand_in_the_letters_of_code(page: Page) -> None:
    for where, names in (("#doc", ["pin", "inputs:"]), ("label[for=knob-mass] small", ["rod"])):
        assert (
            page.ask(f"[...document.querySelectorAll('{where} code')].map(one => one.textContent)") == names
        )
        assert "`" not in page.ask(f"document.querySelector('{where}').textContent")
    assert page.ask("document.getElementById('doc').title") == "A rod on pin, which inputs: push."


def test_what_rounding_leaves_is_shown_as_nothing(page: Page) -> None:
    assert page.ask("[steady(-2.1e-19), steady(3e-7)]") == ["0.0000", "3.000e-7"]
    plot = "{before: null, record: {count: 1, extent: () => [-2e-19, 0]}}"
    assert page.ask(f"Plot.prototype.spread.call({plot}, [0], [1])") == [-0.1, 0.1]


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("masse", "there is no such parameter or input"),
        ("rod.masse", 'rod has no number "masse"'),
        ("mass=3 kg", "expected LOW..HIGH"),
        ("mass=3 kg..5 kg", "does not hold 2"),
        ("mass=1 m..5 m", "expected a quantity in kg"),
        ("rod.mass=-1 kg..5 kg", "expected a number >= 0"),
    ],
)
def test_mistakes_are_told(asked: str, told: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(LuffError, match=re.escape(told)) as caught:
        luff.export_page(folder / "swing.yaml", tmp_path / "x.html", sliders=[asked])
    assert asked.partition("=")[0] in str(caught.value)
    assert not (tmp_path / "x.html").exists()
