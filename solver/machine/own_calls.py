"""Calls of functions of mathematics in LLVM's text, as calls of luff's own."""

from __future__ import annotations

import re

from .jit import own_symbol
from .lenient import MATHEMATICS

# functions of mathematics, as numba writes them: what LLVM knows by a name of its own, the C library's others
CALLED = re.compile(rf"@(?:llvm\.({'|'.join(MATHEMATICS)})\.f64|({'|'.join(MATHEMATICS)}))(?=\()")


def with_own_mathematics(text: str) -> str:
    """LLVM's text with luff's own functions, which know nothing but their numbers, in place of others."""

    def own(match: re.Match[str]) -> str:
        return f"@{own_symbol(match[1] or match[2])}"

    lines, declared = [], set[str]()
    for line in text.split("\n"):
        new = CALLED.sub(own, line)
        if new != line and line.startswith("declare"):
            new = f"{new[: new.index(')') + 1]} nounwind willreturn memory(none)"
            if new in declared:
                continue
            declared.add(new)
        lines.append(new)
    return "\n".join(lines)
