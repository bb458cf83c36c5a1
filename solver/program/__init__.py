"""Program: a compiled diagram before it runs, as arrays and tables of operations on one flat work space.

A block that switches with the state declares `crossing_<name>`, a switching function. The table `sides` evaluates them
after each step from what the last stage left, for counts; `crossings`, with all operations they need, where
`events: locate` ends steps there. Each comparison in an `expression` is such a function, decided at the start of a step
(`program/expression_blocks.py`). A `state_machine` is tables of numbers that one function evaluates
(`blocks/signals/statechart.py`, `blocks/signals/postfix_programs.py`), so that no chart has code of its own;
`blocks/signals/statechart_checks.py` says what it cannot be. A valve declares `opening_<name>`: a step in which it
opens too far, or in whose stages its slopes do not hold, is divided (`integrators/substeps.py`).

A quantity that must not fall below zero declares `room_<name>`, and a run reports where it did. Oil has its content as
state, which is conserved, and a pressure that follows from it (`blocks/hydraulics/oil_properties.py`).
"""
