"""Geometry of a diagram without Qt: places of ports, routes of wires, automatic layout.

In: blocks, ports, wires as plain data. Out: rectangles and paths.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
