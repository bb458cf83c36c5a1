"""Answer of an analysis as a file: its table, its figure or its data, by the extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...blocks.errors import LuffError, Problem
from .figure_style import FigureStyle
from .file_formats import PLOT_FORMATS, TABLE_FORMATS
from .result_files import atomic_replace
from .table_files import TextTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_answer(
    path: str | Path,
    table: Callable[[], TextTable],
    draw: Callable[[], Figure],
    texts: Mapping[str, Callable[[], str]],
    style: FigureStyle | None = None,
) -> Path:
    """Write a table, a figure or one of `texts`, which are by extension; a file that was there is replaced."""
    path = Path(path)
    known = (*TABLE_FORMATS, *texts, *PLOT_FORMATS)
    if path.suffix not in known:
        mistake = f'found "{path.suffix}"' if path.suffix else "found no extension"
        raise LuffError(Problem(f"{mistake}, expected one of {', '.join(known)}", str(path)))
    if path.suffix in TABLE_FORMATS:
        return table().save(path)
    if path.suffix in PLOT_FORMATS:
        (style or FigureStyle()).save(draw, path)
        return path
    with atomic_replace(path, "the answer") as part:
        part.write_text(texts[path.suffix](), encoding="utf-8")
    return path
