"""Target processor of compiled code, number of processors and of SIMD lanes."""

from __future__ import annotations

import os


def processors() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compiled_for() -> tuple[str, str]:
    """LLVM names of processor and features: this machine's, or those of numba's environment variables."""
    name = os.environ.get("NUMBA_CPU_NAME", "")
    features = os.environ.get("NUMBA_CPU_FEATURES", "" if name == "generic" else None)
    if name and features is not None:
        return name, features
    from llvmlite import binding

    own = binding.get_host_cpu_features().flatten() if features is None else features
    return name or binding.get_host_cpu_name(), own


def lanes() -> int:
    """Number of runs in a SIMD group: 8 doubles of an AVX-512 register, else 4.

    Eight on AVX2 were slower on open trees: two registers a number leave too few for a function's variables.
    """
    return 8 if "+avx512f" in compiled_for()[1].split(",") else 4
