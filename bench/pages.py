"""Every model of the library as a page in its reader's hands: numbers beside luff's own, size, pace, frames.

`python -m luff.bench.pages` writes the table of docs/pages.md; with names of models it prints theirs alone. In each
browser that is here a page runs by itself, then by clicks: play, pause, step, reset, a slider, and a run with what that
says.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import luff
from luff.solver.diagram.composites import LIBRARY
from luff.tests import browser, firefox
from luff.tests.gui.page.clicks import NEAR, difference, pressed, row_of, run_of, slid

from .timing import machine

PAGE = Path(luff.__file__).parent / "docs" / "pages.md"
BEGIN, END = "<!-- by luff.bench.pages -->\n", "<!-- to here -->\n"
SECONDS = 10.0  # of each run
PATIENCE = 4.0  # s, that luff itself may take for it; what is slower goes less far
MOVED = 0.3  # part of a run that is done again with a slider moved
TRIED = 200  # steps, by which the pace is judged
WATCHED = 3.0  # s in which frames are counted
FRAME = 25.0  # ms
NAMES = (
    "model,kB,model time,slider,worst difference,Chromium,Firefox,luff itself,frames under 25 ms,ms a frame"
)
HEAD = [f"| {NAMES.replace(',', ' | ')} |", "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|"]
# how long the worker takes for so many steps
RUN = """window.luff.ready.then(async () => {{ const before = performance.now(); await window.luff.step({steps});
    return performance.now() - before; }})"""
FRAMES = """new Promise(done => {{ const times = []; (function look(now) {{ times.push(now);
    if (now - times[0] < {ms}) requestAnimationFrame(look); else done(times); }})(performance.now()); }})"""


@dataclass
class Measured:
    """A model's row."""

    name: str
    size: float  # kB
    stop: float  # s
    own: float  # times real time
    slider: str = ""
    worst: float = 0.0
    paces: list[str] = field(default_factory=list)
    frames: str = ""

    def line(self) -> str:
        cells = [
            self.name,
            f"{self.size:.0f}",
            f"{self.stop:g} s",
            self.slider or "none",
            f"{self.worst:.0e}",
        ]
        return f"| {' | '.join([*cells, *self.paces, f'{self.own:.1f}', self.frames])} |"


def exported(path: Path, folder: Path) -> Path:
    return luff.export_page(path, folder / f"{path.stem}.html")


def spent(page: browser.Page) -> float:
    """Processor time of the page's own thread [ms], which hardly depends on what else the machine does."""
    told = page.command("Performance.getMetrics")["metrics"]
    return 1000.0 * next(one["value"] for one in told if one["name"] == "TaskDuration")


def frames(page: browser.Page) -> str:
    """In a run at real time: how many follow soon, and what one costs."""
    page.command("Performance.enable", timeDomain="threadTicks")
    page.click("#reset")
    page.until("luff.time === 0")
    page.click("#play")
    before = spent(page)
    times = np.diff(page.ask(FRAMES.format(ms=1000 * WATCHED)))
    each = (spent(page) - before) / len(times)
    return f"{100 * np.mean(times < FRAME):.0f} % | {each:.1f}"


def measured(path: Path, file: Path, pages: Sequence[browser.Shown | None]) -> Measured:
    sim = luff.compile(path)
    step = sim.settings.step
    sim.run(stop=10 * step)  # what is compiled is compiled
    began = time.perf_counter()
    sim.run(stop=TRIED * step)
    pace = TRIED * step / (time.perf_counter() - began)
    rows = sim.settings.output_step or step
    stop = min(SECONDS, sim.settings.stop, max(1, round(pace * PATIENCE / rows)) * rows)
    began = time.perf_counter()
    result = sim.run(stop=stop)
    row = Measured(path.stem, file.stat().st_size / 1000, stop, stop / (time.perf_counter() - began))
    for page in pages:
        if page is None:
            row.paces.append("")
            continue
        page.open(file.as_uri())
        ms = page.ask(RUN.format(steps=round(stop / step)))
        row.paces.append(f"{1000 * stop / ms:.1f}")
        row.worst = max(row.worst, difference(sim, result, row_of(page, sim)))
        page.click("#reset")
        page.until("luff.time === 0")
        pressed(page)
        moved = slid(page)
        if moved:
            row.slider, part = moved[0], max(1, round(MOVED * stop / rows)) * rows
            page.ask(f"luff.step({round(part / step)})")
            row.worst = max(row.worst, difference(*run_of(path, moved, file, part), row_of(page, sim)))
    if isinstance(pages[0], browser.Page):
        row.frames = frames(pages[0])
    return row


def written(lines: Sequence[str], facts: Sequence[str]) -> None:
    """Into docs/pages.md, in place of what stood there."""
    head, begin, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise SystemExit(
            f"{PAGE.name}: found no {BEGIN.strip()} ... {END.strip()}, between which the table belongs"
        )
    text = "\n".join([*HEAD, *lines, "", ", ".join(facts) + ".", ""])
    PAGE.write_text(f"{head}{BEGIN}{text}{END}{tail}", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args().names
    paths = [one for one in sorted(LIBRARY.glob("*.yaml")) if not luff.load(one).ports]
    paths = [one for one in paths if not asked or one.stem in asked]
    began, load, rows = time.perf_counter(), os.getloadavg()[0], []
    chromium, fox = browser.browser_path(), firefox.firefox_path()
    if chromium is None:
        raise SystemExit("there is no Chromium on this machine")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        with ProcessPoolExecutor(2, get_context("spawn")) as pool:
            files = [*pool.map(exported, paths, [folder] * len(paths))]
        first = stack.enter_context(browser.opened(chromium, folder / "chromium"))
        second = None
        if fox:
            (folder / "firefox").mkdir()
            second = stack.enter_context(firefox.opened(fox, folder / "firefox"))
        for path, file in zip(paths, files, strict=True):
            rows.append(measured(path, file, (first, second)))
            print(rows[-1].line(), flush=True)
        facts = [
            first.command("Browser.getVersion")["product"],
            f"Firefox {second.version if second else 'none'}",
        ]
    facts += [f"{name} {value}" for name, value in machine().items() if name not in ("mujoco", "pin")]
    facts += [f"load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the end"]
    print(", ".join(facts), f"in {time.perf_counter() - began:.0f} s")
    if not asked:
        written([row.line() for row in rows], facts)
    sys.exit(any(not row.worst < NEAR for row in rows))


if __name__ == "__main__":
    main()
