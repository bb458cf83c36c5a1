"""Steps of many groups of runs by one call."""

from __future__ import annotations

from ..codegen.intrinsics import run_at
from ..codegen.jit import entry_point

# columns of `calls`: which group, the address of its code, and those of its tables
GROUP, CODE, RUN, MODEL, DATA = range(5)


@entry_point("f2", "f2", "i2")
def advance_groups(memory, kept, calls):
    """Steps of the groups that `calls` names, one after the other.

    What stands at the end of each one's memory is kept just before, since it is at hand for the steps then.
    """
    first = memory.shape[1] - kept.shape[1]
    for j in range(calls.shape[0]):
        k = calls[j, GROUP]
        for i in range(kept.shape[1]):
            kept[k, i] = memory[k, first + i]
        run_at(calls[j, CODE], calls[j, RUN], calls[j, MODEL], calls[j, DATA])
