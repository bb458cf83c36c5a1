"""`luff export MODEL -o NAME.html`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .compiling import tell_of_compiling
from .options import Exported, overrides
from .outputs import check_writable


def write_live_page(asked: Exported, path: Path, sliders: Sequence[str]) -> list[Path]:
    from ..gui.page import export_page
    from ..solver.flat.opening import load

    check_writable(path)
    tell_of_compiling(asked.quiet)
    diagram = load(asked.source, asked.allow_code, asked.files or ())
    export_page(diagram, path, sliders, asked.inputs, "", "", **overrides(asked.changes))
    return [path]
