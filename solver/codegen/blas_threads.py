"""Threads of the OpenBLAS that wheels of numpy carry: one while matrices of mechanisms are solved.

These are small or come in blocks; threads only cost their start, and wait for each other where all processors are busy.
The command line says so in the environment, which is too late for a program that has imported numpy. Other builds of
numpy keep their own setting.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np

GET, SET = "scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"
_lock = Lock()
_users: list[int] = []  # of each user at present: number of threads before the first


@cache
def thread_functions() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Functions that get and set the number of threads of numpy's OpenBLAS; None for another library."""
    folder = Path(np.__file__).parent.with_name("numpy.libs")
    for file in sorted(folder.glob("*openblas*")) if hasattr(os, "RTLD_NOLOAD") else ():
        try:
            library = ctypes.CDLL(str(file), mode=os.RTLD_NOLOAD)
            return getattr(library, GET), getattr(library, SET)
        except (OSError, AttributeError):
            continue
    return None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep numpy's OpenBLAS at one thread; the last of those that ask for it at a time restores the number before."""
    functions = thread_functions()
    if functions is None:
        yield
        return
    count, limit = functions
    with _lock:
        _users.append(_users[0] if _users else count())
        limit(1)
    try:
        yield
    finally:
        with _lock:
            before = _users.pop()
            if not _users:
                limit(before)
