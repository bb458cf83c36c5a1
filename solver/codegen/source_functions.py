"""Entry points from source text: functions of blocks, wrapped to read and write places of the work space."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from .ieee_math import lenient_math
from .intrinsics import part
from .jit import ENABLED, EntryPoint, Helper, _digest

NAME = "operation"
# as in compiled code, math gives NaN and infinity where Python's own raises
CALLS: dict[str, Any] = {"math": math if ENABLED else lenient_math, "part": part}


class Function(EntryPoint):
    """Entry point `operation(w, a)` from source text; `names` are the helpers in it."""

    def __init__(self, source: str, names: tuple[str, ...], label: str):
        self.source, self.names, self.label = source, names, label
        self.key = _digest(source.encode())
        super().__init__(plain(source, label), ("w", "a"), f"luff_operation_{self.key}")

    def __reduce__(self) -> str | tuple[object, ...]:
        return function, (self.source, self.names, self.label)

    @property
    def digest(self) -> str:  # type: ignore[override]
        return self.key


@cache
def plain(source: str, label: str) -> Callable[..., Any]:
    """Plain Python function of the text; its lines are registered for tracebacks."""
    return defined(source, label)[NAME]


def defined(source: str, label: str, names: Iterable[str] = ()) -> dict[str, Any]:
    """Namespace of the executed text; functions in `names` become helpers."""
    file = f"<{label}>"
    namespace = dict(CALLS)
    exec(compile(source, file, "exec"), namespace)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    for name in names:
        namespace[name] = Helper(namespace[name])
    return namespace


@cache
def function(source: str, names: tuple[str, ...], label: str) -> Function:
    """Function of a text; equal texts give the same entry point."""
    return Function(source, names, label)
