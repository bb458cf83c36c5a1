"""`luff export MODEL -o NAME.a`, and `-o FOLDER --library`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from .compiling import tell_of_compiling
from .console import UsageError, duration
from .options import overrides
from .outputs import check_writable

SUFFIXES = (".a", ".lib")


def write_library(
    source: Path,
    path: Path,
    targets: Sequence[str],
    inputs: Sequence[str],
    parameters: Sequence[str],
    changes: Sequence[str] | None,
    allow_code: bool,
    files: Sequence[Path] | None,
    quiet: bool,
) -> None:
    from ..solver.flat.opening import load
    from ..solver.fmi import export_library
    from ..solver.fmi.library import TARGETS

    for name in targets:
        if name not in TARGETS:
            raise UsageError(f'found "{name}", expected {", ".join(TARGETS)}', path="--target")
    check_writable(path)
    tell_of_compiling(quiet)
    began = time.perf_counter()
    diagram = load(source, allow_code, files or ())
    made = export_library(diagram, path, targets, inputs, parameters, **overrides(changes))
    if not quiet:
        for file in made:
            print(f"wrote {file}, {file.stat().st_size / 1000:.0f} kB")
        print(f"in {duration(time.perf_counter() - began)}")
