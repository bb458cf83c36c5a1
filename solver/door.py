"""A quick way from Python into one generated function, for whoever calls it thousands of times.

Numba unpacks every argument of a call from Python anew; the table of kernels alone takes half a millisecond, a hundred
times what an evaluation takes. A door keeps all arguments but time, states and result in native memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from .jit import ENABLED, compiled, f1
from .kernels.table import EVALUATE_TYPE, KERNELS
from .layout import DATA, MODEL

f8, i8 = types.float64, types.int64
KEPT = types.Tuple((EVALUATE_TYPE, f1, f1, MODEL, DATA, KERNELS))
WORDS = 256  # room for one; checked where it is written
_intrinsic: Any = intrinsic  # the caller does not pass the first argument


@_intrinsic
def _put(context: Any, address: Any, value: Any) -> Any:
    def lowered(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, kept = arguments
        if target.get_abi_sizeof(kept.type) > 8 * WORDS:
            raise TypeError("the arguments of an evaluation outgrow their door")
        builder.store(kept, builder.inttoptr(number, kept.type.as_pointer()), align=8)
        return target.get_dummy_value()

    return types.void(i8, KEPT), lowered


@_intrinsic
def _take(context: Any, address: Any) -> Any:
    def lowered(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = target.get_value_type(KEPT)
        return builder.load(builder.inttoptr(arguments[0], kind.as_pointer()), align=8)

    return KEPT(i8), lowered


@compiled(types.void(i8, EVALUATE_TYPE, f1, f1, MODEL, DATA, KERNELS))
def keep(address, function, p, mem, m, d, k):
    _put(address, (function, p, mem, m, d, k))


@compiled(types.void(i8, f8, f1, f1))
def through(address, t, x, y):
    function, p, mem, m, d, k = _take(address)
    function(t, x, y, p, mem, m, d, k)


class Door:
    """`door(t, x, y)` is `function(t, x, y, *arguments)`; the arrays among the arguments must stay where they are."""

    def __init__(self, function: Any, arguments: tuple[Any, ...]):
        self.function, self.arguments = function, arguments
        self._native = ENABLED and isinstance(function, Dispatcher)  # interpreted code is called as it is
        self._room = np.zeros(WORDS, np.int64)
        self._address = self._room.ctypes.data
        if self._native:
            keep(self._address, function, *arguments)

    def __call__(self, t: float, x: np.ndarray, y: np.ndarray) -> None:
        if self._native:
            through(self._address, t, x, y)
        else:
            self.function(t, x, y, *self.arguments)
