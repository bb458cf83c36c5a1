"""Code transforms: entry points compiled for floats, rewritten for SIMD lanes and for dual numbers.

Lanes. An entry point is rewritten to work on several runs at once. Numba's LLVM text before optimisation (stored with
the object code, `ir_cache.py`, since numba takes most of the time), helpers inlined, is parsed (`ir_parser.py`; tuples
in registers split by `array_scalars.py`). Pointers are classified as to floats or to the group's integers
(`pointer_kinds.py`), and each double becomes a vector (`vectorise.py`). Where lanes diverge, a copy for one lane
continues from that place (`scalar_lane.py`); a function that writes integers or calls by address reports divergence
instead. `batch/simd_memory.py` interleaves the memory of several instances (`simulation/dual_memory.py`);
`batch/simd_group.py` decides for a batch whether lanes pay, and lets runs leave and rejoin.
`batch/gym/environment_lanes.py` does so for environments: the memory of all groups lies together (`Groups`), so that a
control step looks at all of them at once.

Derivatives. The same text becomes an entry point for numbers with eight tangents (`dual_rewrite.py`, rules of
functions in `derivative_rules.py`): a float of memory becomes nine, branches and integers follow the value, whose bits
are those of a single run. An instruction or function without a rule gives no code; the reason is stored in its place.

- `simulation/jacobian.py` differentiates one evaluation of an instance;
- `analysis/model_derivatives.py` takes differences where there is no dual code, and judges rounding and kinks;
- `analysis/static_residual.py` differentiates the static residual, by kernels behind the rates;
- `analysis/sensitivity.py` differentiates whole runs.
"""
