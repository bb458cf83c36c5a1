"""Object code that came with the package: compiled where the wheel was made, for the least processor of a family.

It is looked at where the user's own cache has nothing, and only if it was made of these sources by this compiler, runs
on this processor, and lies where nobody else may write. What is missing here is compiled, as everywhere.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .cache_folder import exposed

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "compiled"
BUILDERS = (
    "numba_compile.py",
    "lowering.py",
    "jit.py",
    "array_structs.py",
    "libm_calls.py",
    "llvm_passes.py",
    "code_model.py",
    "libm/trigonometric.py",
)


class Baseline(NamedTuple):
    """The least processor of a family, as LLVM names it, and what a processor must have to run its code."""

    processor: str
    features: frozenset[str]


PLAIN = Baseline("generic", frozenset())
V3_FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
V3 = Baseline("x86-64-v3", frozenset(V3_FEATURES))
BASELINES = {"x86_64": V3, "amd64": V3}


def baseline(machine: str = "") -> Baseline:
    return BASELINES.get((machine or platform.machine()).lower(), PLAIN)


def compiler() -> list[str]:
    """What machine code depends on, beside its sources and the processor."""
    sources = b"".join((HERE / name).read_bytes() for name in BUILDERS)
    return [sources.hex(), version_of("numba"), version_of("llvmlite")]


@cache
def version_of(package: str) -> str:
    """Of what is installed, by the name of the folder that says so: loading what reads these folders takes longer than
    all that luff asks of them."""
    for folder in sys.path:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.startswith(f"{package}-") and name.endswith(".dist-info"):
                return name.removeprefix(f"{package}-").removesuffix(".dist-info")
    from importlib.metadata import version

    return version(package)


def key(system: str = "", machine: str = "") -> str:
    """The name of the folder: Python's version is not in it, for no code of Python's is called.

    Of this machine, or of another by what `sys.platform` and `platform.machine()` are there.
    """
    machine = machine or platform.machine()
    return _digest(*compiler(), system or sys.platform, machine, baseline(machine).processor)


def bitcode_key() -> str:
    """The same of what is not yet code for any processor."""
    return _digest(*compiler(), "bitcode")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def folder() -> Path | None:
    """Where code for this compiler and processor came with the package."""
    kept = _beside(key())
    return kept if kept and processor_runs(baseline()) else None


@cache
def bitcode() -> Path | None:
    """Where bitcode of this compiler came with the package, of which FMUs, pages and libraries are made."""
    return _beside(bitcode_key())


def _beside(name: str) -> Path | None:
    if not FOLDER.is_dir():
        return None
    folder = FOLDER / name
    return folder if folder.is_dir() and not exposed(folder) else None


def processor_runs(least: Baseline) -> bool:
    """Whether this processor has what the code takes for granted."""
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    return all(has.get(name, False) for name in least.features)
