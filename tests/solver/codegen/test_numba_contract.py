"""What `codegen/numba_compile.py` and `codegen/lowering.py` take from inside of numba and llvmlite: where a new version
of theirs has changed it, a test here fails and names it, before compiled code does something else."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest
from llvmlite import binding
from numba.core import cpu, types
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler import Flags, compile_extra
from numba.core.datamodel.registry import default_manager
from numba.core.registry import cpu_target
from numba.np import arrayobj

# what codegen/numba_compile.py puts its own function in place of, with the arguments that its own takes
REPLACED = [
    (CPUCodeLibrary, "_optimize_final_module", ["self"]),
    (JITCPUCodegen, "_add_module", ["self", "module"]),
    (cpu.CPUContext, "get_executable", ["self", "library", "fndesc", "env"]),
    (cpu.CPUContext, "create_cfunc_wrapper", ["self", "library", "fndesc", "env", "call_helper"]),
]


# in a process of its own: in this one another test may have had something compiled, and them replaced
PARAMETERS = """
import inspect, sys
from importlib import import_module
owner = getattr(import_module(sys.argv[1]), sys.argv[2])
print(*inspect.signature(vars(owner)[sys.argv[3]]).parameters)
"""


@pytest.mark.parametrize(("owner", "name", "arguments"), REPLACED)
def test_what_is_replaced_takes_the_same_arguments(owner: Any, name: str, arguments: list[str]) -> None:
    assert name in vars(owner), f"{owner.__name__}.{name} is not numba's own any more"
    words = [sys.executable, "-c", PARAMETERS, owner.__module__, owner.__name__, name]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == arguments


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (compile_extra, ["typingctx", "targetctx", "func", "args", "return_type", "flags", "locals", "library"]),
        (cpu.CPUContext.compile_subroutine, ["self", "builder", "impl", "sig", "locals", "flags"]),
        (cpu.CPUContext.call_internal, ["self", "builder", "fndesc", "sig", "args"]),
        (arrayobj.populate_array, ["array", "data", "shape", "strides", "itemsize", "meminfo"]),
    ],
)  # fmt: skip
def test_what_is_called_takes_these_arguments(function: Any, arguments: list[str]) -> None:
    assert list(inspect.signature(function).parameters)[: len(arguments)] == arguments


def test_flags_have_the_names_that_are_set() -> None:
    for name in ("no_cfunc_wrapper", "no_cpython_wrapper", "nrt", "error_model", "fastmath", "boundscheck"):
        assert hasattr(Flags(), name), name


def test_contexts_can_be_refreshed_and_make_libraries() -> None:
    target: Any = cpu_target
    assert callable(target.typing_context.refresh)
    assert callable(target.target_context.refresh)
    library = target.target_context.codegen().create_library("contract")
    for name in ("_final_module", "_ensure_finalized", "add_ir_module", "_codegen"):
        assert hasattr(library, name), name
    assert isinstance(library._codegen._tm, binding.TargetMachine)


def test_an_array_has_the_members_that_are_filled() -> None:
    model: Any = default_manager[types.float64[::1]]
    assert list(model._fields) == ["meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides"]
