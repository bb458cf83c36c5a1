"""Kernels over arrays: plain Python that numba compiles, and that runs the same without it.

In: `Model` and `Data`. Out: positions, accelerations, reactions and energies in `Data`.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
