"""Live plots and what they export.

In: a history and a theme. Out: live plots, pictures, tables.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
