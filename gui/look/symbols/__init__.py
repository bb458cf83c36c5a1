"""Symbols of the blocks, one file a family."""

from .draw import draw_symbol as draw_symbol
from .draw import symbol_of as symbol_of
