"""What the compiler gets: nested netlists opened down to leaf blocks, wires, widths and places.

In: `Diagram`. Out: `Flat`.
May import: diagram and what is left of it.
"""
