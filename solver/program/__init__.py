"""A compiled diagram before it runs: everything as arrays and tables of operations.

What switches with the state declares `crossing_<name>`, a number that changes its sign there: the table `sides`
computes them after each step from what the last stage left, for counts; `crossings`, with all that they need, where
`events: locate` ends steps there. Each comparison in an `expression` is such a crossing, decided at the start of a
step (`program/expression_blocks.py`). A `state_machine` is tables of numbers that one function works out
(`blocks/signals/statechart.py`, `blocks/signals/postfix_programs.py`), so that no chart needs code of its own;
`blocks/signals/statechart_checks.py` says what it cannot be. A valve declares `opening_<name>`: a step in which it
opens too far, or in whose stages its slopes do not hold, is taken in parts (`integrators/substeps.py`).

What must not fall below zero declares `room_<name>`, and a run tells where it did. Oil has a content as its state,
which is kept, and a pressure that follows from it (`blocks/hydraulics/oil_properties.py`).

Operations on one flat work space: places of scalars, calls of block functions, their order.
"""
