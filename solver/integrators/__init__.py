"""Integrators: one file a family; `methods.py` has the table of them."""
