"""Integrators: one file a family; `methods.py` has the table of them.

In: a `Run`: tables of addresses, states. Out: the same some steps later, rows of outputs.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
