"""Bitcode for addresses of 32 bits: what passes between entry points is words, and what cannot be is refused."""

from __future__ import annotations

import pytest
from llvmlite import binding

from luff.solver.codegen import cross_compile
from luff.solver.codegen.wasm32 import WordSizeError, with_word_arguments

MODULE = """
declare ptr @luff_other(ptr, i64, double)
declare double @sin(double)
define void @luff_entry(i64 %.1, i64 %.2) {
  %.3 = inttoptr i64 %.1 to ptr
  %.4 = load i64, ptr %.3, align 8
  %code = inttoptr i64 %.4 to ptr
  %.5 = tail call ptr @luff_other(ptr nonnull %.3, i64 7, double 1.5), !noalias !0
  tail call void %code(ptr %.3, ptr null)
  %.6 = call double @sin(double 2.0)
  ret void
}
!0 = !{}
"""


def test_entry_points_are_given_words() -> None:
    text = with_word_arguments(MODULE)
    assert "declare void @luff_other(i64, i64, double)" in text
    assert text.count("ptrtoint") == 3
    assert "ptr @luff" not in text
    codes = {"luff_entry": ([], binding.parse_assembly(MODULE).as_bitcode())}
    made = cross_compile.native_objects(codes, cross_compile.MACHINES["wasm32"])  # in a process of its own
    assert made["luff_entry"].startswith(b"\0asm")


@pytest.mark.parametrize(
    "line",
    [
        "  %.9 = load ptr, ptr %.3, align 8",
        "  %.9 = alloca { ptr, i64 }, align 8",
        "  %.9 = getelementptr inbounds { ptr, i64 }, ptr %.3, i64 1",
        "  tail call void %code(ptr byval([4 x i8]) align 8 %.3)",
    ],
)
def test_what_counts_on_addresses_of_64_bits_is_refused(line: str) -> None:
    with pytest.raises(WordSizeError):
        with_word_arguments(line)
