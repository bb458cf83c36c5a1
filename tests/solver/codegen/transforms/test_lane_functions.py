"""Single entry points in lanes: every lane has the bits of the same code for one, whatever its numbers decide."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from luff.solver.codegen import numba_compile, object_loader, object_store
from luff.solver.codegen.compile_pool import compile_job_of
from luff.solver.codegen.compile_worker import compile_answer
from luff.solver.codegen.jit import ENTRY_POINTS, EntryPoint
from luff.solver.codegen.memory_arena import cache_line_aligned
from luff.solver.codegen.source_functions import Function
from luff.solver.codegen.transforms.entry_point_variants import LANES, dual, in_lanes
from luff.solver.codegen.transforms.variant_compile import compile_bitcode, compile_variant
from luff.tests.conftest import about_compiling

pytestmark = about_compiling
SIZE = 12

CASES = {
    "a branch by value": """
    if w[0] > w[1]:
        w[2] = math.sin(w[0]) / w[1]
        w[3] += 1.0
    else:
        w[2] = w[0] * w[0]
    w[4] = w[2] + w[3]""",
    "a branch that all take alike": """
    if a[0] > 2:
        w[2] = w[0] - w[1]
    w[3] = w[2] * 2.0""",
    "as many rounds as the value says": """
    x, n = abs(w[0]), 0
    while x < 100.0 and n < 50:
        x = 1.5 * x + 1.0
        n += 1
    w[2] = x
    w[3] = n""",
    "an index by value": """
    k = int(abs(w[0])) % 4
    w[4 + k] = w[1]
    w[8] = w[4 + (k + 1) % 4]""",
    "one of several tuples": """
    rows = ((w[0], w[1], w[2]), (w[3], w[4], 2.0), (w[1] * w[2], w[5], w[0]))
    row = rows[a[0] % 3]
    if a[1] > 0:
        row = (row[2], w[6], row[0])
    other = rows[a[2] % 3]
    w[7] = row[0] * row[1] - row[2]
    w[8] = other[a[1] % 3] + row[a[2] % 3]""",
    "comparisons with what is no number": """
    x = math.sqrt(w[0])
    w[2] = 1.0 if x > 1.0 else 2.0
    w[3] = 1.0 if not x <= 1.0 else 2.0
    w[4] = min(x, w[1])
    w[5] = max(w[1], x)
    w[6] = x if x == x else -1.0""",
    "functions of the C library": """
    w[2] = math.atan2(w[0], w[1])
    w[3] = math.exp(-abs(w[0])) + math.log(abs(w[1]))
    w[4] = abs(w[0]) ** 0.3
    w[5] = math.copysign(w[0], w[1])
    w[6] = math.tanh(w[0]) + math.hypot(w[0], w[1])""",
    "loops in loops": """
    for i in range(a[0]):
        for j in range(3):
            if w[j] < 0.5 * i:
                w[5 + j] += w[i % 3] * (j - 1.5)
            else:
                w[9] -= 1.0""",
}


def function_of(body: str) -> Function:
    return Function(f"def operation(w, a):\n    {body.strip()}\n", (), "test of lanes")


def called(entry: EntryPoint) -> Callable[[int, int], None]:
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(object_loader.address_of(entry))


def agree(entry: Function, numbers: np.ndarray, places: np.ndarray) -> None:
    """`numbers`: a row of each lane."""
    wide = cache_line_aligned(numbers.T.ravel())
    called(in_lanes(entry))(wide.ctypes.data, places.ctypes.data)
    for lane, row in enumerate(numbers):
        alone = row.copy()
        called(entry)(alone.ctypes.data, places.ctypes.data)
        np.testing.assert_array_equal(wide.reshape(-1, LANES)[:, lane], alone, err_msg=f"lane {lane}")


@pytest.mark.parametrize("name", CASES)
def test_lanes_have_the_bits_of_one(name: str) -> None:
    entry, places = function_of(CASES[name]), np.array([5, 1, 2])
    rng = np.random.default_rng(1)
    agree(entry, np.tile(rng.normal(size=SIZE), (LANES, 1)), places)  # all alike: they never part
    for scale in (0.1, 1.0, 30.0):
        agree(entry, scale * rng.normal(size=(LANES, SIZE)), places)
    odd = rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 1e-310, 1e300, 3.0], (LANES, SIZE))
    agree(entry, odd, places)


PLACE = st.integers(0, SIZE - 1)
TERMS = st.sampled_from(
    [
        "w[{}] + w[{}]",
        "w[{}] * w[{}]",
        "w[{}] - 2.0 * w[{}]",
        "math.cos(w[{}]) * w[{}]",
        "w[{}] / (1.0 + w[{}] ** 2)",
    ]
)


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """Lines of a function that branches, repeats and ends early by what it computes."""
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        a, b, c = draw(PLACE), draw(PLACE), draw(PLACE)
        kind = draw(st.integers(0, 5 if depth < 3 else 1))
        if kind <= 1:
            lines.append(f"w[{c}] = {draw(TERMS).format(a, b)}")
        elif kind <= 3:
            lines += [f"if w[{a}] < w[{b}]:", *indented(draw(bodies(depth + 1)))]
            if kind == 3:
                lines += ["else:", *indented(draw(bodies(depth + 1)))]
        elif kind == 4:
            lines += [
                f"for k{depth} in range({draw(st.integers(1, 4))}):",
                *indented(draw(bodies(depth + 1))),
            ]
        else:
            lines += [f"if w[{a}] > 1.0:", "    return"]
    return lines


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@settings(max_examples=6, deadline=None)
@given(lines=bodies(), seed=st.integers(0, 2**32 - 1))
def test_random_functions(lines: list[str], seed: int) -> None:
    entry = function_of("\n    ".join(lines))
    rng = np.random.default_rng(seed)
    places = np.zeros(1, np.int64)
    for spread in (0.0, 1e-3, 3.0):  # from lanes that agree everywhere to lanes that never do
        agree(entry, rng.normal(size=SIZE) + spread * rng.normal(size=(LANES, SIZE)), places)


def test_code_that_writes_integers_where_nobody_could_be_told_is_refused() -> None:
    code, reasons = compile_variant(in_lanes(function_of("a[0] = 3")))
    assert code == b""
    assert "integers" in reasons[0]


def test_all_entry_points_of_the_solver_are_known_in_lanes() -> None:
    """Of those that are compiled already: other tests have the rest compiled."""
    kept = [object_store.read_object(in_lanes(entry)) for entry in ENTRY_POINTS]
    assert [reasons for reasons, code in filter(None, kept) if not code] == []


def test_other_numbers_and_bitcode_are_made_without_numba_where_floats_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba takes most of the time: what it makes of an entry point is kept beside the object code."""
    monkeypatch.setattr(object_store, "folder", lambda: tmp_path)
    entry = function_of("w[1] = 3.0 * math.sin(w[0])")
    assert compile_answer(compile_job_of(entry), False, None)["symbol"] == entry.symbol
    monkeypatch.setattr(numba_compile, "compile_text", None)
    for form in (in_lanes, dual):
        code, _ = compile_variant(form(entry))
        assert code
    assert compile_bitcode(entry)[0]
    # what is damaged is not read
    for file in tmp_path.glob("*_text.*"):
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(TypeError):
        compile_variant(dual(entry))
