"""The mechanism as numbers: a spanning tree of one-coordinate rows, constraints, friction, states."""
