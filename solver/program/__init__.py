"""A compiled diagram before it runs: everything as arrays and tables of operations.

In: `Flat`. Out: `Program`.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
