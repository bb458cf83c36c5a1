"""Calls of functions of mathematics in LLVM's text, as calls of luff's own."""

from __future__ import annotations

import re

from .ieee_math import MATHEMATICS
from .jit import own_symbol

OWN_SYMBOLS = frozenset(map(own_symbol, MATHEMATICS))
PURE = "nounwind willreturn memory(none)"  # they know nothing but their numbers
# as numba writes them: what LLVM knows by a name of its own, the C library's others
_NAMES = "|".join(sorted(MATHEMATICS))
_CALLED = re.compile(rf"@(?:llvm\.({_NAMES})\.f64|({_NAMES}))(?=\()")
_DECLARED = re.compile(r"^declare double (@luff_\w+\([^)]*\)).*\n", re.MULTILINE)


def with_own_libm(text: str) -> str:
    """LLVM's text with luff's own functions in place of others."""
    text, calls = _CALLED.subn(lambda match: f"@{own_symbol(match[1] or match[2])}", text)
    if not calls:
        return text
    declared = sorted(set(_DECLARED.findall(text)))
    return _DECLARED.sub("", text) + "".join(f"declare double {one} {PURE}\n" for one in declared)
