"""Questions about a model that are no run: equilibria, linearisation, modes, frequency responses, advice.

In: `Simulation`. Out: small records with tables and pictures.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
