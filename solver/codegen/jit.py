"""What is compiled, and how it is called; numba is imported where something has to be compiled, and nowhere else.

    helper     a function of kernels: part of the code of all that call it
    inlined    the same, and never a call
    kernel     an entry point (m, d): compiled once, kept as object code, called by its address
    loop       an entry point that takes a run as well
    elementary a function of mathematics, of doubles, that compiled code calls in place of the C library's

An entry point calls others as external functions: none is compiled a second time inside another. With
`NUMBA_DISABLE_JIT=1` all of them are the plain functions that they decorate.
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
NUMBA_TYPES: dict[str, Callable[..., object]] = {}  # what numba takes these for: numba_compile.py tells it
NATIVE: list[
    Callable[[EntryPoint], Callable[..., object]]
] = []  # what calls an entry point's code: by object_loader.py


class NoCode(Exception):
    """Why an entry point cannot be compiled as it was asked for."""


class Helper:
    """A function that entry points call; from Python it is itself."""

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
    """An entry point: its arguments are bundles, by the names of their classes, or arrays ("f1", "f2")."""

    pack = "plain.pack"  # the file of a wheel that has its code, where that has no file of its own
    in_slopes: EntryPoint | None = None  # of which its code for numbers with tangents is made in its stead

    def __init__(self, function: Callable[..., object], kinds: tuple[Kind, ...], symbol: str):
        super().__init__(function)
        self.kinds, self.symbol = kinds, symbol

    @cached_property
    def digest(self) -> str:
        """What the object code depends on, beside the machine and the compiler."""
        sources = _sources(self.function.__code__.co_filename)
        return _digest(self.symbol.encode(), *(_source(file)[0] for file in sources))

    def called(self, symbols: Iterable[str]) -> list[EntryPoint]:
        """The entry points among the names of what its code needs."""
        known = {entry.symbol: entry for entry in ENTRY_POINTS}
        return [known[symbol] for symbol in symbols if symbol in known]

    @cached_property
    def _native(self) -> Callable[..., object]:
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
    """A function of doubles that compiled code calls by its name in `math`; for Python it is itself."""

    def __call__(self, *numbers: float) -> float:
        return cast("float", self.function(*numbers))


def _array_words(kind: str, array: np.ndarray) -> list[int]:
    if array.ndim != int(kind[1]) or not array.flags.c_contiguous or array.itemsize != 8:
        raise TypeError(f"found an array of {array.ndim} dimensions, {array.dtype}; it must be {kind}")
    return [array.ctypes.data, *array.shape]


def helper(function: F) -> F:
    return cast("F", Helper(function)) if ENABLED else _plain(function)


def inlined(function: F) -> F:
    return cast("F", Helper(function, inline=True)) if ENABLED else _plain(function)


def entry_point(*kinds: Kind) -> Callable[[Callable[..., object]], EntryPoint]:
    """An entry point with arguments of these kinds."""

    def decorate(function: Callable[..., object]) -> EntryPoint:
        place = function.__module__.rpartition(".solver.")[2].replace(".", "_")
        made = EntryPoint(function, kinds, f"luff_{place}_{function.__name__}")
        ENTRY_POINTS.append(made)
        return made if ENABLED else cast("EntryPoint", _quiet(_plain(function)))

    return decorate


def elementary(name: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """What compiled code calls by this name of `math`, on every processor."""

    def decorate(function: Callable[..., float]) -> Callable[..., float]:
        kinds = (DOUBLE,) * function.__code__.co_argcount
        made = Elementary(function, kinds, own_symbol(name))
        ENTRY_POINTS.append(made)
        if not ENABLED:
            setattr(lenient_math, name, function)
        return made if ENABLED else _plain(function)

    return decorate


def in_place_of(function: Callable[..., float]) -> Callable[[F], F]:
    """What becomes part of compiled code wherever it calls this function of `math`."""

    def decorate(own: F) -> F:
        IN_PLACE[function] = own
        return inlined(own)

    return decorate


def own_symbol(name: str) -> str:
    return f"luff_{name}"


def _plain(function: F) -> F:
    """As plain Python: functions of `math` give NaN or infinity where Python's own raise, as compiled code has them."""
    if "math" in function.__globals__:
        function.__globals__["math"] = lenient_math
    return function


def _quiet(function: Callable[..., object]) -> Callable[..., object]:
    """As plain Python: infinity and NaN pass without a warning of numpy's, as they do in compiled code."""
    import numpy as np

    return np.errstate(all="ignore")(function)


IN_PLACE: dict[Callable[..., float], Callable[..., object]] = {}
ENTRY_POINTS: list[EntryPoint] = []  # entry points of all modules that are loaded


@cache
def _sources(file: str) -> list[str]:
    """A module of the solver with all those that it takes functions from."""
    sources, todo = {file}, [file]
    while todo:
        new = _source(todo.pop())[1] - sources
        sources |= new
        todo += new
    return sorted(sources)


@cache
def _source(file: str) -> tuple[bytes, frozenset[str]]:
    """A digest of a module, which many entry points are made of, and the modules that it names itself."""
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
