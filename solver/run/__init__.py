"""Runs: work spaces of their own, chunks of steps without the interpreter's lock, quality of what came out.

In: `Program`. Out: rows, `Result`.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
