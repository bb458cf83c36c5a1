"""Steps of several SIMD groups of runs in one call."""

from __future__ import annotations

from ..codegen.intrinsics import run_at
from ..codegen.jit import entry_point

# columns of `calls`: number of the group, addresses of its code and of its tables
GROUP, CODE, RUN, MODEL, DATA = range(5)


@entry_point("f2", "f2", "i2")
def advance_groups(memory, kept, calls):
    """Advance the groups of `calls`, one after the other.

    The tail of each group's memory is copied to `kept` just before, while it is in the cache for the steps.
    """
    first = memory.shape[1] - kept.shape[1]
    for j in range(calls.shape[0]):
        k = calls[j, GROUP]
        for i in range(kept.shape[1]):
            kept[k, i] = memory[k, first + i]
        run_at(calls[j, CODE], calls[j, RUN], calls[j, MODEL], calls[j, DATA])
