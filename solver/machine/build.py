"""Entry points to object code, through numba. Runs in processes of its own, which know nothing else.

Numba compiles each function, and optimises it, as something that Python will call; here only whole entry points
matter. So helpers are handed on as they are, and the entry point with all of them inside is optimised once, with a
plain C signature in which every argument is a pointer (and the shape, of arrays).
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_constant, lower_getattr_generic
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from . import primitives
from .bundles import fields_of, places_of
from .jit import NUMBA_TYPES, EntryPoint, Helper

WORD = ir.IntType(64)
_populate: Any = populate_array
_intrinsic: Any = intrinsic  # the caller does not pass the first argument
# error_model="numpy": a division by zero gives inf, which the run loop reports; fastmath never: NaN must survive.
# _nrt=False: nothing may be allocated, and references to arrays, which the caller holds anyhow, are not counted
FLAGS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "boundscheck": False, "_nrt": False, "no_cpython_wrapper": True,
}  # fmt: skip
HELPER = {**FLAGS, "no_cfunc_wrapper": True}
ARRAYS = {
    "f1": types.float64[::1], "f2": types.float64[:, ::1], "f3": types.float64[:, :, ::1],
    "i1": types.int64[::1], "i2": types.int64[:, ::1],
}  # fmt: skip
POINTERS = {"w": types.CPointer(types.float64), "a": types.CPointer(types.int64), "n": types.int64}


# --- bundles ---------------------------------------------------------------------------------------------------------


class Bundle(types.Type):
    """A NamedTuple of arrays as one pointer to the table of their addresses."""

    def __init__(self, cls: Any):
        fields = fields_of(cls)
        self.fields, self.places = tuple((key, ARRAYS[kind]) for key, kind in fields), places_of(cls)
        super().__init__(f"Bundle({cls.__name__}: {', '.join(f'{key} {kind}' for key, kind in fields)})")


@cache
def bundle_type(cls: Any) -> Bundle:
    return Bundle(cls)


@register_default(Bundle)
class _Address(models.OpaqueModel):
    pass


@infer_getattr
class _Attribute(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, kind: Any, attribute: str) -> Any:
        return dict(kind.fields).get(attribute)


@lower_getattr_generic(Bundle)
def _array(context: Any, builder: Any, kind: Any, value: Any, attribute: str) -> Any:
    wanted = dict(kind.fields)[attribute]
    words = builder.bitcast(value, WORD.as_pointer())
    place = kind.places[attribute]

    def entry(k: int) -> Any:
        word = builder.load(cgutils.gep_inbounds(builder, words, place + k))
        word.set_metadata("invariant.load", builder.module.add_metadata([]))
        return word

    n = wanted.ndim
    data = builder.inttoptr(entry(0), context.get_data_type(wanted.dtype).as_pointer())
    shape = [entry(2 + k) for k in range(n)]
    return _made(context, builder, wanted, data, entry(1), shape, [entry(2 + n + k) for k in range(n)])


def _made(context: Any, builder: Any, kind: Any, data: Any, size: Any, shape: Any, strides: Any) -> Any:
    array = make_array(kind)(context, builder)
    array.data, array.nitems = data, size
    array.itemsize = context.get_constant(types.intp, 8)
    array.shape = cgutils.pack_array(builder, shape, ty=WORD)
    array.strides = cgutils.pack_array(builder, strides, ty=WORD)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()


# --- primitives: what plain Python does with slices and lists, by addresses -------------------------------------


@_intrinsic
def _part(typing: Any, w: Any, first: Any, size: Any) -> Any:
    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, at, count = arguments
        if isinstance(w, types.Array):
            base = make_array(w)(context, builder, base).data
        data = builder.gep(base, [at])
        return _made(context, builder, ARRAYS["f1"], data, count, [count], [ir.Constant(WORD, 8)])

    return ARRAYS["f1"](w, types.int64, types.int64), lowered


@_intrinsic
def _call_two(typing: Any, address: Any, first: Any, second: Any) -> Any:
    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [WORD, WORD])
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), list(arguments[1:]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), lowered


@numba.njit(**HELPER)
def _call_all(table):
    for i in range(table.shape[0]):
        _call_two(table[i, 0], table[i, 1], table[i, 2])


@numba.njit(**HELPER)
def _call_due(table, w, step):
    for i in range(table.shape[0]):
        if table[i, 3] < 0 or step % int(w[table[i, 3]]) == 0:
            _call_two(table[i, 0], table[i, 1], table[i, 2])


def _by_address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """A call of the code at the first argument, with the others."""
    kind = ir.FunctionType(ir.VoidType(), [value.type for value in arguments[1:]])
    builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), list(arguments[1:]))
    return context.get_dummy_value()


@_intrinsic
def _call_method(typing: Any, address: Any, run: Any) -> Any:
    return types.void(types.int64, run), _by_address


@_intrinsic
def _call_located(typing: Any, address: Any, run: Any, m: Any, d: Any) -> Any:
    return types.void(types.int64, run, m, d), _by_address


@_intrinsic
def _call_kernel(typing: Any, address: Any, m: Any, d: Any) -> Any:
    return types.void(types.int64, m, d), _by_address


@numba.njit(**HELPER)
def _run_kernel(run, which, m, d):
    _call_kernel(run.number[which], m, d)


@numba.njit(**HELPER)
def _run_rates(run):
    _call_all(run.rates)


@numba.njit(**HELPER)
def _run_outputs(run):
    _call_all(run.outputs)


@numba.njit(**HELPER)
def _run_updates(run, step):
    _call_due(run.updates, run.w, step)


@numba.njit(**HELPER)
def _run_late_outputs(run):
    _call_all(run.late_outputs)


@numba.njit(**HELPER)
def _run_late_updates(run, step):
    _call_due(run.late_updates, run.w, step)


@numba.njit(**HELPER)
def _run_ends(run):
    _call_all(run.ends)


@numba.njit(**HELPER)
def _run_decisions(run):
    _call_all(run.decisions)


@numba.njit(**HELPER)
def _run_crossings(run):
    _call_all(run.crossings)


@numba.njit(**HELPER)
def _run_sides(run):
    _call_all(run.sides)


@numba.njit(**HELPER)
def _run_openings(run):
    _call_all(run.openings)


@numba.njit(**HELPER)
def _run_step(run):
    _call_method(run.number[primitives.STEP_ADDRESS], run)


@numba.njit(**HELPER)
def _run_parted(run):
    _call_method(run.number[primitives.PARTED], run)


@numba.njit(**HELPER)
def _run_located(run, m, d):
    _call_located(run.number[primitives.LOCATE], run, m, d)


PRIMITIVES: dict[Any, Any] = {
    primitives.part: _part,
    primitives.run_rates: _run_rates,
    primitives.run_outputs: _run_outputs,
    primitives.run_updates: _run_updates,
    primitives.run_late_outputs: _run_late_outputs,
    primitives.run_late_updates: _run_late_updates,
    primitives.run_ends: _run_ends,
    primitives.run_decisions: _run_decisions,
    primitives.run_crossings: _run_crossings,
    primitives.run_sides: _run_sides,
    primitives.run_openings: _run_openings,
    primitives.run_step: _run_step,
    primitives.run_parted: _run_parted,
    primitives.run_located: _run_located,
    primitives.run_kernel: _run_kernel,
}


# --- helpers and entry points as numba sees them ----------------------------------------------------------------


def helper_type(helper: Helper) -> Any:
    return types.Dispatcher(_dispatcher(helper))


@cache
def _dispatcher(helper: Helper) -> Any:
    return numba.njit(**HELPER, forceinline=helper.inline)(helper.function)


@cache
def primitive_type(function: Any) -> Any:
    return _target.typing_context.resolve_value_type(PRIMITIVES[function])


def external_type(entry: EntryPoint) -> Any:
    return types.ExternalFunction(entry.symbol, types.void(*map(_argument, entry.kinds)))


@lower_constant(types.ExternalFunction)
def _no_value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


NUMBA_TYPES.update(helper=helper_type, entry=external_type, primitive=primitive_type)


def _argument(kind: Any) -> Any:
    if isinstance(kind, str):
        return POINTERS.get(kind) or ARRAYS[kind]
    return bundle_type(kind)


# --- numba's stages that are left out --------------------------------------------------------------------------------

_optimise = CPUCodeLibrary._optimize_final_module


def _optimise_entries(library: Any) -> None:
    """Helpers wait for the entry point that they become part of."""
    if library.name == _Wanted.name:
        for function in library._final_module.functions:
            if not function.is_declaration and function.name != _Wanted.symbol:
                function.linkage = "internal"
        _Wanted.text = str(library._final_module)
        if not _Wanted.raw:
            _optimise(library)


def _executable(context: Any, library: Any, fndesc: Any, env: Any) -> Any:
    """Nothing runs here; numba wants something of its own for each function that it could call."""
    return [].append


class _Wanted:
    """The entry point under way."""

    name = symbol = ""
    raw, text = (
        False,
        "",
    )  # whether nothing but its text is wanted, as it is before it is optimised, and the text


def _entry(context: Any, library: Any, fndesc: Any, env: Any, call_helper: Any) -> None:
    """The C function of an entry point: pointers and shapes in, nothing out; it raises nothing."""
    if library.name != _Wanted.name:
        return  # a function of numba's own
    module = context.create_module("entry")
    callee = ir.Function(
        module, context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes), fndesc.llvm_func_name
    )
    widths = [1 + kind.ndim if isinstance(kind, types.Array) else 1 for kind in fndesc.argtypes]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [WORD] * sum(widths)), _Wanted.symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    words, values = list(function.args), []
    for kind, width in zip(fndesc.argtypes, widths, strict=True):
        address, *shape = (words.pop(0) for _ in range(width))
        if not shape:
            value = (
                address if kind == types.int64 else builder.inttoptr(address, context.get_value_type(kind))
            )
            values.append(value)
            continue
        array = context.make_array(kind)(context, builder)
        strides: list[Any] = [ir.Constant(WORD, 8)]
        for size in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], size))
        data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
        _populate(array, data, shape, strides, 8, None)
        values.append(array._getvalue())
    context.call_conv.call_function(builder, callee, fndesc.restype, fndesc.argtypes, values)
    builder.ret_void()
    library.add_ir_module(module)


# numba's classes, without the types that they are declared with
_library, _code, _context = cast("Any", CPUCodeLibrary), cast("Any", JITCPUCodegen), cast("Any", CPUContext)
_target = cast("Any", cpu_target)


def _patch() -> None:
    _library._optimize_final_module = _optimise_entries
    _code._add_module = lambda codegen, module: None
    _context.get_executable = _executable
    _context.create_cfunc_wrapper = _entry


def compile_entry(entry: EntryPoint) -> tuple[bytes, list[str]]:
    """Object code, and the names of the functions that it needs from elsewhere."""
    library, needed = _compiled(entry)
    return library._codegen._tm.emit_object(library._final_module), needed


def compile_bitcode(entry: EntryPoint) -> tuple[bytes, list[str]]:
    """The same before it becomes code of one machine."""
    library, needed = _compiled(entry)
    return library._final_module.as_bitcode(), needed


def text_before() -> str:
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
def _compiled(entry: EntryPoint) -> tuple[Any, list[str]]:
    _patch()
    flags: Any = Flags()
    _target.options.parse_as_flags(flags, FLAGS)
    flags.no_cfunc_wrapper = False
    _Wanted.symbol = entry.symbol
    arguments = tuple(map(_argument, entry.kinds))
    typing, target = _target.typing_context, _target.target_context
    typing.refresh()
    target.refresh()
    library = target.codegen().create_library(f"entry {entry.symbol}")
    _Wanted.name = library.name
    made = compile_extra(typing, target, entry.function, arguments, types.none, flags, {}, library=library)
    finished = made.library
    finished._ensure_finalized()
    module = finished._final_module
    needed = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
    return finished, needed
