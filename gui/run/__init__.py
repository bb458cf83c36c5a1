"""A run beside the window: a thread that compiles and advances, the orders to it, what is kept of its rows.

In: a diagram and orders. Out: history, poses, a result file.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
