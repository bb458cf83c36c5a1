"""One source, many numbers: entry points, compiled for floats, rewritten for lanes and duals.

Lanes. This folder makes of an entry point one that works on several runs at once: LLVM's text before numba optimises it
(kept with the object code, `kept.py`, since numba takes most of the time), helpers inlined, is read (`text.py`;
tuples in registers entry by entry, `arrays.py`), pointers are divided into those to floats and to the group's
integers (`kinds.py`), and each double becomes a vector (`vector.py`). Where lanes differ, the copy for one lane goes
on at that place (`single.py`); a function that writes integers or calls by address says instead that the group is
left. `run/lanes.py` interleaves the memory of several instances (`widened.py`); `run/abreast.py` decides for a batch
whether that pays, and has runs leave and meet again. `run/gym/fleet.py` does the same for environments, whose
sessions keep what is not in a group: the memory of all groups lies together (`Groups`), so that a control step looks
once at all of them.

Derivatives. The same text makes an entry point for numbers with eight tangents (`dual.py`, rules of functions in
`rules.py`): a float of memory is nine, branches and integers follow the value, whose bits are those of a single run.
An instruction or a function without a rule makes no code, and its reason is kept in its place.

- `run/slopes.py` has one evaluation of an instance so;
- `analysis/derivatives.py` takes differences where there is none, and judges rounding and kinks;
- `analysis/resting.py` has an equilibrium's forces at rest with them, by kernels behind the rates;
- `analysis/sensitivity.py` makes whole runs.
"""
