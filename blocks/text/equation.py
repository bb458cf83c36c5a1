"""Equations that are one expression: no function has to be compiled for them."""

from __future__ import annotations

import ast

from ..light_dataclass import record


@record
class Formula:
    """An expression; names are inputs, `t`, and those of `numbers`, the derived array of that name."""

    tree: ast.expr
    numbers: tuple[str, ...] = ()
