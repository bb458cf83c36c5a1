"""Results: signals by name as arrays, streamed to files, exported, reduced to figures and drawn.

In: rows of a run. Out: `Result`, files, pictures.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
