"""Code that is loaded: constants beside it, and what it calls by a table that there is room for."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

import luff
from luff.solver.codegen import code_model, object_loader
from luff.solver.codegen.transforms.entry_point_variants import in_lanes
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.integrators.preload import entry_points_of_run, load_entry_points
from luff.tests.conftest import about_compiling
from luff.tests.shared.relocations import of_others, relocations

# kinds of x86-64: R_X86_64_PC32, R_X86_64_PLT32; GOTPCREL, and what an assembler makes of it
BY_DISTANCE, BRANCH, BY_TABLE = 2, 4, {9, 41, 42}
LINUX = pytest.mark.skipif(
    not (sys.platform == "linux" and platform.machine() == "x86_64"), reason="x86-64 under Linux"
)
# LLVM itself writes a call for what these do
CLEARS = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare double @elsewhere(double)
define double @clears(ptr %a, i64 %n, double %x) {
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 %n, i1 false)
  %y = frem double %x, 3.7
  %z = call double @elsewhere(double %y)
  %s = fadd double %z, 1.25
  ret double %s
}
"""


@LINUX
def test_what_llvm_calls_by_itself_goes_by_the_table() -> None:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = code_model.target_machine(binding.get_process_triple(), "x86-64", "")
    code = code_model.object_of(binding.parse_assembly(CLEARS), machine)
    called = list(of_others(code))
    assert len(called) == 3  # memset, fmod, elsewhere
    assert set(called) <= BY_TABLE
    assert {kind for kind, _ in relocations(code)} - BY_TABLE == {BY_DISTANCE}


@LINUX
def test_objects_hold_no_address_but_in_their_table() -> None:
    sim = luff.compile(LIBRARY / "crane_demo.yaml")
    units = entry_points_of_run([], "rk4") + [
        call.code for table in sim.program.tables.values() for call in table.calls
    ]
    load_entry_points(units)
    read = object_loader._read_or_make([*units, *(in_lanes(unit) for unit in units)], None)
    assert len(read) > 20
    for symbol, (_, code) in read.items():
        assert set(of_others(code)) <= BY_TABLE, symbol
        assert {kind for kind, _ in relocations(code)} <= {BY_DISTANCE, BRANCH, *BY_TABLE}, symbol


MARKED = """\
from luff.solver.codegen.intrinsics import value_of
from luff.solver.codegen.jit import entry_point


@entry_point("f1")
def marked(w):
    w[0] = value_of(w[1])
"""


@about_compiling
def test_a_mark_of_derivatives_in_other_code_is_an_error(tmp_path: Path) -> None:
    """Left as a call, it would end the process."""
    (tmp_path / "marked_kernel.py").write_text(MARKED)
    script = "import numpy as np; from marked_kernel import marked; marked(np.array([0.0, 3.0]))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "marked calls luff_value_of, which has a meaning in code for derivatives alone" in done.stderr
