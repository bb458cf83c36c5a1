"""The mechanism in three dimensions.

In: a program and poses. Out: a picture of the mechanism.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
