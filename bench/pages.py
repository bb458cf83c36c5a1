"""Every model of the library as a page in its reader's hands: numbers beside luff's own, size, pace, frames.

`python -m luff.bench.pages` compares numbers, on a busy machine too: in each browser that is here a page runs by
itself, then by clicks: play, pause, step, reset, a slider, and a run with what that says. `--speeds` then measures
paces and frames, for which the machine has to be quiet. Either goes on where the call before it ended, as after
`--within 90`, seconds in which models are begun: what is known of a model lies in build/pages, `--anew` forgets it. As
soon as all models have both, the table of docs/pages.md is written. With names of models only theirs are taken.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import luff
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests import browser, firefox
from luff.tests.gui.html_page.clicks import NEAR, difference, pressed, row_of, run_of, slid

from .timing import machine

ROOT = Path(luff.__file__).parent
PAGE, MADE = ROOT / "docs" / "pages.md", ROOT / "build" / "pages"
BLANK = MADE / "blank.html"  # a page between others
BEGIN, END = "<!-- by luff.bench.pages -->\n", "<!-- to here -->\n"
SECONDS = 10.0  # of each run
MOVED = 1.0  # s of a run that is done again with a slider moved
BEFORE, PACED = 1.0, 2.0  # s by the clock of a run whose pace is measured: not counted, counted
WATCHED = 5.0  # s in which frames are counted, at most
FRAME = 25.0  # ms
LONG = 1e4  # s of the model, of which a run does what its time allows
NAMES = (
    "model,kB,model time,slider,worst difference,Chromium,Firefox,luff itself,real time kept,"
    "frames under 25 ms,ms a frame"
)
ABOUT = """| column | is |
|---|---|
| model time, slider | of the run by itself: 10 s, or less where `stop` is; what was moved by a click |
| worst difference | of all signals after either run in both browsers, in parts of the largest of the same unit |
| Chromium, Firefox, luff itself | seconds of the model in a second, without drawing |
| real time kept | of a run at real time in Chromium that is drawn, without a graphics card, over 5 s or 0.9 of `stop` |
| frames under 25 ms, ms a frame | of that run: those that follow within 25 ms; what one costs the page's own thread |
"""
HEAD = [ABOUT, f"| {NAMES.replace(',', ' | ')} |", "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|"]
# seconds of the model in a second of the worker
PACE = """(async () => {{ await luff.ready; let count = {steps}; const on = async ms => {{
    const from = performance.now(), begin = luff.time;
    do {{ const before = performance.now(); await luff.step(count);
        if (performance.now() - before < 100) count *= 2; }} while (performance.now() - from < ms);
    return 1000 * (luff.time - begin) / (performance.now() - from); }}; await on({before}); return on({paced}); }})()"""
# times of frames [ms], and seconds of the model in a second meanwhile
FRAMES = """new Promise(done => {{ const times = [], begin = luff.time; (function look(now) {{ times.push(now);
    if (now - times[0] < {ms}) requestAnimationFrame(look);
    else done([times, 1000 * (luff.time - begin) / (now - times[0])]); }})(performance.now()); }})"""


@dataclass
class Measured:
    """What is known of a model."""

    name: str
    size: float = 0.0  # kB
    stop: float = 0.0  # s
    slider: str = ""
    worst: float | None = None
    paces: dict[str, float] = field(default_factory=dict)  # of browsers, and of luff itself: times real time
    kept: float = 0.0  # times real time, of a run at real time that is drawn
    frames: float = 0.0  # share that follow soon
    cost: float = 0.0  # ms of the page's own thread, of one frame

    @property
    def page(self) -> Path:
        return MADE / f"{self.name}.html"

    @classmethod
    def known(cls, path: Path) -> Measured:
        file = MADE / f"{path.stem}.json"
        return cls(**json.loads(file.read_text("utf-8"))) if file.exists() else cls(path.stem)

    def keep(self) -> None:
        (MADE / f"{self.name}.json").write_text(json.dumps(asdict(self)), "utf-8")
        print(self.line(), flush=True)

    def line(self) -> str:
        worst = "" if self.worst is None else f"{self.worst:.0e}"
        cells = [self.name, f"{self.size:.0f}", f"{self.stop:g} s", self.slider or "none", worst]
        if self.paces:
            cells += [
                f"{self.paces[name]:.1f}" if name in self.paces else ""
                for name in ("Chromium", "Firefox", "luff")
            ]
            cells += [f"{100 * self.kept:.0f} %", f"{100 * self.frames:.1f} %", f"{self.cost:.1f}"]
        return f"| {' | '.join(cells)} |"


def spent(page: browser.Page) -> float:
    """Processor time of the page's own thread [ms], which hardly depends on what else the machine does."""
    told = page.command("Performance.getMetrics")["metrics"]
    return 1000.0 * next(one["value"] for one in told if one["name"] == "TaskDuration")


def watch_frames(row: Measured, page: browser.Page) -> None:
    """In a run at real time: how many follow soon, and what one costs."""
    page.command("Performance.enable", timeDomain="threadTicks")
    page.click("#reset")
    page.until("luff.time === 0")
    page.click("#play")
    page.until("luff.time > 0")
    before = spent(page)
    times, row.kept = page.ask(FRAMES.format(ms=1000 * min(WATCHED, 0.9 * row.stop)))  # before it ends
    row.cost = (spent(page) - before) / (len(times) - 1)
    row.frames = float(np.mean(np.diff(times) < FRAME))


def compare(path: Path, row: Measured, pages: dict[str, browser.Shown]) -> None:
    """A page's numbers, by itself and after clicks, with those of luff's own runs."""
    luff.export_page(path, row.page)
    row.size, row.paces, row.worst = row.page.stat().st_size / 1000, {}, 0.0
    sim = luff.compile(path)
    step = sim.settings.step
    rows = sim.settings.output_step or step
    row.stop = min(SECONDS, sim.settings.stop)
    result = sim.run(stop=row.stop)
    for page in pages.values():
        page.open(row.page.as_uri())
        page.ask(f"luff.ready.then(() => luff.step({round(row.stop / step)}))")
        row.worst = max(row.worst, difference(sim, result, row_of(page, sim)))
        page.click("#reset")
        page.until("luff.time === 0")
        pressed(page)
        moved = slid(page)
        if moved:
            row.slider, part = moved[0], max(1, round(MOVED / rows)) * rows
            page.ask(f"luff.step({round(part / step)})")
            row.worst = max(row.worst, difference(*run_of(path, moved, row.page, part), row_of(page, sim)))


def measure(path: Path, row: Measured, pages: dict[str, browser.Shown]) -> None:
    """Paces and frames of a page that has been compared."""
    sim = luff.compile(path)
    rows = sim.settings.output_step or sim.settings.step
    for name, page in pages.items():
        page.open(row.page.as_uri())
        steps = round(rows / sim.settings.step)
        row.paces[name] = page.ask(PACE.format(steps=steps, before=1000 * BEFORE, paced=1000 * PACED))
        if isinstance(page, browser.Page):
            watch_frames(row, page)
        page.open(BLANK.as_uri())  # what computes in this one ends
    session, span = sim.start(stop=LONG), rows
    for lasting in (BEFORE, PACED):
        began, before = time.perf_counter(), session.time
        while (spent_in_all := time.perf_counter() - began) < lasting:
            session.advance(span)
            span *= 2 if time.perf_counter() - began - spent_in_all < 0.1 else 1
        row.paces["luff"] = (session.time - before) / spent_in_all


def written(rows: list[Measured], facts: list[str]) -> None:
    """Into docs/pages.md, in place of what stood there."""
    head, begin, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise SystemExit(
            f"{PAGE.name}: found no {BEGIN.strip()} ... {END.strip()}, between which the table belongs"
        )
    text = "\n".join([*HEAD, *(row.line() for row in rows), "", ", ".join(facts) + ".", ""])
    PAGE.write_text(f"{head}{BEGIN}{text}{END}{tail}", "utf-8")


@contextmanager
def browsers() -> Iterator[tuple[dict[str, browser.Shown], list[str]]]:
    """Those that are here, open, and their versions."""
    chromium, fox = browser.browser_path(), firefox.firefox_path()
    if chromium is None:
        raise SystemExit("there is no Chromium on this machine")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        first = stack.enter_context(browser.opened(chromium, folder / "chromium"))
        pages: dict[str, browser.Shown] = {"Chromium": first}
        facts = [first.command("Browser.getVersion")["product"], "Firefox none"]
        if fox:
            (folder / "firefox").mkdir()
            second = stack.enter_context(firefox.opened(fox, folder / "firefox"))
            pages["Firefox"], facts[1] = second, f"Firefox {second.version}"
        yield pages, facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--speeds", action="store_true")
    parser.add_argument("--anew", action="store_true")
    parser.add_argument("--within", type=float, default=float("inf"))
    asked = parser.parse_args()
    MADE.mkdir(parents=True, exist_ok=True)
    BLANK.write_text("<title>blank</title>")
    paths = [one for one in sorted(LIBRARY.glob("*.yaml")) if not luff.load(one).ports]
    began, load = time.perf_counter(), os.getloadavg()[0]
    with browsers() as (pages, facts):
        for path in paths:
            row = Measured.known(path)
            if (asked.names and path.stem not in asked.names) or time.perf_counter() - began > asked.within:
                continue
            if not asked.speeds and (asked.anew or row.worst is None):
                compare(path, row, pages)
                row.keep()
            if asked.speeds and row.worst is not None and (asked.anew or not row.paces):
                measure(path, row, pages)
                row.keep()
    facts += [f"{name} {value}" for name, value in machine().items() if name not in ("mujoco", "pin")]
    facts += [f"load {load:.1f} at the start of the last part and {os.getloadavg()[0]:.1f} at its end"]
    print(", ".join(facts), f"in {time.perf_counter() - began:.0f} s")
    rows = [Measured.known(path) for path in paths]
    if all(row.paces for row in rows):
        written(rows, facts)
    sys.exit(any(row.worst is not None and not row.worst < NEAR for row in rows))


if __name__ == "__main__":
    main()
