"""Flattening: nested netlists opened down to leaf blocks, wires, widths and places."""
