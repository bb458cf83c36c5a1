"""Code of a model for whatever processor, which needs nothing there but what a C library rounds and moves."""

from __future__ import annotations

from collections.abc import Sequence

from ...blocks.errors import CompileError
from ..codegen import cross_compile
from ..codegen.jit import EntryPoint

# functions of the C library that compiled code may call
_MATHS = (
    "ceil copysign erf erfc fabs floor fma fmax fmin fmod frexp ldexp lgamma memcpy memmove memset nearbyint remainder"
    " rint round sqrt tgamma trunc"
)
MATHS = frozenset(_MATHS.split())
Code = dict[str, tuple[list[str], bytes]]  # by symbol: names that it needs, and bitcode


def bitcode_of(entries: Sequence[EntryPoint]) -> Code:
    """Code of entry points with all that they call; refused where that is more than a C library has."""
    code = cross_compile.bitcode(entries)
    for name in sorted(cross_compile.external_symbols(code) - MATHS):
        callers = {symbol for symbol, (needed, _) in code.items() if name in needed}
        owner = next((one for one in entries if one.symbol in callers), None)
        raise CompileError(
            f"its compiled code calls {name}, which no C library has", path=getattr(owner, "label", "")
        )
    return code
