"""`luff export MODEL -o NAME.fmu`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from .compiling import tell_of_compiling
from .console import UsageError, duration
from .options import overrides
from .outputs import check_writable


class Asked(TypedDict):
    """What options say of an FMU."""

    fmi: int
    platforms: Sequence[str]
    inputs: Sequence[str]
    parameters: Sequence[str]


def write_fmu(
    source: Path,
    path: Path,
    asked: Asked,
    changes: Sequence[str] | None,
    allow_code: bool,
    files: Sequence[Path] | None,
    quiet: bool,
) -> None:
    from ..solver.flat.opening import load
    from ..solver.fmi import export_fmu
    from ..solver.fmi.toolchain import PLATFORMS

    if asked["fmi"] not in (2, 3):
        raise UsageError(f"found {asked['fmi']}, expected 2 or 3", path="--fmi")
    for name in asked["platforms"]:
        if name not in PLATFORMS:
            raise UsageError(f'found "{name}", expected {", ".join(PLATFORMS)}', path="--platform")
    check_writable(path)
    tell_of_compiling(quiet)
    began = time.perf_counter()
    export_fmu(load(source, allow_code, files or ()), path, **asked, **overrides(changes))
    if not quiet:
        size = path.stat().st_size / 1000
        print(f"wrote {path}, {size:.0f} kB, in {duration(time.perf_counter() - began)}")
