"""Integrators: one file a family; `method_table.py` has the table of them."""
