"""A compiled diagram before it runs: everything as arrays and tables of operations.

In: `Flat`. Out: `Program`.
May import: all folders left of it (see ARCHITECTURE.md).
"""
