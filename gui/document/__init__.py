"""A diagram with its undo stack: every edit of the window is one command here.

In: `Diagram`. Out: `Document` and its signals.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
