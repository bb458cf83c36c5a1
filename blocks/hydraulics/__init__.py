"""Blocks of oil circuits: sources, valves, lines, pumps, cylinders.

What flows through an element has one law: its outputs at both ports repeat it (`repeats`). Oil and shafts are
circuits (`program/circuit_operations.py`): at each node one port gives the pressure or the speed, and reads the sum of
the flows or torques of the others. A joint's `shaft` stands for its velocity and adds to its effort (`stand_ins`), so
that the mechanism knows nothing of it. Drives by signals and by shafts share laws and parameters
(`drives/drive_trains.py`, `drives/shaft_line.py`). What sticks does so by one law:
`blocks/mechanics/bristle_friction.py` about an axis, `kernels/stiction.py` in a plane, whose two states an element has
in `Data.element_out`.
"""
