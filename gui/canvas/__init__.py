"""The canvas: blocks, ports and wires of a document, and the gestures that edit it.

In: a document. Out: a widget whose gestures edit it.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
