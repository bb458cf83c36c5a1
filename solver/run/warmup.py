"""Compile ahead of the first run: all kernels and methods, and the blocks' functions as the library uses them."""

from __future__ import annotations

import hashlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ..machine.jit import ENABLED, UNITS, Unit

if TYPE_CHECKING:
    from ..machine.jit import Progress

FOLDERS = ("kernels", "integrators")
LIBRARY = Path(__file__).parents[2] / "library"


def kernels() -> list[Unit]:
    """All entry points of the mechanism and of the methods."""
    for folder in FOLDERS:
        package = import_module(f"..{folder}", __package__)
        for module in pkgutil.iter_modules(package.__path__):
            import_module(f"..{folder}.{module.name}", __package__)
    return list(UNITS)


def functions() -> Iterator[Unit]:
    """What the models of the library call beside kernels; and every block of signals by itself."""
    from ...blocks import LuffError
    from ..flat.flatten import flatten
    from ..flat.opening import Diagram
    from ..program.program import make_program

    diagrams = []
    for path in sorted(LIBRARY.rglob("*.yaml")):
        try:
            diagrams.append(make_program(flatten(Diagram.load(path), {})))
        except LuffError:
            continue  # a part, which does not run by itself; or a study
    for program in diagrams:
        for table in program.tables.values():
            yield from (call.code for call in table.calls)


@cache
def _marker() -> Path:
    """A file that says that all was compiled of these sources."""
    from ..machine import store

    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in ("blocks", "solver", "library"):
        for path in sorted((root / folder).rglob("*.*")):
            if path.suffix in (".py", ".yaml"):
                digest.update(path.read_bytes())
    return store.folder() / f"warm-{digest.hexdigest()[:32]}"


def is_warm() -> bool:
    """Whether there is nothing left to compile for luff's own blocks and models."""
    return not ENABLED or _marker().exists()


def warm_up(progress: Progress | None = None) -> int:
    """Compile what is missing; returns how many entry points there are."""
    if not ENABLED:
        return 0
    from ..machine import objects, store
    from ..machine.makers import make

    found = {unit.symbol: unit for unit in kernels()}
    missing = [unit for unit in found.values() if store.read(unit) is None]
    if missing:
        make(missing, progress or objects.listener)
    found |= {unit.symbol: unit for unit in functions()}
    missing = [unit for unit in found.values() if store.read(unit) is None]
    if missing:
        make(missing, progress or objects.listener)
    _marker().touch()
    return len(found)
