"""The property panel: editors generated from the declarations of a block's parameters.

In: a document and what is selected. Out: a panel of editors.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
