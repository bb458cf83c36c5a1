"""Code generation: Python functions to cached machine code, and arrays that Python and compiled code share.

Imports nothing of luff. An entry point is compiled once, alone, in a subprocess (`compile_pool.py`,
`compile_worker.py`, `numba_compile.py`, `lowering.py`). Its object code is stored under the digest of sources, compiler
and processor (`object_store.py`), behind a digest of its own content without which it is not loaded, and is loaded by
llvmlite (`object_loader.py`): a run of a known model imports no numba. `python_subprocess.py` starts every interpreter,
with the path of its parent and without the current folder. A run asks for all its entry points at once
(`integrators/preload.py`), so that they compile in parallel. A wheel carries code for the baseline processor of a
family, and the bitcode of which FMUs and pages are made (`prebuilt_objects.py`; `simulation/ahead_of_time.py` makes
both, for other systems by LLVM alone); it is used where the user's cache has nothing. No fastmath. With
`NUMBA_DISABLE_JIT=1` tables are lists of plain calls.

A diagram is not fused into machine code of its own: an operation costs 3 to 6 ns, thirty signal blocks 0.1 us of an
evaluation of 1.8 us. In a chain of 1,000 blocks, each waiting for the one before, fused code was four times faster a
step, and took 100 s to compile.
"""

from . import libm as libm  # its functions are found by name
from . import object_loader as object_loader
