"""Precompilation of all kernels and methods, and of the blocks' functions that the library uses."""

from __future__ import annotations

import hashlib
import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ..codegen.jit import ENABLED, ENTRY_POINTS, EntryPoint

if TYPE_CHECKING:
    from ..codegen.jit import Progress
    from ..flatten.flatten import Flat

FOLDERS = ("kernels", "integrators")
LIBRARY = Path(__file__).parents[2] / "library"


def kernels() -> list[EntryPoint]:
    """All entry points of kernels and integrators."""
    for folder in FOLDERS:
        package = import_module(f"..{folder}", __package__)
        for module in pkgutil.iter_modules(package.__path__):
            import_module(f"..{folder}.{module.name}", __package__)
    return list(ENTRY_POINTS)


def functions(models: Iterable[Path] = ()) -> Iterator[EntryPoint]:
    """Entry points of blocks' functions in the library's models and in `models`, and in their linear models."""
    from ...blocks import LuffError
    from ..flatten.diagram import Diagram
    from ..flatten.flatten import flatten
    from ..program.program import make_program

    for path in (*sorted(LIBRARY.rglob("*.yaml")), *models):
        try:
            flat = flatten(Diagram.load(path), {})
            programs = [make_program(each) for each in (flat, _analysed(flat))]
        except LuffError:
            continue  # a sub-model, or a study
        for ordered in (ordered for program in programs for ordered in program.ordered.values()):
            yield from (operation.code for operation in ordered if operation.code is not None)


def _analysed(flat: Flat) -> Flat:
    """Netlist with states in place of memories, and a probe in a wire of each kind of signal."""
    from ..flatten.analysis_points import causal_ports, with_probes
    from ..flatten.discrete_as_states import with_continuous_twins

    first: dict[str, str] = {}
    for name, (block, port, _) in causal_ports(flat).items():
        first.setdefault(flat.blocks[block].ports()[port].kind, name)
    return with_probes(with_continuous_twins(flat)[0], [*first.values()])[0]


@cache
def _mark() -> str:
    """Name of the marker file that all these sources were compiled."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in ("blocks", "solver", "library"):
        for path in sorted((root / folder).rglob("*.*")):
            if path.suffix in (".py", ".yaml"):
                digest.update(path.read_bytes())
    return f"warm-{digest.hexdigest()[:32]}"


def mark_warm(folder: Path) -> None:
    """Write the marker file."""
    (folder / _mark()).touch()


def is_warm() -> bool:
    """True if nothing of luff's own blocks and models is left to compile."""
    from ..codegen import object_store, prebuilt_objects

    if not ENABLED:
        return True
    folders = (object_store.folder(), prebuilt_objects.folder())
    return any((folder / _mark()).exists() for folder in folders if folder)


def warm_up(progress: Progress | None = None) -> int:
    """Compile what is missing; returns the number of entry points."""
    from ..codegen import object_store

    if not ENABLED:
        return 0
    entries = compiled_ahead(progress)
    mark_warm(object_store.folder())
    return len(entries)


def compiled_ahead(progress: Progress | None = None, models: Iterable[Path] = ()) -> list[EntryPoint]:
    """All entry points of kernels, methods, library models and `models`, compiled."""
    from ..codegen import object_loader, object_store
    from ..codegen.compile_pool import make

    entries = {entry.symbol: entry for entry in (*kernels(), *functions(models))}
    missing = [entry for entry in entries.values() if object_store.read_object(entry) is None]
    if missing:
        make(missing, progress or object_loader.listener)
    return list(entries.values())
