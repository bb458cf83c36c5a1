"""Runs: work spaces of their own, chunks of steps without the interpreter's lock, quality of what came out.

`Simulation` compiles and sets; `Session` runs; `simulation/run_state.py` is what both halves of a session share,
`stepping.py` what scripts do with it. `integrators/method_table.py` is the table of methods.
`diagnostics/step_error.py` takes steps aside, at instants and at changes (the loop returns there: `PAUSE`;
`diagnostics/step_doubling.py`), and judges whether the step was short enough; `diagnostics/energy_balance.py` checks
Newton and Euler apart from the kernels. `realtime/served_run.py` hands a number straight to its places, which packing
wrote too (`mechanism/model_packing.py`, `program/work_space.py: Slots`); `netlist/read_source.py` proves where the runs
of a batch may do without programs of their own, or with programs whose numbers alone are written and that are started
(`studies/study_variants.py`).
"""

from ...blocks.errors import RunError
from ..codegen import failures

failures.not_kept = RunError  # the compiler knows no class of luff
