"""Every picture of the pages is made by `make docs-figures`, and what that makes is there."""

from __future__ import annotations

import re
from pathlib import Path

import luff
from luff.docs import figures, scene_pictures, screenshots
from luff.docs.drawing import FIGURES
from luff.docs.example_figures import EXAMPLES

ROOT = Path(luff.__file__).parent
IMAGES = ROOT / "docs" / "images"


def made() -> set[str]:
    """Names of all pictures by the commands of the target."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    target = makefile.partition("\ndocs-figures:")[2].partition("\n\n")[0]
    for module in (figures, screenshots, scene_pictures):  # which register what they make
        assert module.__name__ in target
    states = [name for names in screenshots.STATES.values() for name in names]
    return {
        *(f"{name}.png" for name in (*FIGURES, *scene_pictures.PICTURES, *states)),
        *(f"{name}@2x.png" for name in screenshots.LARGE),
        *screenshots.FILMS,
        *re.findall(r"-o docs/images/(\S+)", target),
        *(f"blocks/{path.stem}.png" for path in EXAMPLES.glob("*.yaml")),
    }


def test_each_picture_is_made_by_the_command() -> None:
    found = {path.relative_to(IMAGES).as_posix() for path in IMAGES.rglob("*") if path.is_file()}
    assert found == made()


def test_pages_show_pictures_that_are_made() -> None:
    shown = {
        name
        for page in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md")
        for name in re.findall(r"images/([\w@/]+\.(?:png|gif))", page.read_text(encoding="utf-8"))
    }
    assert shown
    assert shown <= made()
