"""Multibody kernels over arrays: plain Python that numba compiles and that runs unchanged without it.

Each kernel takes (m, d): the constant `Model` and the work space `Data` (`model_data.py`, which names every column).
Suffixes of frames: W world, B body of a row, F frame on a body, P parent. Units are SI.
"""
