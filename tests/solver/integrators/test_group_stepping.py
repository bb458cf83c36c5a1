"""Steps of many groups by one call."""

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from luff.solver.integrators.group_stepping import advance_groups

PLAIN: Callable[..., object] = getattr(advance_groups, "function", advance_groups)  # without the compiler


@pytest.mark.parametrize("advance", [advance_groups, PLAIN], ids=["compiled", "plain"])
def test_memory_is_kept_as_it_was_before_the_call(advance: Callable[..., object]) -> None:
    memory, kept = np.arange(15.0).reshape(3, 5), np.zeros((3, 2))
    before, given = memory.copy(), []

    @ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    def code(*words: int) -> None:
        given.append(words)
        memory[:] = -1.0  # what steps leave behind

    at = ctypes.cast(code, ctypes.c_void_p).value
    advance(memory, kept, np.array([[2, at, 1, 2, 3], [0, at, 4, 5, 6]]))
    assert given == [(1, 2, 3), (4, 5, 6)]
    np.testing.assert_array_equal(kept[2], before[2, 3:])  # the first three are the model's own
    np.testing.assert_array_equal(kept[:2], [[-1.0, -1.0], [0.0, 0.0]])
