"""Runs: work spaces of their own, chunks of steps without the interpreter's lock, quality of what came out.

`Simulation` compiles and sets; `Session` runs; `run/state.py` is what both halves of a session share, `stepping.py`
what scripts do with it. `integrators/methods.py` is the table of methods. `trust.py` takes steps aside, at instants
and at changes (the loop returns there: `PAUSE`; `step_doubling.py`), and judges whether the step was short enough;
`balance.py` checks Newton and Euler apart from the kernels. `live.py` hands a number straight to its places, which
packing wrote too (`mechanism/homes.py`, `table/places.py: Slots`); `given.py` proves where the runs of a batch
may do without programs of their own, or with programs whose numbers alone are written and that are started
(`variants.py`).
"""
