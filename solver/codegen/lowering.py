"""Bundles of arrays, and what plain Python does by slices and calls, as numba makes LLVM's text of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, cast

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.cpu import CPUContext
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.options import TargetOptions
from numba.core.registry import cpu_target
from numba.core.typing.context import BaseContext
from numba.core.typing.templates import AttributeTemplate, Signature, infer_getattr
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from .array_structs import fields_of, places_of
from .intrinsics import Primitive
from .jit import DOUBLE, own_symbol

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


TARGET = cast("Target", cpu_target)
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
def _call_words(typing: object, code: object, first: object, second: object, third: object) -> Typed:
    return types.void(*[types.int64] * 4), _by_address


def _mark(builder: Builder, name: str, given: Values) -> Value:
    """A call that no float is computed by: it is read where code is rewritten for numbers with tangents."""
    kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()] * len(given))
    function = cgutils.get_or_insert_function(builder.module, kind, own_symbol(name))
    for attribute in ("readnone", "nounwind"):
        function.attributes.add(attribute)
    return builder.call(function, list(given))


@_intrinsic
def _value_of(typing: object, x: types.Type) -> Typed:
    def lowered(context: CPUContext, builder: Builder, signature: object, arguments: Values) -> Value:
        return _mark(builder, "value_of", arguments)

    return types.float64(types.float64), lowered


@_intrinsic
def _carried(typing: object, x: types.Type, change: types.Type) -> Typed:
    def lowered(context: CPUContext, builder: Builder, signature: object, arguments: Values) -> Value:
        return _mark(builder, "carried", arguments)

    return types.float64(types.float64, types.float64), lowered


INTRINSICS = {"part": _part, "value_of": _value_of, "carried": _carried}
COMPILED: dict[str, Callable[..., Plain]] = {
    "every": _every,
    "due": _due,
    "method": lambda entry: lambda run: _call_method(run.number[entry], run),
    "located": lambda entry: lambda run, m, d: _call_located(run.number[entry], run, m, d),
    "bits_of": lambda _: lambda x: _to_bits(x),
    "from_bits": lambda _: lambda bits: _to_double(bits),
    "address": lambda _: lambda code, first, second, third: _call_words(code, first, second, third),
}


def primitive_type(primitive: Primitive) -> types.Type:
    return TARGET.typing_context.resolve_value_type(_compiled_form(primitive))


@cache  # numba keeps no reference to it
def _compiled_form(primitive: Primitive) -> object:
    made = COMPILED.get(primitive.kind)
    return numba.njit(**HELPER)(made(primitive.about)) if made else INTRINSICS[primitive.kind]
