"""Mechanism as arrays: spanning tree of one-coordinate rows, constraints, friction, mechanical states."""
