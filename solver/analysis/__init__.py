"""Questions about a model that are no run: equilibria, linearisation, modes, frequency responses, advice.

Linear models see a block with memories as its `echo` (`block.py`; `signals/remembered.py` of what is sampled):
`flat/remembered.py` puts states in its place, whose rates are what a memory becomes less what it is; `loops.py`
makes of that exact responses of delays and the map over the samplers' common period. `spectrum.py` has the roots, part
by part: `eigenvalues.py` of matrices, with bounds, `delayed.py` of delays, counted, `sampled.py` of maps. `margins.py`
has the loop cut at a port from what a probe there adds to the closed one; `locus.py` follows roots. `kicked.py` makes
runs beside an answer, `confirm.py` the table of them.

Derivatives are exact (`machine/numbers`) but in these places. Statics of a start (`start/statics.py`) takes
differences: it moves angles and lengths alone, takes some ms of a start, and code with derivatives takes seconds
where it is not there yet; that a start went by what the cache holds would be worse. Assembly and posing have
Jacobians of their own. The closure makes its last correction although it is below rounding: with it the tangents of
dependent coordinates are those of the implicit function theorem. `implicit` takes differences by each state's own
size (it is a W-method: its order holds with any matrix).
"""
