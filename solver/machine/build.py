"""Entry points to object code, through numba. Runs in processes of its own, which know nothing else.

Numba compiles each function, and optimises it, as something that Python will call; here only whole entry points
matter. So helpers are handed on as they are, and the entry point with all of them inside is optimised once, with a
plain C signature in which every argument is a pointer (and the shape, of arrays).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, cast

import numba
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.dispatcher import Dispatcher
from numba.core.funcdesc import FunctionDescriptor
from numba.core.imputils import lower_builtin, lower_constant, lower_getattr_generic
from numba.core.options import TargetOptions
from numba.core.registry import cpu_target
from numba.core.typing.context import BaseContext
from numba.core.typing.templates import AttributeTemplate, Signature, infer_getattr
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from .bundles import fields_of, places_of
from .jit import DOUBLE, IN_PLACE, NUMBA_TYPES, Elementary, EntryPoint, Helper
from .own_calls import with_own_mathematics
from .passes import optimise
from .primitives import Primitive

WORD = ir.IntType(64)
Value = ir.NamedValue | ir.Constant
Values = Sequence[Value]
Plain = Callable[..., None]  # what numba compiles


class Builder(Protocol):
    """What is used of LLVM's builder, whose operations are made by decorators without types."""

    module: ir.Module

    def bitcast(self, value: Value, kind: ir.Type) -> Value: ...
    def inttoptr(self, value: Value, kind: ir.Type) -> Value: ...
    def load(self, place: Value) -> ir.LoadInstr: ...
    def gep(self, place: Value, indices: Values) -> Value: ...
    def mul(self, a: Value, b: Value) -> Value: ...
    def call(self, function: Value, arguments: Values) -> Value: ...
    def ret_void(self) -> object: ...


class Target(Protocol):
    """Numba's processor."""

    typing_context: BaseContext
    target_context: CPUContext
    options: type[TargetOptions]


_target = cast("Target", cpu_target)
Typed = tuple[Signature, Callable[[CPUContext, Builder, object, Values], Value]]
_intrinsic: Any = intrinsic  # the caller does not pass the first argument
# error_model="numpy": a division by zero gives inf, which the run loop reports; fastmath never: NaN must survive.
# _nrt=False: nothing may be allocated, and references to arrays, which the caller holds anyhow, are not counted
FLAGS: dict[str, bool | str] = {
    "nogil": True, "error_model": "numpy", "boundscheck": False, "_nrt": False, "no_cpython_wrapper": True,
}  # fmt: skip
HELPER = {**FLAGS, "no_cfunc_wrapper": True}
ARRAYS = {
    "f1": types.float64[::1], "f2": types.float64[:, ::1], "f3": types.float64[:, :, ::1],
    "i1": types.int64[::1], "i2": types.int64[:, ::1],
}  # fmt: skip
POINTERS = {
    "w": types.CPointer(types.float64), "a": types.CPointer(types.int64), "n": types.int64, DOUBLE: types.float64,
}  # fmt: skip


# --- bundles ---------------------------------------------------------------------------------------------------------


class Bundle(types.Type):
    """A NamedTuple of arrays as one pointer to the table of their addresses."""

    def __init__(self, cls: type):
        fields = fields_of(cls)
        self.fields, self.places = tuple((key, ARRAYS[kind]) for key, kind in fields), places_of(cls)
        super().__init__(f"Bundle({cls.__name__}: {', '.join(f'{key} {kind}' for key, kind in fields)})")


@cache
def bundle_type(cls: type) -> Bundle:
    return Bundle(cls)


@register_default(Bundle)
class _Address(models.OpaqueModel):
    pass


@infer_getattr
class _Attribute(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, kind: Bundle, attribute: str) -> types.Type | None:
        return dict(kind.fields).get(attribute)


@lower_getattr_generic(Bundle)
def _array(context: CPUContext, builder: Builder, kind: Bundle, value: Value, attribute: str) -> Value:
    wanted = dict(kind.fields)[attribute]
    words = builder.bitcast(value, WORD.as_pointer())
    place = kind.places[attribute]

    def entry(k: int) -> Value:
        word = builder.load(cgutils.gep_inbounds(builder, words, place + k))
        word.set_metadata("invariant.load", builder.module.add_metadata([]))
        return word

    n = wanted.ndim
    data = builder.inttoptr(entry(0), context.get_data_type(wanted.dtype).as_pointer())
    shape = [entry(2 + k) for k in range(n)]
    return _made(context, builder, wanted, data, entry(1), shape, [entry(2 + n + k) for k in range(n)])


def _made(
    context: CPUContext,
    builder: Builder,
    kind: types.Array,
    data: Value,
    size: Value,
    shape: Values,
    strides: Values,
) -> Value:
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
def _part(typing: object, w: types.Type, first: object, size: object) -> Typed:
    def lowered(context: CPUContext, builder: Builder, signature: object, arguments: Values) -> Value:
        base, at, count = arguments
        if isinstance(w, types.Array):
            base = make_array(w)(context, builder, base).data
        data = builder.gep(base, [at])
        return _made(context, builder, ARRAYS["f1"], data, count, [count], [ir.Constant(WORD, 8)])

    return ARRAYS["f1"](w, types.int64, types.int64), lowered


@_intrinsic
def _call_two(typing: object, address: object, first: object, second: object) -> Typed:
    def lowered(context: CPUContext, builder: Builder, signature: object, arguments: Values) -> Value:
        kind = ir.FunctionType(ir.VoidType(), [WORD, WORD])
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), list(arguments[1:]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), lowered


def _table(name: str) -> Callable[..., Any]:
    """The table of operations of a run."""

    @_intrinsic
    def table(typing: object, run: Bundle) -> Typed:
        def lowered(context: CPUContext, builder: Builder, signature: object, arguments: Values) -> Value:
            return _array(context, builder, run, arguments[0], name)

        return ARRAYS["i2"](run), lowered

    return table


def _by_bits(to: ir.Type, kind: types.Type) -> Callable[..., Any]:
    """The same bits as another kind of number."""

    @_intrinsic
    def seen(typing: object, value: types.Type) -> Typed:
        def lowered(context: CPUContext, builder: Builder, signature: object, arguments: Values) -> Value:
            return builder.bitcast(arguments[0], to)

        return kind(types.float64 if kind == types.int64 else types.int64), lowered

    return seen


_to_bits, _to_double = _by_bits(WORD, types.int64), _by_bits(ir.DoubleType(), types.float64)


def _every(name: str) -> Plain:
    operations = _table(name)

    def run_all(run):
        table = operations(run)
        for i in range(table.shape[0]):
            _call_two(table[i, 0], table[i, 1], table[i, 2])

    return run_all


def _due(name: str) -> Plain:
    operations = _table(name)

    def run_due(run, step):
        table, w = operations(run), run.w
        for i in range(table.shape[0]):
            if table[i, 3] < 0 or step % int(w[table[i, 3]]) == 0:
                _call_two(table[i, 0], table[i, 1], table[i, 2])

    return run_due


def _by_address(context: CPUContext, builder: Builder, signature: object, arguments: Values) -> Value:
    """A call of the code at the first argument, with the others."""
    kind = ir.FunctionType(ir.VoidType(), [value.type for value in arguments[1:]])
    builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), list(arguments[1:]))
    return context.get_dummy_value()


@_intrinsic
def _call_method(typing: object, address: object, run: types.Type) -> Typed:
    return types.void(types.int64, run), _by_address


@_intrinsic
def _call_located(typing: object, address: object, run: types.Type, m: types.Type, d: types.Type) -> Typed:
    return types.void(types.int64, run, m, d), _by_address


@_intrinsic
def _call_kernel(typing: object, address: object, m: types.Type, d: types.Type) -> Typed:
    return types.void(types.int64, m, d), _by_address


COMPILED: dict[str, Callable[..., Plain]] = {
    "every": _every,
    "due": _due,
    "method": lambda entry: lambda run: _call_method(run.number[entry], run),
    "located": lambda entry: lambda run, m, d: _call_located(run.number[entry], run, m, d),
    "bits_of": lambda _: lambda x: _to_bits(x),
    "from_bits": lambda _: lambda bits: _to_double(bits),
    "kernel": lambda _: lambda run, which, m, d: _call_kernel(run.number[which], m, d),
}


# --- helpers and entry points as numba sees them ----------------------------------------------------------------


def helper_type(helper: Helper) -> types.Type:
    return types.Dispatcher(_dispatcher(helper))


@cache
def _dispatcher(helper: Helper) -> Dispatcher:
    return numba.njit(**HELPER, forceinline=helper.inline)(helper.function)


def primitive_type(primitive: Primitive) -> types.Type:
    return _target.typing_context.resolve_value_type(_compiled_form(primitive))


@cache  # numba keeps no reference to it
def _compiled_form(primitive: Primitive) -> object:
    made = COMPILED.get(primitive.kind)
    return numba.njit(**HELPER)(made(primitive.about)) if made else _part


def external_type(entry: EntryPoint) -> types.Type:
    return types.ExternalFunction(entry.symbol, _gives(entry)(*map(_argument, entry.kinds)))


def _gives(entry: EntryPoint) -> types.Type:
    return types.float64 if isinstance(entry, Elementary) else types.void


def _in_place(own: Callable[..., object]) -> Callable[..., Value]:
    def lowered(context: CPUContext, builder: Builder, signature: Signature, arguments: Values) -> Value:
        flags = Flags()
        # LLVM by itself would not take so many operations in a second place
        _target.options.parse_as_flags(flags, {**HELPER, "forceinline": True})
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
        _Wanted.text = with_own_mathematics(text)
        if not _Wanted.raw:
            if _Wanted.text != text:
                library._final_module = binding.parse_assembly(_Wanted.text)
            optimise(library._final_module, library._codegen._tm)


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
    return library._codegen._tm.emit_object(library._final_module), needed


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
def _compiled(entry: EntryPoint) -> tuple[CPUCodeLibrary, list[str]]:
    _patch()
    flags = Flags()
    _target.options.parse_as_flags(flags, {**FLAGS, "no_cfunc_wrapper": False})
    _Wanted.symbol = entry.symbol
    arguments = tuple(map(_argument, entry.kinds))
    typing, target = _target.typing_context, _target.target_context
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
