"""NamedTuples of arrays that compiled code takes as one pointer.

Numba hands a tuple of arrays over word by word: with all arrays of a model that is 2.5 kB at every call, and took a
fifth of an evaluation. A bundle is the address of a table with the address, size, shape and strides of each array. The
table never changes while its bundle lives, and LLVM is told so: it reads an entry once in a function, not after every
store. Plain Python sees the NamedTuple and nothing else.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar, get_type_hints

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.pythonapi import NativeValue, unbox
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof_impl

T = TypeVar("T", bound=type)
WORD = 8  # bytes


class Bundle(types.Type):
    """The numba type of a NamedTuple whose annotations carry the types of its arrays."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]):
        self.fields = fields
        super().__init__(f"Bundle({name}: {', '.join(f'{key} {kind}' for key, kind in fields)})")

    def place(self, attribute: str) -> int:
        """Where the entry of an array begins, in words."""
        place = 0
        for name, kind in self.fields:
            if name == attribute:
                return place
            place += 2 + 2 * kind.ndim
        raise AttributeError(attribute)


def bundled(cls: T) -> T:
    """Class decorator: give the NamedTuple a numba type of its own and the table that compiled code reads."""
    found: Any = type(cls.__name__, (cls,), {"__doc__": cls.__doc__, "__module__": cls.__module__})
    hints = get_type_hints(cls, include_extras=True)
    kind = Bundle(cls.__name__, tuple((name, hint.__metadata__[0]) for name, hint in hints.items()))
    table = cached_property(lambda arrays: _table(kind, arrays))
    table.__set_name__(found, "table")
    found.table, found.kind = table, kind
    found.address = property(lambda arrays: arrays.table.ctypes.data)
    typeof_impl.register(found)(lambda arrays, context: kind)
    return found


def kind_of(cls: type) -> Any:
    """The numba type of a bundled class."""
    return vars(cls)["kind"]


def _table(kind: Bundle, arrays: Any) -> np.ndarray:
    words: list[int] = []
    for (name, wanted), array in zip(kind.fields, arrays, strict=True):
        if array.ndim != wanted.ndim or array.dtype.name != wanted.dtype.name or not array.flags.c_contiguous:
            raise TypeError(f"{name} is {array.dtype}, {array.ndim} dimensions; it must be {wanted}")
        words += [array.ctypes.data, array.size, *array.shape, *array.strides]
    return np.array(words, np.int64)


@register_default(Bundle)
class _Address(models.OpaqueModel):
    pass


@unbox(Bundle)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address)


@infer_getattr
class _Attribute(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, kind: Any, attribute: str) -> Any:
        return dict(kind.fields).get(attribute)


@lower_getattr_generic(Bundle)
def _array(context: Any, builder: Any, kind: Any, value: Any, attribute: str) -> Any:
    from numba.np.arrayobj import make_array  # loads much that is not needed to run what is compiled

    wanted = dict(kind.fields)[attribute]
    word = ir.IntType(8 * WORD)
    words = builder.bitcast(value, word.as_pointer())
    place = kind.place(attribute)

    def entry(k: int) -> Any:
        found = builder.load(cgutils.gep_inbounds(builder, words, place + k))
        found.set_metadata("invariant.load", builder.module.add_metadata([]))
        return found

    array = make_array(wanted)(context, builder)
    n = wanted.ndim
    array.data = builder.inttoptr(entry(0), context.get_data_type(wanted.dtype).as_pointer())
    array.nitems = entry(1)
    array.itemsize = context.get_constant(types.intp, WORD)
    array.shape = cgutils.pack_array(builder, [entry(2 + k) for k in range(n)], ty=word)
    array.strides = cgutils.pack_array(builder, [entry(2 + n + k) for k in range(n)], ty=word)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()
