"""Pages that the tests of this folder share, and the browsers that open them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import luff
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests import firefox
from luff.tests.browser import Page, browser_path, opened
from luff.tests.process import call

# a rod that swings, and is pushed; its length is in its start, and two parameters change nothing that can be changed
SWING = """luff: 1
name: swing <b>
doc: A rod on `pin`, which `inputs:` push.
parameters:
  mass: 2 kg        # of `rod`
  length: 800 mm
  start: 40 deg
  damping: 0.1 N*m*s/rad
  links: 3
  idle: 5
  tip: 500 mm       # where the rod's end is drawn
inputs:
  push: {unit: N*m, doc: about the pin}
blocks:
  pin: {type: revolute, axis: y, damping: =damping, initial: {position: =start}}
  rod: {type: rigid_link, mass: =mass, com: [0, 0, =-length], inertia: [0.01, 0.01, 0.01], frame_b: {at: [0, 0, =-tip]}}
  chain: {type: constant, value: =1/(links - 2.6)}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - inputs.push -> pin.effort
simulation: {stop: 3 s, step: 1 ms, output_step: 10 ms}
plots:
  - {title: Angle, y: [pin.position], unit: deg}
  - {title: Phase, x: pin.position, y: [pin.velocity]}
"""


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    (made / "swing.yaml").write_text(SWING)
    words = ["--slider", "start=10 deg..60 deg", "--trail", "rod"]
    call("export", "swing.yaml", "-o", "swing.html", *words, cwd=made)
    return made


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    path = browser_path()
    if path is None:
        pytest.skip("no browser on this machine; the page's model is tested in Node")
    with opened(path, tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="package")
def fox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[firefox.Firefox]:
    path = firefox.firefox_path()
    if path is None:
        pytest.skip("no Firefox on this machine")
    with firefox.opened(path, tmp_path_factory.mktemp("fox")) as found:
        yield found


@pytest.fixture(scope="package")
def crane(folder: Path) -> Path:
    """Closed loops; bench/pages.py has all others."""
    return luff.export_page(LIBRARY / "crane_knuckle_boom.yaml", folder / "crane_knuckle_boom.html")


@pytest.fixture
def page(folder: Path, browser: Page, request: pytest.FixtureRequest) -> Page:
    """As it is opened."""
    browser.command("Emulation.clearDeviceMetricsOverride")
    browser.open(f"{(folder / 'swing.html').as_uri()}?{request.node.name}")
    browser.until(f"location.search === '?{request.node.name}' && document.readyState === 'complete'")
    browser.ask("luff.ready")
    return browser
