"""Object code that came with the package: compiled where the wheel was made, for the least processor of a family.

It is looked at where the user's own cache has nothing, and only if it was made of these sources by this compiler, runs
on this processor, and lies where nobody else may write. What is missing here is compiled, as everywhere.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .cache_folder import exposed

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "compiled"
BUILDERS = ("build.py", "jit.py", "bundles.py")


@dataclass(frozen=True)
class Baseline:
    """The least processor of a family, as LLVM names it, and what a processor must have to run its code."""

    processor: str
    features: frozenset[str]


PLAIN = Baseline("generic", frozenset())
V3_FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
V3 = Baseline("x86-64-v3", frozenset(V3_FEATURES))
BASELINES = {"x86_64": V3, "amd64": V3}


def baseline() -> Baseline:
    return BASELINES.get(platform.machine().lower(), PLAIN)


def compiler() -> list[str]:
    """What machine code depends on, beside its sources and the processor."""
    from importlib.metadata import version  # what only looks at a netlist need not load it

    sources = b"".join((HERE / name).read_bytes() for name in BUILDERS)
    return [sources.hex(), version("numba"), version("llvmlite")]


def key() -> str:
    """The name of the folder: Python's version is not in it, for no code of Python's is called."""
    parts = [*compiler(), sys.platform, platform.machine(), baseline().processor]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def folder() -> Path | None:
    """Where code for this compiler and processor came with the package."""
    if not FOLDER.is_dir():
        return None
    found = FOLDER / key()
    return found if found.is_dir() and not exposed(found) and runs(baseline()) else None


def runs(least: Baseline) -> bool:
    """Whether this processor has what the code takes for granted."""
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    return all(has.get(name, False) for name in least.features)
