"""Decorators of compiled functions, and their calls; numba is imported only where something is compiled.

    helper     function of kernels: part of the code of its callers
    inlined    helper that is always inlined
    kernel     entry point (m, d): compiled once, stored as object code, called by address
    loop       entry point that takes a run as well
    elementary function of doubles that compiled code calls in place of the C library's

Entry points call each other as external functions: none is compiled a second time inside another. With
`NUMBA_DISABLE_JIT=1` each is the plain function.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .ieee_math import lenient_math

if TYPE_CHECKING:
    import numpy as np

F = TypeVar("F", bound=Callable[..., object])
Kind = str | type  # of an argument: an array's letter and dimensions, or the class of a bundle
INTEGER, DOUBLE = "n", "d"  # kinds of an argument
ENABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
SOLVER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


Progress = Callable[[int, int, str], object]  # done, of how many, what
NUMBA_TYPES: dict[str, Callable[..., object]] = {}  # makers of numba types, set by numba_compile.py
NATIVE: list[
    Callable[[EntryPoint], Callable[..., object]]
] = []  # what calls an entry point's code: by object_loader.py


class NoCode(Exception):
    """Reason why an entry point has no code in the form asked for."""


class Helper:
    """Function that entry points call; from Python a plain function."""

    inline = False

    def __init__(self, function: Callable[..., object], inline: bool = False):
        self.function, self.inline = function, inline
        self.__name__, self.__doc__, self.__module__ = (
            function.__name__,
            function.__doc__,
            function.__module__,
        )
        self.__wrapped__ = function

    def __call__(self, *arguments: object) -> object:
        return self.function(*arguments)

    def __reduce__(self) -> str | tuple[object, ...]:
        return self.__name__  # sent as what its module has by this name

    @property
    def _numba_type_(self) -> object:
        return NUMBA_TYPES["helper"](self)


class EntryPoint(Helper):
    """Entry point with arguments of given kinds: bundle classes, arrays ("f1", "f2"), numbers."""

    pack = "plain.pack"  # archive of a wheel that holds its code, unless it has a file of its own
    dual_replacement: EntryPoint | None = None  # entry point whose code replaces this one's for dual numbers

    def __init__(self, function: Callable[..., object], kinds: tuple[Kind, ...], symbol: str):
        super().__init__(function)
        self.kinds, self.symbol = kinds, symbol

    @cached_property
    def digest(self) -> str:
        """Digest of the sources that the object code depends on, beside machine and compiler."""
        sources = _sources(self.function.__code__.co_filename)
        return _digest(self.symbol.encode(), *(_source(file)[0] for file in sources))

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        """Entry points among the symbols that its code needs."""
        known = {entry.symbol: entry for entry in ENTRY_POINTS}
        return [known[symbol] for symbol in symbols if symbol in known]

    @cached_property
    def _native(self) -> Callable[..., object]:
        """ctypes function of the object code."""
        return NATIVE[0](self)

    def __call__(self, *arguments: Any) -> object:
        if not ENABLED:
            return self.function(*arguments)
        words: list[int] = []
        for kind, argument in zip(self.kinds, arguments, strict=True):
            if kind == INTEGER:
                words.append(int(argument))
            else:
                words += [argument.address] if isinstance(kind, type) else _array_words(kind, argument)
        return self._native(*words)

    @property
    def _numba_type_(self) -> object:
        return NUMBA_TYPES["entry"](self)


class Elementary(EntryPoint):
    """Function of doubles that compiled code calls by its name in `math`; from Python a plain function."""

    def __call__(self, *numbers: float) -> float:
        return cast("float", self.function(*numbers))


def _array_words(kind: str, array: np.ndarray) -> list[int]:
    """Address and shape of an array argument; TypeError if it is of another kind."""
    if array.ndim != int(kind[1]) or not array.flags.c_contiguous or array.itemsize != 8:
        raise TypeError(f"found an array of {array.ndim} dimensions, {array.dtype}; it must be {kind}")
    return [array.ctypes.data, *array.shape]


def helper(function: F) -> F:
    """Decorator: function that is part of the code of its callers."""
    return cast("F", Helper(function)) if ENABLED else _plain(function)


def inlined(function: F) -> F:
    """Decorator: helper that is always inlined."""
    return cast("F", Helper(function, inline=True)) if ENABLED else _plain(function)


def entry_point(*kinds: Kind) -> Callable[[Callable[..., object]], EntryPoint]:
    """Decorator: entry point with arguments of these kinds."""

    def decorate(function: Callable[..., object]) -> EntryPoint:
        place = function.__module__.rpartition(".solver.")[2].replace(".", "_")
        made = EntryPoint(function, kinds, f"luff_{place}_{function.__name__}")
        ENTRY_POINTS.append(made)
        return made if ENABLED else cast("EntryPoint", _without_warnings(_plain(function)))

    return decorate


def elementary(name: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Decorator: implementation that compiled code calls by this name of `math`, on every processor."""

    def decorate(function: Callable[..., float]) -> Callable[..., float]:
        kinds = (DOUBLE,) * function.__code__.co_argcount
        made = Elementary(function, kinds, own_symbol(name))
        ENTRY_POINTS.append(made)
        if not ENABLED:
            setattr(lenient_math, name, function)
        return made if ENABLED else _plain(function)

    return decorate


def in_place_of(function: Callable[..., float]) -> Callable[[F], F]:
    """Decorator: function inlined wherever compiled code calls this function of `math`."""

    def decorate(own: F) -> F:
        IN_PLACE[function] = own
        return inlined(own)

    return decorate


MARKS = "value_of", "carried"  # marks of kernels: where tangents end, and where they enter


def own_symbol(name: str) -> str:
    """Symbol of luff's implementation of a function of `math`."""
    return f"luff_{name}"


def _plain(function: F) -> F:
    """Plain Python form: `math` of its module with NaN and infinity instead of exceptions."""
    if "math" in function.__globals__:
        function.__globals__["math"] = lenient_math
    return function


def _without_warnings(function: Callable[..., object]) -> Callable[..., object]:
    """Plain Python form: no numpy warnings of infinity and NaN."""
    import numpy as np

    return np.errstate(all="ignore")(function)


IN_PLACE: dict[Callable[..., float], Callable[..., object]] = {}
ENTRY_POINTS: list[EntryPoint] = []  # entry points of all modules that are loaded


@cache
def _sources(file: str) -> list[str]:
    """Module file with all modules of the solver that it imports from, transitively."""
    sources, todo = {file}, [file]
    while todo:
        new = _source(todo.pop())[1] - sources
        sources |= new
        todo += new
    return sorted(sources)


@cache
def _source(file: str) -> tuple[bytes, frozenset[str]]:
    """Digest of a module's text, and the modules of the solver that it imports from."""
    with open(file, "rb") as source:
        text = source.read()
    named = set[str]()
    for dots, name in re.findall(r"^from (\.+)([\w.]*) import", text.decode("utf-8"), re.MULTILINE):
        folder = file
        for _ in dots:
            folder = os.path.dirname(folder)
        named.add(os.path.join(folder, *name.split(".")) + ".py")
    own = (path for path in named if path.startswith(SOLVER) and os.path.isfile(path))
    return hashlib.sha256(text).digest(), frozenset(own)


def _digest(*texts: bytes) -> str:
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:32]
