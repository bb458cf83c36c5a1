"""Object code shipped with the package: compiled where the wheel was built, for the baseline processor of a family.

Used where the user's cache has nothing, and only if it was made from these sources by this compiler, runs on this
processor, and lies where nobody else may write. Missing code is compiled as usual.
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
    """Baseline processor of a family by LLVM's name, and the features that its code requires."""

    processor: str
    features: frozenset[str]


PLAIN = Baseline("generic", frozenset())
V3_FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2")
V3 = Baseline("x86-64-v3", frozenset(V3_FEATURES))
BASELINES = {"x86_64": V3, "amd64": V3}


def baseline(machine: str = "") -> Baseline:
    """Baseline processor of a machine, this one by default."""
    return BASELINES.get((machine or platform.machine()).lower(), PLAIN)


def compiler() -> list[str]:
    """Identity of the compiler: its sources here, versions of numba and llvmlite."""
    sources = b"".join((HERE / name).read_bytes() for name in BUILDERS)
    return [sources.hex(), version_of("numba"), version_of("llvmlite")]


@cache
def version_of(package: str) -> str:
    """Version of an installed package by the name of its dist-info folder: importlib.metadata takes longer than all
    else here.
    """
    for folder in sys.path:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.startswith(f"{package}-") and name.endswith(".dist-info"):
                return name.removeprefix(f"{package}-").removesuffix(".dist-info")
    from importlib.metadata import version

    return version(package)


def key(system: str = "", machine: str = "") -> str:
    """Name of the folder of shipped code for a system and machine; no Python version in it, as the code calls no
    Python.

    Default: this machine; else values of `sys.platform` and `platform.machine()`.
    """
    machine = machine or platform.machine()
    return _digest(*compiler(), system or sys.platform, machine, baseline(machine).processor)


def bitcode_key() -> str:
    """Name of the folder of shipped bitcode."""
    return _digest(*compiler(), "bitcode")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def folder() -> Path | None:
    """Folder of shipped code for this compiler and processor, or None."""
    kept = _packaged_folder(key())
    return kept if kept and processor_runs(baseline()) else None


@cache
def bitcode() -> Path | None:
    """Folder of shipped bitcode of this compiler, of which FMUs, pages and libraries are made, or None."""
    return _packaged_folder(bitcode_key())


def _packaged_folder(name: str) -> Path | None:
    """Folder of this name in the package, or None if it is missing or exposed."""
    if not FOLDER.is_dir():
        return None
    folder = FOLDER / name
    return folder if folder.is_dir() and not exposed(folder) else None


def processor_runs(least: Baseline) -> bool:
    """True if this processor has the features of a baseline."""
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    return all(has.get(name, False) for name in least.features)
