"""Replacement of libm calls in LLVM text by calls of luff's own implementations."""

from __future__ import annotations

import re

from .ieee_math import MATHEMATICS
from .jit import own_symbol

OWN_SYMBOLS = frozenset(map(own_symbol, MATHEMATICS))
PURE = "nounwind willreturn memory(none)"  # pure functions
# as numba writes them: LLVM intrinsics, or names of the C library
_NAMES = "|".join(sorted(MATHEMATICS))
_CALLED = re.compile(rf"@(?:llvm\.({_NAMES})\.f64|({_NAMES}))(?=\()")
_DECLARED = re.compile(r"^declare double (@luff_\w+\([^)]*\)).*\n", re.MULTILINE)


def with_own_libm(text: str) -> str:
    """LLVM text with calls of luff's libm in place of others."""
    text, calls = _CALLED.subn(lambda match: f"@{own_symbol(match[1] or match[2])}", text)
    if not calls:
        return text
    declared = sorted(set(_DECLARED.findall(text)))
    return _DECLARED.sub("", text) + "".join(f"declare double {one} {PURE}\n" for one in declared)
