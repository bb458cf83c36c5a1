"""Size and font of figures for a document: PNG, SVG or PDF with embedded fonts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...blocks.errors import LuffError, Problem
from ...blocks.text.quantity import quantity
from .file_formats import PLOT_FORMATS
from .result_files import atomic_replace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INCH = 25.4e-3  # [m]
_FONT = re.compile(r"\s*(?:(\d+\.?\d*)\s*pt)?\s*(?![\d.]+\s*pt)(.*?)\s*")


@dataclass(frozen=True)
class FigureStyle:
    """Size of a figure [m], and its font by family and size [pt]; None and "" leave what the figure has."""

    width: float | None = None
    height: float | None = None
    family: str = ""
    points: float | None = None

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Context in which a figure that is drawn has this font; text in PDF stays text."""
        import matplotlib
        from matplotlib.font_manager import FontProperties, findfont

        if self.family:
            try:
                findfont(FontProperties(family=self.family), fallback_to_default=False)
            except ValueError:
                fix = "serif, sans-serif, or a font that is installed"
                raise LuffError(Problem(f'found no font "{self.family}"', "--font", fix)) from None
        font: dict[str, object] = {"font.family": self.family} if self.family else {}
        font |= {"font.size": self.points} if self.points else {}
        with matplotlib.rc_context({"pdf.fonttype": 42, "svg.hashsalt": "luff", **font}):  # type: ignore[arg-type]
            yield

    def save(self, draw: Callable[[], Figure], *files: Path) -> None:
        """Draw a figure in this style and write it to files; equal figures are equal files."""
        for path in files:
            if path.suffix not in PLOT_FORMATS:
                mistake = f'found "{path.suffix}", expected {", ".join(PLOT_FORMATS)}'
                raise LuffError(Problem(mistake, str(path)))
        with self.applied():
            figure = draw()
            width, height = figure.get_size_inches()
            if self.width is not None:
                width = self.width / _INCH
            if self.height is not None:
                height = self.height / _INCH
            figure.set_size_inches(width, height)
            for path in files:
                undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix)
                with atomic_replace(path, "the figure") as part:
                    figure.savefig(part, dpi=120, metadata=undated)


def figure_style(size: str | None = None, font: str | None = None) -> FigureStyle:
    """Style from texts: a size such as `160mm,90mm`, a font such as `9pt serif`."""
    width = height = None
    if size is not None:
        ends = size.split(",")
        try:
            sizes = [_length(end) for end in ends]
        except LuffError:
            sizes = []
        if len(sizes) not in (1, 2) or not all(0.01 <= one <= 2.0 for one in sizes):
            mistake = f'found "{size}", expected a width, or width and height, from 10 mm to 2 m'
            raise LuffError(Problem(mistake, "--size", "160mm,90mm"))
        width, height = (*sizes, None)[:2]
    if font is None:
        return FigureStyle(width, height)
    parts = _FONT.fullmatch(font)
    points = float(parts[1]) if parts is not None and parts[1] else None
    if parts is None or not (points or parts[2]) or not 1.0 <= (points or 1.0) <= 100.0:
        raise LuffError(Problem(f'found "{font}", expected a size or a family', "--font", "9pt serif"))
    return FigureStyle(width, height, parts[2], points)


def _length(text: str) -> float:
    found = quantity(text)
    if found.dimension != quantity("1 m").dimension:
        raise LuffError(f'found "{text}", expected a length')
    return float(found.value)
