"""What everything in the window is drawn with: colours, icons, symbols, small widgets, the catalog of blocks.

In: nothing. Out: style and widgets.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
