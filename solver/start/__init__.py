"""The first state of a mechanism with constraints: assembled, at rest if asked, coordinates chosen.

In: `Mechanism`, `Model`, given values. Out: states and `Data`, ready to run.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
