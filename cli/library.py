"""`luff export MODEL -o NAME.a`, and `-o FOLDER --library`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .compiling import tell_of_compiling
from .console import UsageError
from .options import Exported, overrides
from .outputs import check_writable

SUFFIXES = (".a", ".lib")


def write_library(asked: Exported, path: Path, targets: Sequence[str]) -> list[Path]:
    from ..solver.flat.opening import load
    from ..solver.fmi import export_library
    from ..solver.fmi.library import TARGETS

    for name in targets:
        if name not in TARGETS:
            raise UsageError(f'found "{name}", expected {", ".join(TARGETS)}', path="--target")
    check_writable(path)
    tell_of_compiling(asked.quiet)
    diagram = load(asked.source, asked.allow_code, asked.files or ())
    given = targets, asked.inputs, asked.parameters
    return [*export_library(diagram, path, *given, **overrides(asked.changes))]
