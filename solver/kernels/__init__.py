"""Kernels over arrays: plain Python that numba compiles, and that runs the same without it."""
