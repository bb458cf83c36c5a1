"""The mechanism as numbers: a spanning tree of one-coordinate rows, constraints, friction, states.

In: parts of blocks and the bonds between their frames. Out: `Mechanism`, `Model`.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
