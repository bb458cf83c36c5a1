"""How much is done side by side."""

from __future__ import annotations

import os


def processors() -> int:
    """How many of them this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def lanes() -> int:
    """How many doubles of as many runs code works on at once: those of a register of AVX-512, or four. Eight, in two or
    four smaller registers each, leave too few registers for what a function holds (`python -m luff.bench.lanes`)."""
    from llvmlite import binding

    return 8 if binding.get_host_cpu_features().get("avx512f") else 4
