"""Questions about a model that are no run: equilibria, linearisation, modes, frequency responses, advice.

Linear models see a block with memories as its `echo` (`blocks/block.py`; `signals/continuous_equivalents.py` of what is
sampled): `flatten/discrete_as_states.py` puts states in its place, whose rates are what a memory becomes less what it
is; `sampled_loops.py` makes of that exact responses of delays and the map over the samplers' common period.
`bounded_roots.py` has the roots, part by part: `eigenvalues.py` of matrices, with bounds, `delay_eigenvalues.py` of
delays, counted, `sampled_roots.py` of maps. `stability_margins.py` has the loop cut at a port from what a probe there
adds to the closed one; `root_locus.py` follows roots. `perturbed_runs.py` makes runs beside an answer,
`confirmation.py` the table of them.

Derivatives are exact (`codegen/transforms`) but in these places. Statics of a start (`initial/static_equilibrium.py`)
takes differences: it moves angles and lengths alone, takes some ms of a start, and code with derivatives takes seconds
where it is not there yet; that a start went by what the cache holds would be worse. Assembly and posing have
Jacobians of their own. The closure makes its last correction although it is below rounding: with it the tangents of
dependent coordinates are those of the implicit function theorem. `implicit` takes differences by each state's own
size (it is a W-method: its order holds with any matrix).
"""
