"""A page in its reader's hands: the buttons of a run and a slider pressed by the mouse, and what comes of it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import luff
from luff.tests.browser import Shown

STATUS = "document.getElementById('status').textContent"
FREE = "[...document.querySelectorAll('.knob input[type=range]:not(:disabled)')].map(one => one.id)"
NEAR = 1e-9  # of the largest number of the same unit: what a slider says passes through its unit
ASIDE = 0.8  # of a slider's width, where it is pressed


def about(path: Path) -> tuple[dict[str, Any], bytes]:
    """What a page holds: its description, and its code."""
    parts = dict(
        re.findall(r'<script type="text/plain" id="(data|code)">(.*)</script>', path.read_text("utf-8"))
    )
    data, code = (gzip.decompress(base64.b64decode(parts[name])) for name in ("data", "code"))
    return json.loads(data), code


def pressed(page: Shown) -> None:
    """Play, pause, one row, and back to the start; the page says each."""
    page.click("#play")
    page.until("luff.time > 0")
    page.click("#play")
    page.until(f"{STATUS}.startsWith('Paused')")
    assert page.ask("record.time(record.count - 1) === luff.time"), "curves end before what the table tells"
    before = page.ask("luff.time")
    page.click("#step")
    page.until(f"luff.time > {before} && {STATUS}.startsWith('At ')")
    page.click("#reset")
    page.until(f"luff.time === 0 && {STATUS}.startsWith('Back')")


def slid(page: Shown) -> tuple[str, float] | None:
    """The first slider that may be moved, and the number in SI units that the model has now; None without a slider."""
    names = page.ask(FREE)
    if not names:
        return None
    name = names[0].removeprefix("knob-")
    value = f"luff.value({json.dumps(name)})"
    before = page.ask(value)
    page.click(f'[id="{names[0]}"]', ASIDE)
    page.until(f"{value} !== {before!r} && luff.time === 0")
    return name, page.ask(value)


def run_of(
    path: Path, moved: tuple[str, float] | None, file: Path, stop: float
) -> tuple[luff.Simulation, luff.Result]:
    """Luff's own run with what a page's slider says."""
    changes, inputs = {}, {}
    if moved:
        name, value = moved
        (slider,) = [one for one in about(file)[0]["sliders"] if one["name"] == name]
        if slider["kind"] == "input":
            inputs = {name: value}
        else:
            changes = {name: f"{value / slider['factor']!r} {slider['unit']}".strip()}
    sim = luff.compile(path, **changes)
    return sim, sim.run(stop=stop, inputs=inputs)


def difference(sim: luff.Simulation, result: luff.Result, row: Sequence[float]) -> float:
    """Of a row of a page and the last one of a run, in parts of the largest number of the same unit."""
    columns = sim.program.columns
    table = np.column_stack([np.asarray(result[column.name]) for column in columns])
    units = np.array([column.unit for column in columns])
    largest = np.abs(table).max(axis=0)
    scale = np.array([largest[units == unit].max() for unit in units])
    return float(np.max(np.abs(table[-1] - row) / np.where(scale > 0, scale, 1.0)))


def row_of(page: Shown, sim: luff.Simulation) -> list[float]:
    """All signals that a page has now."""
    names = json.dumps([column.name for column in sim.program.columns])
    return page.ask(f"{names}.map(name => window.luff.value(name))")
