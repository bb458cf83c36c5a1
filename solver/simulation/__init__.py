"""Runs: `Simulation` compiles and sets, `Session` runs in chunks of steps without the interpreter's lock.

`run_state.py` is shared by both halves of a session; `stepping.py` is the half that scripts drive.
`integrators/method_table.py` lists the methods. `diagnostics/step_error.py` tests steps aside, at instants and at sign
changes (the loop returns there: `PAUSE`; `diagnostics/step_doubling.py`), and judges the step size;
`diagnostics/energy_balance.py` checks the Newton-Euler equations apart from the kernels. `parameters.py` writes numbers
of models of equal form to their places in a program (`mechanism/model_packing.py`, `program/work_space.py: Slots`).
"""

from ...blocks.errors import RunError
from ..codegen import failures

failures.not_kept = RunError  # the compiler knows no class of luff
