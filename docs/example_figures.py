"""What the examples of the blocks plot: `python -m luff.docs.figures blocks`."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

import luff
from luff.solver.results.matplotlib_plots import draw

HERE = Path(__file__).parent
EXAMPLES, IMAGES = HERE / "examples", HERE / "images" / "blocks"
DOTS, SHADES = 72, 32


def save_all() -> None:
    """Those of all examples."""
    for path in sorted(EXAMPLES.glob("*.yaml")):
        save_one(path)


def save_one(path: Path) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    draw(luff.compile(path).run()).savefig(stream, dpi=DOTS)
    target = IMAGES / f"{path.stem}.png"
    Image.open(stream).convert("RGB").quantize(SHADES).save(target, optimize=True)
    print(target)
