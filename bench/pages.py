"""Every model of the library as a page in a browser, beside luff's own run: size, pace, frames, numbers.

`python -m luff.bench.pages [NAME ...]` writes bench/results/pages.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import luff
from luff.solver.diagram.composites import LIBRARY
from luff.tests import browser, firefox

from .report import keep

SECONDS = 10.0  # of each run
WATCHED = 4.0  # s in which frames are counted
FRAME = 25.0  # ms
HEAD = [
    "| model | kB | made in | worst difference | Chromium | Firefox | luff itself | frames under 25 ms | ms a frame |",
    "|---|---|---|---|---|---|---|---|---|",
]
# how long the worker takes for steps up to a time, and all signals then
RUN = """window.luff.ready.then(async () => {{ const before = performance.now(); await window.luff.step({steps});
    return [performance.now() - before, {names}.map(name => window.luff.value(name))]; }})"""
FRAMES = """new Promise(done => {{ const times = []; play(true);
    (function look(now) {{ times.push(now); if (now - times[0] < {ms}) requestAnimationFrame(look);
        else {{ play(false); done(times); }} }})(performance.now()); }})"""


@contextmanager
def pages() -> Iterator[tuple[browser.Page, firefox.Firefox | None]]:
    """Chromium and Firefox, as far as they are here."""
    chromium, fox = browser.browser_path(), firefox.firefox_path()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        if chromium is None:
            raise SystemExit("no Chromium on this machine")
        with browser.opened(chromium, Path(one)) as first:
            if fox is None:
                yield first, None
            else:
                with firefox.opened(fox, Path(two)) as second:
                    yield first, second


def spent(page: browser.Page) -> float:
    """Processor time of the page's own thread [ms], which hardly depends on what else the machine does."""
    told = page.command("Performance.getMetrics")["metrics"]
    return 1000.0 * next(one["value"] for one in told if one["name"] == "TaskDuration")


def measured(path: Path, page: tuple[browser.Page, firefox.Firefox | None], folder: Path) -> str:
    file = folder / f"{path.stem}.html"
    began = time.perf_counter()
    luff.export_page(path, file)
    made = time.perf_counter() - began
    sim = luff.compile(path)
    stop = min(SECONDS, sim.settings.stop)
    steps = round(stop / sim.settings.step)
    sim.run(stop=10 * sim.settings.step)  # what is compiled is compiled
    began = time.perf_counter()
    result = sim.run(stop=stop)
    own = stop / (time.perf_counter() - began)
    columns = sim.program.columns
    table = np.column_stack([np.asarray(result[column.name]) for column in columns])
    units = np.array([column.unit for column in columns])
    largest = np.abs(table).max(axis=0)
    scale = np.array([max(largest[units == unit].max(), 1e-300) for unit in units])
    paces, worst = [], 0.0
    for one in page:
        if one is None:
            paces.append("")
            continue
        one.open(file.as_uri())
        ms, row = one.ask(RUN.format(steps=steps, names=json.dumps([column.name for column in columns])))
        paces.append(f"{1000 * stop / ms:.1f}")
        worst = max(worst, float(np.max(np.abs(table[-1] - row) / scale)))
    page[0].ask("luff.reset()")
    page[0].command("Performance.enable", timeDomain="threadTicks")
    before = spent(page[0])
    times = np.diff(page[0].ask(FRAMES.format(ms=1000 * WATCHED)))
    share, each = 100 * np.mean(times < FRAME), (spent(page[0]) - before) / len(times)
    return (
        f"| {path.stem} | {file.stat().st_size / 1000:.0f} | {made:.1f} s | {worst:.0e} | {paces[0]} | {paces[1]}"
        f" | {own:.1f} | {share:.0f} % | {each:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args().names
    lines = []
    with pages() as page, tempfile.TemporaryDirectory() as folder:
        for path in sorted(LIBRARY.glob("*.yaml")):
            if asked and path.stem not in asked:
                continue
            try:
                luff.compile(path)
            except luff.LuffError:
                continue  # a part of others
            lines.append(measured(path, page, Path(folder)))
            print(lines[-1], flush=True)
    told = (
        f"Pages of the library's models after {SECONDS:g} s (or their own time), {platform.machine()}: the worst"
        " difference of all signals, in both browsers, in parts of the largest number of the same unit in that run;"
        " how many times real time each goes; the share of frames that follow within 25 ms in a run at real time, and"
        " what one costs the page's own thread, of processor time."
    )
    keep("pages.md", [told, "", *HEAD, *lines])


if __name__ == "__main__":
    main()
