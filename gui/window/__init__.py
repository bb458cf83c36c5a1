"""The main window: its parts, menus and what they order.

In: documents and runs. Out: the user's session.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
