"""Symbols of the blocks, one file a family."""
