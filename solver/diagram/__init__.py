"""The diagram as a document: what a netlist says, checked piece by piece and edited with an exact inverse.

In: the text of a netlist. Out: `Diagram`, settings, schema and reference.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
