"""Writing a model for other programs: `luff export MODEL -o NAME`, whose extension says what for.

.fmu, .ssp, .html (a page that runs the model), .a or .lib (or a folder, with --library: a static library).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .compiling import tell_of_compiling
from .console import UsageError
from .options import Exported, overrides
from .outputs import check_writable

if TYPE_CHECKING:
    from ..solver.flat.opening import Diagram


def write_fmu(asked: Exported, path: Path, fmi: int, platforms: Sequence[str]) -> list[Path]:
    from ..solver.fmi import export_fmu
    from ..solver.fmi.toolchain import PLATFORMS

    if fmi not in (2, 3):
        raise UsageError(f"found {fmi}, expected 2 or 3", path="--fmi")
    check_known("--platform", platforms, PLATFORMS)
    diagram = opened(asked, path)
    export_fmu(diagram, path, fmi, platforms, asked.inputs, asked.parameters, **overrides(asked.changes))
    return [path]


def write_ssp(asked: Exported, path: Path) -> list[Path]:
    from ..solver.exchange import export_ssp

    export_ssp(opened(asked, path, compiles=False), path, **overrides(asked.changes))
    return [path]


def write_live_page(asked: Exported, path: Path, sliders: Sequence[str], trails: Sequence[str]) -> list[Path]:
    from ..gui.page import export_page

    diagram = opened(asked, path)
    export_page(diagram, path, sliders, asked.inputs, "", "", trails, **overrides(asked.changes))
    return [path]


def write_library(asked: Exported, path: Path, targets: Sequence[str]) -> list[Path]:
    from ..solver.fmi import export_library
    from ..solver.fmi.library import TARGETS

    check_known("--target", targets, TARGETS)
    given = targets, asked.inputs, asked.parameters
    return [*export_library(opened(asked, path), path, *given, **overrides(asked.changes))]


def check_known(option: str, names: Sequence[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f'found "{name}", expected {", ".join(known)}', path=option)


def opened(asked: Exported, path: Path, compiles: bool = True) -> Diagram:
    """The model, once it is sure that what is made of it can be written."""
    from ..solver.flat.opening import load

    check_writable(path)
    if compiles:
        tell_of_compiling(asked.quiet)
    return load(asked.source, asked.allow_code, asked.files or ())
