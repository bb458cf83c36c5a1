"""For which processor code is compiled, and how much is done side by side."""

from __future__ import annotations

import os


def processors() -> int:
    """How many of them this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compiled_for() -> tuple[str, str]:
    """LLVM's words for a processor and its features: this machine's, or what numba is told to take in their place."""
    name = os.environ.get("NUMBA_CPU_NAME", "")
    features = os.environ.get("NUMBA_CPU_FEATURES", "" if name == "generic" else None)
    if name and features is not None:
        return name, features
    from llvmlite import binding

    own = binding.get_host_cpu_features().flatten() if features is None else features
    return name or binding.get_host_cpu_name(), own


def lanes() -> int:
    """How many runs code takes side by side: as many as doubles fill a register of AVX-512, or four. Eight of AVX2 were
    slower on open trees: two registers for each number leave too few for what a function holds."""
    return 8 if "+avx512f" in compiled_for()[1].split(",") else 4
