"""`luff export MODEL -o NAME.html`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from .compiling import tell_of_compiling
from .console import duration
from .options import overrides
from .outputs import check_writable


def write_live_page(
    source: Path,
    path: Path,
    sliders: Sequence[str],
    inputs: Sequence[str],
    changes: Sequence[str] | None,
    allow_code: bool,
    files: Sequence[Path] | None,
    quiet: bool,
) -> None:
    from ..gui.page import export_page
    from ..solver.flat.opening import load

    check_writable(path)
    tell_of_compiling(quiet)
    began = time.perf_counter()
    export_page(load(source, allow_code, files or ()), path, sliders, inputs, "", "", **overrides(changes))
    if not quiet:
        size = path.stat().st_size / 1000
        print(f"wrote {path}, {size:.0f} kB, in {duration(time.perf_counter() - began)}")
