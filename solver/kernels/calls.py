"""Doors from Python to generated functions, which have none of their own; and the update of a model without any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jit import compiled, f1, types
from ..layout import DATA, MODEL
from .table import EVALUATE, EVALUATE_TYPE, KERNELS, UPDATE, UPDATE_TYPE

f8, i8 = types.float64, types.int64


@compiled(types.void(EVALUATE_TYPE, f8, f1, f1, f1, f1, MODEL, DATA, KERNELS))
def evaluate(function, t, x, y, p, mem, m, d, k):
    function(t, x, y, p, mem, m, d, k)


@compiled(types.void(UPDATE_TYPE, i8, f8, f1, f1, f1, MODEL, DATA, KERNELS))
def step(function, number, t, x, p, mem, m, d, k):
    function(number, t, x, p, mem, m, d, k)


@compiled(UPDATE)
def idle(step, t, x, p, mem, m, d, k):
    """The update where no block is sampled."""


def caller(signature: Any) -> Callable[..., Any]:
    """The door that fits a generated function."""
    return evaluate if signature.args == EVALUATE.args else step
