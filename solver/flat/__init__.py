"""What the compiler gets: nested netlists opened down to leaf blocks, wires, widths and places.

In: `Diagram`. Out: `Flat`.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
