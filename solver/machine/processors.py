"""How much is done side by side."""

from __future__ import annotations

import os


def processors() -> int:
    """How many of them this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def lanes() -> int:
    """How many runs code takes side by side: as many as doubles fill a register of AVX-512, or four. Eight of AVX2 were
    slower on open trees: two registers for each number leave too few for what a function holds."""
    from llvmlite import binding

    return 8 if binding.get_host_cpu_features().get("avx512f") else 4
