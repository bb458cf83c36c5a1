"""Entry points to object code, through numba. Runs in processes of its own, which know nothing else.

Numba compiles each function, and optimises it, as something that Python will call; here only whole entry points
matter. So helpers are handed on as they are, and the entry point with all of them inside is optimised once, with a
plain C signature in which every argument is a pointer (and the shape, of arrays).
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
    return types.Dispatcher(_dispatcher(helper))


@cache
def _dispatcher(helper: Helper) -> Dispatcher:
    return numba.njit(**HELPER, forceinline=helper.inline)(helper.function)


def external_type(entry: EntryPoint) -> types.Type:
    return types.ExternalFunction(entry.symbol, _gives(entry)(*map(_argument, entry.kinds)))


def _gives(entry: EntryPoint) -> types.Type:
    return types.float64 if isinstance(entry, Elementary) else types.void


def _in_place(own: Callable[..., object]) -> Callable[..., Value]:
    def lowered(context: CPUContext, builder: Builder, signature: Signature, arguments: Values) -> Value:
        flags = Flags()
        # LLVM by itself would not take so many operations in a second place
        TARGET.options.parse_as_flags(flags, {**HELPER, "forceinline": True})
        made = context.compile_subroutine(builder, own, signature, flags=flags)
        return context.call_internal(builder, made.fndesc, signature, arguments)

    return lowered


for _function, _own in IN_PLACE.items():
    lower_builtin(_function, types.float64)(_in_place(_own))


@lower_constant(types.ExternalFunction)
def _no_value(context: CPUContext, builder: Builder, kind: object, value: object) -> Value:
    return context.get_dummy_value()


NUMBA_TYPES.update(helper=helper_type, entry=external_type, primitive=primitive_type)


def _argument(kind: str | type) -> types.Type:
    if isinstance(kind, str):
        return POINTERS.get(kind) or ARRAYS[kind]
    return bundle_type(kind)


# --- numba's stages that are left out --------------------------------------------------------------------------------


def _optimise_entries(library: CPUCodeLibrary) -> None:
    """Helpers wait for the entry point that they become part of."""
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
    return target_machine(binding.get_process_triple(), *compiled_for())


def _executable(
    context: CPUContext, library: CPUCodeLibrary, fndesc: object, env: object
) -> Callable[[object], None]:
    """Nothing runs here; numba wants something of its own for each function that it could call."""
    return [].append


class _Wanted:
    """The entry point under way."""

    name = symbol = text = ""  # the text is that before it is optimised
    raw = False  # whether nothing but the text is wanted


def _entry(
    context: CPUContext, library: CPUCodeLibrary, fndesc: FunctionDescriptor, env: object, call_helper: object
) -> None:
    """The C function of an entry point: pointers and shapes in, nothing out; it raises nothing."""
    if library.name != _Wanted.name:
        return  # a function of numba's own
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
    """The C function of one that takes doubles, and gives one."""
    double = ir.DoubleType()
    function = ir.Function(module, ir.FunctionType(double, [double] * len(fndesc.argtypes)), _Wanted.symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    _, value = context.call_conv.call_function(
        builder, callee, fndesc.restype, fndesc.argtypes, list(function.args)
    )
    builder.ret(value)


def _patch() -> None:
    for owner, name, function in (
        (CPUCodeLibrary, "_optimize_final_module", _optimise_entries),
        (JITCPUCodegen, "_add_module", lambda codegen, module: None),
        (CPUContext, "get_executable", _executable),
        (CPUContext, "create_cfunc_wrapper", _entry),
    ):
        setattr(owner, name, function)


def compile_entry(entry: EntryPoint) -> tuple[bytes, list[str]]:
    """Object code, and the names of the functions that it needs from elsewhere."""
    library, needed = _compiled(entry)
    return object_of(library._final_module, _machine()), needed


def unoptimised_text() -> str:
    """Of the last entry point: what LLVM was to compile, its helpers too, before it was optimised."""
    return _Wanted.text


@global_compiler_lock
def compile_text(entry: EntryPoint) -> str:
    """The same of this one, and no more is made."""
    _Wanted.raw = True
    try:
        _compiled(entry)
        return _Wanted.text
    finally:
        _Wanted.raw = False


@global_compiler_lock
def _compiled(entry: EntryPoint) -> tuple[CPUCodeLibrary, list[str]]:
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
    made = compile_extra(typing, target, entry.function, arguments, _gives(entry), flags, {}, library=library)
    finished = made.library
    finished._ensure_finalized()
    module = finished._final_module
    needed = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    return finished, needed
