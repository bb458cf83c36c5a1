"""From Python functions to machine code that is kept, and to arrays that both sides see.

An entry point is compiled once, alone, in a process beside (`compile_pool.py`, `compile_worker.py`, `numba_compile.py`,
`lowering.py`), kept under the digest of its sources, compiler and processor (`object_store.py`), behind a digest of its
own content without which it is not loaded, and loaded by llvmlite (`object_loader.py`): a run of a known model imports
no numba. Every interpreter is started by `python_subprocess.py`, with the path of its parent and without the current
folder. All that a run calls is asked for at once (`integrators/preload.py`), so that processors work side by side. A
wheel carries code for the least processor of a family, and the bitcode of which FMUs and pages are made
(`prebuilt_objects.py`; `simulation/ahead_of_time.py` makes both, for other systems by LLVM alone), which is looked at
where the user's own cache has nothing. No fastmath. With `NUMBA_DISABLE_JIT=1` tables are lists of plain calls.

A diagram is not fused into machine code of its own: an operation costs 3 to 6 ns, thirty signal blocks 0.1 us of an
evaluation of 1.8 us. In a chain of 1,000 blocks, where each waits for the one before, fused code was four times
faster a step, and took 100 s to make.
"""

from . import libm as libm  # its functions are found by name
from . import object_loader as object_loader
