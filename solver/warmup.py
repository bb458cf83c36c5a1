"""Compile all kernels ahead of the first run."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

FOLDERS = ("kernels", "integrators")


def modules() -> list[str]:
    """The modules that hold kernels; an import compiles them, or loads them."""
    found = [".door"]
    for folder in FOLDERS:
        package = import_module(f".{folder}", __package__)
        found += [f".{folder}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]
    return found


def warm_up() -> Iterator[str]:
    """Import one module after the other; yields the name of each that is done."""
    for name in modules():
        import_module(name, __package__)
        yield name.lstrip(".")


def is_warm() -> bool:
    """Whether there is compiled code of this version of the kernels."""
    from .jit import CACHE_DIR, ENABLED, KERNEL_DIGEST

    return not ENABLED or any((CACHE_DIR / KERNEL_DIGEST).glob("kernels_*/*.nbc"))
