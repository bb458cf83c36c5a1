"""What the examples of the blocks plot: `python -m luff.docs.figures blocks`."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

import luff
from luff.solver.result.plots import draw

HERE = Path(__file__).parent
EXAMPLES, IMAGES = HERE / "examples", HERE / "images" / "blocks"
DOTS, SHADES = 72, 32


def save_all() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    for path in sorted(EXAMPLES.glob("*.yaml")):
        stream = io.BytesIO()
        draw(luff.compile(path).run()).savefig(stream, dpi=DOTS)
        target = IMAGES / f"{path.stem}.png"
        Image.open(stream).convert("RGB").quantize(SHADES).save(target, optimize=True)
        print(target)
