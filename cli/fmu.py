"""`luff export MODEL -o NAME.fmu`, or NAME.ssp."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .compiling import tell_of_compiling
from .console import UsageError
from .options import Exported, overrides
from .outputs import check_writable


def write_fmu(asked: Exported, path: Path, fmi: int, platforms: Sequence[str]) -> list[Path]:
    from ..solver.flat.opening import load
    from ..solver.fmi import export_fmu
    from ..solver.fmi.toolchain import PLATFORMS

    if fmi not in (2, 3):
        raise UsageError(f"found {fmi}, expected 2 or 3", path="--fmi")
    for name in platforms:
        if name not in PLATFORMS:
            raise UsageError(f'found "{name}", expected {", ".join(PLATFORMS)}', path="--platform")
    check_writable(path)
    tell_of_compiling(asked.quiet)
    diagram = load(asked.source, asked.allow_code, asked.files or ())
    export_fmu(diagram, path, fmi, platforms, asked.inputs, asked.parameters, **overrides(asked.changes))
    return [path]


def write_ssp(asked: Exported, path: Path) -> list[Path]:
    from ..solver.exchange import export_ssp
    from ..solver.flat.opening import load

    check_writable(path)
    diagram = load(asked.source, asked.allow_code, asked.files or ())
    export_ssp(diagram, path, **overrides(asked.changes))
    return [path]
