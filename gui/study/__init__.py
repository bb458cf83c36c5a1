"""Studies in the window: parameters to vary, numbers to measure, the variants' table and figures.

In: a document, and a study file. Out: a study file, runs of its variants.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
