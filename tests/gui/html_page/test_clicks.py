"""Pages in the hands of a reader, in both browsers; bench/pages.py has all models of the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from luff.solver.diagram.composite_types import LIBRARY
from luff.tests.browser import Page, Shown
from luff.tests.conftest import about_compiling
from luff.tests.gui.html_page.clicks import NEAR, difference, pressed, row_of, run_of, slid

pytestmark = about_compiling


@pytest.mark.parametrize("name", ["swing", "crane_knuckle_boom"])
@pytest.mark.parametrize("shown", ["browser", "fox"])
def test_numbers_after_clicks_are_those_of_a_run(
    shown: str, name: str, folder: Path, crane: Path, request: pytest.FixtureRequest
) -> None:
    """Play, pause, step, reset and a slider by the mouse, in either browser; then half a second as that says."""
    page: Shown = request.getfixturevalue(shown)
    if isinstance(page, Page):
        page.command("Emulation.clearDeviceMetricsOverride")
    path, file = (LIBRARY if crane.stem == name else folder) / f"{name}.yaml", folder / f"{name}.html"
    page.open(f"{file.as_uri()}?clicks")
    page.until("location.search === '?clicks' && document.readyState === 'complete'")
    page.ask("window.luff.ready.then(() => 1)")
    pressed(page)
    moved = slid(page)
    assert moved
    sim, result = run_of(path, moved, file, 0.5)
    page.ask(f"luff.step({round(0.5 / sim.settings.step)}).then(() => 1)")
    assert difference(sim, result, row_of(page, sim)) < NEAR
