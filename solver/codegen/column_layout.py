"""Column numbers of an array, a named column a line, so that no offset is counted by hand.

    column = Columns()
    MASS = column()  # m [kg]
    FIRST_MOMENT = column(3)  # h [kg m]
    BODY_COLUMNS = column.count

The names stay plain module constants, which compiled code folds.
"""

from __future__ import annotations


class Columns:
    """Running column number of one array; `count` is the number of columns so far."""

    def __init__(self) -> None:
        """Start at column 0."""
        self.count = 0

    def __call__(self, width: int = 1) -> int:
        """Number of the next column; reserves `width` columns for it."""
        first = self.count
        self.count += width
        return first
