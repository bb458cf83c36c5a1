"""Compilation of entry points to object code by numba and LLVM, in subprocesses of its own.

Numba compiles and optimises each function as if Python could call it; here only whole entry points matter. Helpers are
passed on unoptimised, and the entry point with all of them inside is optimised once. It has a plain C signature: each
argument is a pointer, arrays with their shape.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numba
from llvmlite import binding, ir
from numba.core import types
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher
from numba.core.funcdesc import FunctionDescriptor
from numba.core.imputils import lower_builtin, lower_constant
from numba.core.typing.templates import Signature
from numba.np.arrayobj import populate_array

from .code_model import object_of, target_machine
from .jit import IN_PLACE, NUMBA_TYPES, Elementary, EntryPoint, Helper
from .libm_calls import with_own_libm
from .llvm_passes import run_passes
from .lowering import (
    ARRAYS,
    FLAGS,
    HELPER,
    POINTERS,
    TARGET,
    WORD,
    Builder,
    Value,
    Values,
    bundle_type,
    primitive_type,
)
from .target_cpu import compiled_for

# --- helpers and entry points as numba sees them ----------------------------------------------------------------


def helper_type(helper: Helper) -> types.Type:
    """Numba type of a helper: its dispatcher."""
    return types.Dispatcher(_dispatcher(helper))


@cache
def _dispatcher(helper: Helper) -> Dispatcher:
    """Numba dispatcher of a helper."""
    return numba.njit(**HELPER, forceinline=helper.inline)(helper.function)


def external_type(entry: EntryPoint) -> types.Type:
    """Numba type of an entry point called by another: external function."""
    return types.ExternalFunction(entry.symbol, _return_type(entry)(*map(_argument, entry.kinds)))


def _return_type(entry: EntryPoint) -> types.Type:
    """Return type of an entry point: a double for elementary functions, else none."""
    return types.float64 if isinstance(entry, Elementary) else types.void


def _in_place(own: Callable[..., object]) -> Callable[..., Value]:
    """Lowering that inlines `own` for a function of `math`."""

    def lowered(context: CPUContext, builder: Builder, signature: Signature, arguments: Values) -> Value:
        flags = Flags()
        # LLVM by itself would not inline so many operations twice
        TARGET.options.parse_as_flags(flags, {**HELPER, "forceinline": True})
        made = context.compile_subroutine(builder, own, signature, flags=flags)
        return context.call_internal(builder, made.fndesc, signature, arguments)

    return lowered


for _function, _own in IN_PLACE.items():
    lower_builtin(_function, types.float64)(_in_place(_own))


@lower_constant(types.ExternalFunction)
def _no_value(context: CPUContext, builder: Builder, kind: object, value: object) -> Value:
    """External functions have no value."""
    return context.get_dummy_value()


NUMBA_TYPES.update(helper=helper_type, entry=external_type, primitive=primitive_type)


def _argument(kind: str | type) -> types.Type:
    """Numba type of an argument kind."""
    if isinstance(kind, str):
        return POINTERS.get(kind) or ARRAYS[kind]
    return bundle_type(kind)


# --- numba's stages that are replaced --------------------------------------------------------------------------------


def _optimise_entries(library: CPUCodeLibrary) -> None:
    """Optimise only the entry point's library; helpers wait until they are inlined in it."""
    if library.name == _Wanted.name:
        for function in library._final_module.functions:
            if not function.is_declaration and function.name != _Wanted.symbol:
                function.linkage = "internal"
        text = str(library._final_module)
        _Wanted.text = with_own_libm(text)
        if not _Wanted.raw:
            if _Wanted.text != text:
                library._final_module = binding.parse_assembly(_Wanted.text)
            run_passes(library._final_module, _machine())


@cache
def _machine() -> Any:
    """Target machine of this process."""
    return target_machine(binding.get_process_triple(), *compiled_for())


def _executable(
    context: CPUContext, library: CPUCodeLibrary, fndesc: object, env: object
) -> Callable[[object], None]:
    """Numba's executable of a function: none, as nothing runs here."""
    return [].append


class _Wanted:
    """Entry point that is being compiled."""

    name = symbol = text = ""  # text: LLVM text before optimisation
    raw = False  # stop at the text


def _entry(
    context: CPUContext, library: CPUCodeLibrary, fndesc: FunctionDescriptor, env: object, call_helper: object
) -> None:
    """C function of an entry point: pointers and shapes in, nothing out, no exceptions."""
    if library.name != _Wanted.name:
        return  # numba's own function
    module = context.create_module("entry")
    callee = ir.Function(
        module, context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes), fndesc.llvm_func_name
    )
    if fndesc.restype == types.float64:
        _elementary(context, module, callee, fndesc)
        library.add_ir_module(module)
        return
    widths = [1 + kind.ndim if isinstance(kind, types.Array) else 1 for kind in fndesc.argtypes]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [WORD] * sum(widths)), _Wanted.symbol)
    builder = cast("Builder", ir.IRBuilder(function.append_basic_block("entry")))
    words, values = list(function.args), []
    for kind, width in zip(fndesc.argtypes, widths, strict=True):
        address, *shape = (words.pop(0) for _ in range(width))
        if not shape:
            wanted = context.get_value_type(kind)
            values.append(address if kind == types.int64 else builder.inttoptr(address, wanted))
            continue
        array = context.make_array(kind)(context, builder)
        strides: list[Value] = [ir.Constant(WORD, 8)]
        for size in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], size))
        data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
        populate_array(array, data, shape, strides, 8, None)
        values.append(array._getvalue())
    context.call_conv.call_function(builder, callee, fndesc.restype, fndesc.argtypes, values)
    builder.ret_void()
    library.add_ir_module(module)


def _elementary(
    context: CPUContext, module: ir.Module, callee: ir.Function, fndesc: FunctionDescriptor
) -> None:
    """C function of an elementary function: doubles in, a double out."""
    double = ir.DoubleType()
    function = ir.Function(module, ir.FunctionType(double, [double] * len(fndesc.argtypes)), _Wanted.symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    _, value = context.call_conv.call_function(
        builder, callee, fndesc.restype, fndesc.argtypes, list(function.args)
    )
    builder.ret(value)


def _patch() -> None:
    """Replace numba's stages by those of this module."""
    for owner, name, function in (
        (CPUCodeLibrary, "_optimize_final_module", _optimise_entries),
        (JITCPUCodegen, "_add_module", lambda codegen, module: None),
        (CPUContext, "get_executable", _executable),
        (CPUContext, "create_cfunc_wrapper", _entry),
    ):
        setattr(owner, name, function)


def compile_entry(entry: EntryPoint) -> tuple[bytes, list[str]]:
    """Object code of an entry point, and the symbols it needs."""
    library, needed = _compiled(entry)
    return object_of(library._final_module, _machine()), needed


def unoptimised_text() -> str:
    """LLVM text of the last entry point with its helpers, before optimisation."""
    return _Wanted.text


@global_compiler_lock
def compile_text(entry: EntryPoint) -> str:
    """LLVM text of an entry point with its helpers, before optimisation; no object code."""
    _Wanted.raw = True
    try:
        _compiled(entry)
        return _Wanted.text
    finally:
        _Wanted.raw = False


@global_compiler_lock
def _compiled(entry: EntryPoint) -> tuple[CPUCodeLibrary, list[str]]:
    """Numba library of an entry point, and the symbols it needs."""
    _patch()
    flags = Flags()
    TARGET.options.parse_as_flags(flags, {**FLAGS, "no_cfunc_wrapper": False})
    _Wanted.symbol = entry.symbol
    arguments = tuple(map(_argument, entry.kinds))
    typing, target = TARGET.typing_context, TARGET.target_context
    typing.refresh()
    target.refresh()
    library = target.codegen().create_library(f"entry {entry.symbol}")
    _Wanted.name = library.name
    made = compile_extra(
        typing, target, entry.function, arguments, _return_type(entry), flags, {}, library=library
    )
    finished = made.library
    finished._ensure_finalized()
    module = finished._final_module
    needed = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    return finished, needed
