"""Functions made from text, with their source kept where `inspect` and tracebacks find it."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from functools import cache
from itertools import count

_numbers = count(1)


@cache
def function_from(source: str, *helpers: Callable[..., object]) -> Callable[..., object]:
    """The one function that `source` defines; it sees `math` and the helpers by name.

    Equal sources give one function, so that blocks of one shape share its compiled form.
    """
    file = f"<block function {next(_numbers)}>"
    namespace: dict[str, object] = {"math": math, **{helper.__name__: helper for helper in helpers}}
    before = set(namespace)
    exec(compile(source, file, "exec"), namespace)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    (name,) = set(namespace) - before - {"__builtins__"}
    function = namespace[name]
    assert callable(function)
    return function
