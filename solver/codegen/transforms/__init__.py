"""One source, many numbers: entry points, compiled for floats, rewritten for lanes and duals.

Lanes. This folder makes of an entry point one that works on several runs at once: LLVM's text before numba optimises it
(kept with the object code, `ir_cache.py`, since numba takes most of the time), helpers inlined, is read
(`ir_parser.py`; tuples in registers entry by entry, `array_scalars.py`), pointers are divided into those to floats and
to the group's integers (`pointer_kinds.py`), and each double becomes a vector (`vectorise.py`). Where lanes differ, the
copy for one lane goes on at that place (`scalar_lane.py`); a function that writes integers or calls by address says
instead that the group is left. `batch/simd_memory.py` interleaves the memory of several instances
(`simulation/dual_memory.py`); `batch/simd_group.py` decides for a batch whether that pays, and has runs leave and meet
again. `batch/gym/environment_lanes.py` does the same for environments, whose sessions keep what is not in a group: the
memory of all groups lies together (`Groups`), so that a control step looks once at all of them.

Derivatives. The same text makes an entry point for numbers with eight tangents (`dual_rewrite.py`, rules of functions
in `derivative_rules.py`): a float of memory is nine, branches and integers follow the value, whose bits are those of a
single run. An instruction or a function without a rule makes no code, and its reason is kept in its place.

- `simulation/jacobian.py` has one evaluation of an instance so;
- `analysis/model_derivatives.py` takes differences where there is none, and judges rounding and kinks;
- `analysis/static_residual.py` has an equilibrium's forces at rest with them, by kernels behind the rates;
- `analysis/sensitivity.py` makes whole runs.
"""
