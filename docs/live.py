"""Models that run in the pages that show them, where these say `<!-- live NAME -->`: a netlist of docs/models or the
library is `live/NAME.html`, an example of a block `live/blocks/TYPE.html`. Only what some page names is made.
"""

from __future__ import annotations

import html
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

import luff
from luff.solver.diagram.composite_types import LIBRARY

HERE = Path(__file__).parent
MARK = re.compile(r"<!-- live (\w+) -->")
ALL = "models"  # instead of a name: the gallery
# of the gallery
MODELS = (
    "crane_by_hand", "mobile_crane", "crane_offshore", "luffing_circuit", "hoist", "crane_knuckle_boom",
    "crane_vessel", "crane_in_wind", "crane_overhead_planner", "crane_demo",
)  # fmt: skip
# sliders that a model has besides
SLIDERS = {"crane_by_hand": ("slewing=-0.4..0.4", "luffing=-0.1..0.1", "reaching=-0.6..0.6")}
# examples of the block reference in which something moves
BLOCKS = (
    "revolute", "prismatic", "universal", "spherical", "free", "gear", "rope", "winch", "contact", "pad", "line_spring",
    "hydraulic_cylinder", "platform", "wind_drag", "base_support",
)  # fmt: skip


def filled(markdown: str) -> str:
    """With a model at each mark."""
    return MARK.sub(lambda mark: cards() if mark[1] == ALL else model(mark[1]), markdown)


def model(name: str) -> str:
    return frame(f"live/{name}", yaml.safe_load(source_of(name).read_text("utf-8"))["name"])


def frame(source: str, title: str) -> str:
    """A model that loads when it is unfolded."""
    name = html.escape(title)
    return (
        f'<details class="live"><summary>Run it here: {name}</summary>'
        f'<iframe class="live" loading="lazy" src="{source}.html#embed" title="{name}, which runs here"></iframe>'
        "</details>"
    )


def source_of(name: str) -> Path:
    own = HERE / "models" / f"{name}.yaml"
    return own if own.is_file() else LIBRARY / own.name


def cards() -> str:
    """The models of the gallery, each with what it is."""
    parts = []
    for name in MODELS:
        about = yaml.safe_load(source_of(name).read_text("utf-8"))
        doc = " ".join(about["doc"].split())
        parts += [
            f"### {about['name'].capitalize()}",
            f"{doc} [The whole page](live/{name}.html).",
            model(name),
        ]
    return "\n\n".join(parts)


def pages(texts: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Path and content of each live page that the texts of others name."""
    named = {name for text in texts for name in re.findall(r"\blive/((?:blocks/)?\w+)\.html", filled(text))}
    for name in sorted(named):
        folder, _, stem = name.rpartition("/")
        path = HERE / "examples" / f"{stem}.yaml" if folder else source_of(stem)
        yield f"live/{name}.html", page(path, SLIDERS.get(name, ()))


def page(path: Path, sliders: Iterable[str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return luff.export_page(path, Path(folder) / "page.html", [*sliders]).read_bytes()
