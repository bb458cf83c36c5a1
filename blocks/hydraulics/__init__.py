"""Blocks of oil circuits: sources, valves, lines, pumps, cylinders."""
