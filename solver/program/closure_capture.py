"""Closure capture: constants, functions of `math` and numpy, and neighbouring functions that a block's function reads.

Compiled code is made of text alone, so the text carries these by value: equal values give equal text, and another
value another text with code of its own.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import numpy as np

from ...blocks.errors import CompileError
from ...blocks.light_dataclass import record
from ..codegen.source_functions import CALLS, NAME

LONGEST = 10_000  # most numbers of an array in compiled code
READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
TAKEN = {NAME, *CALLS} - {"math"}  # names reserved by the text around a function
Called = Callable[..., object]


@record
class SourcePiece:
    """Part of an entry point's text: a constant, or a function with its origin."""

    name: str
    text: str
    file: str = ""  # file of a function
    line: int = 0

    @property
    def callable(self) -> bool:
        """True for functions."""
        return bool(self.file)


@cache
def source_text(function: Called) -> str:
    """Source of a block's function; functions made at run time carry theirs where `inspect` finds it."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except OSError:
        raise CompileError(
            f"the text of {function.__qualname__} cannot be read", fix="keep the block in a .py file"
        ) from None


@cache
def function_source(function: Called, name: str) -> SourcePiece:
    """Function alone, without decorators, renamed."""
    text = source_text(function)
    begin = text.index("def ")
    line = inspect.getsourcelines(function)[1] + text.count("\n", 0, begin)
    renamed = re.sub(r"def\s+\w+", f"def {name}", text[begin:], count=1)
    return SourcePiece(name, renamed, inspect.getsourcefile(function) or "", line)


def definition_line(function: Called) -> tuple[Path, int]:
    """File and line number of a function's definition."""
    piece = function_source(function, "it")
    return Path(piece.file), piece.line


def captured_sources(function: Called) -> tuple[SourcePiece, ...]:
    """Sources that the function needs beside its own, in order of dependence."""
    made: dict[str, SourcePiece] = {}
    for piece in _needed(function, (function,)):
        there = made.setdefault(piece.name, piece)
        if there.text != piece.text:
            raise _capture_error(
                function, f'two modules mean different things by "{piece.name}"', "rename one of them"
            )
    return tuple(made.values())


def content_of(function: Called, above: tuple[Called, ...] = ()) -> tuple[object, ...]:
    """Content of a function: code, defaults, and values of the names it reads outside.

    Functions of equal content have equal text (`captured_sources`), known without reading that text.
    """
    code: CodeType = function.__code__  # type: ignore[attr-defined]
    read: list[object] = []
    for name in _names_in(code) if not _in_defaults_of(function) else names_read(function):
        if hasattr(builtins, name) and name not in function.__globals__:  # type: ignore[attr-defined]
            continue
        value = _value(function, name)
        inner = getattr(value, "py_func", value)
        if isinstance(inner, FunctionType) and not _known(inner):
            value = "itself" if inner in above else content_of(inner, (*above, function))
        elif isinstance(value, np.ndarray):
            value = value.shape, str(value.dtype), value.tobytes()
        elif not callable(value) and not isinstance(value, ModuleType):
            value = type(value), repr(value)
        read.append((name, value))
    return code, repr(_in_defaults_of(function)), *read


@cache
def _names_in(code: CodeType) -> tuple[str, ...]:
    """Names that code reads outside of itself."""
    return tuple(dict.fromkeys(_loaded(code)))


def _in_defaults_of(function: Called) -> tuple[object, object] | None:
    """Default values of a function, or None."""
    found = function.__defaults__, function.__kwdefaults__  # type: ignore[attr-defined]
    return found if any(found) else None


def _needed(function: Called, above: tuple[Called, ...]) -> Iterator[SourcePiece]:
    """Sources that a function needs, each after those that it needs itself."""
    _must_not_raise(function)
    for name in names_read(function):
        value = _value(function, name)
        if name == "math" and (value is math or value is CALLS["math"]):
            continue
        if name in TAKEN:
            raise _capture_error(function, f'it uses the name "{name}", which is kept for luff', "rename it")
        inner = getattr(value, "py_func", value)  # unwrap numba's dispatcher
        if not isinstance(inner, FunctionType) or _known(inner):
            text = _definition(name, value)
            if text is None:
                kind = type(value).__name__
                raise _capture_error(
                    function,
                    f'it reads "{name}", which is of type {kind}',
                    "numbers, tuples and arrays of numbers, functions, math and numpy can be read",
                )
            yield SourcePiece(name, text)
        elif inner not in above:
            yield from _needed(inner, (*above, inner))
            yield function_source(inner, name)


@cache
def _must_not_raise(function: Called) -> None:
    """Refuse functions with `raise` or `assert`: compiled code cannot pass an exception on."""
    for step in dis.get_instructions(function.__code__):  # type: ignore[attr-defined]
        if step.opname == "RAISE_VARARGS":
            line = step.positions.lineno if step.positions else None
            what = "found `raise` or `assert`, and compiled functions cannot raise"
            fix = "return math.nan: a state that is not a number ends the run; for parameters write check()"
            raise _capture_error(function, what, fix, line)


def _capture_error(function: Called, what: str, fix: str, line: int | None = None) -> CompileError:
    """CompileError of a function that cannot be compiled, at a line."""
    code = function.__code__  # type: ignore[attr-defined]
    place = f"{Path(code.co_filename)}:{line or code.co_firstlineno}"
    return CompileError(f"its function {function.__name__} cannot be compiled\n  {place}: {what}", fix=fix)


@cache
def names_read(function: Called) -> tuple[str, ...]:
    """Names that a function reads outside of itself, its default values included, builtins excluded."""
    names = dict.fromkeys([*_loaded(function.__code__), *_in_defaults(function)])  # type: ignore[attr-defined]
    own = vars(builtins).keys() - function.__globals__.keys()  # type: ignore[attr-defined]
    return tuple(name for name in names if name not in own)


def _loaded(code: CodeType) -> Iterator[str]:
    """Names that code and its nested code read outside."""
    inside = {*code.co_varnames, *code.co_cellvars}
    for step in dis.get_instructions(code):
        if step.opname in READS and step.argval not in inside:
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from (name for name in _loaded(constant) if name not in inside)


def _in_defaults(function: Called) -> Iterator[str]:
    """Names in the default values of a function."""
    if not (function.__defaults__ or function.__kwdefaults__):  # type: ignore[attr-defined]
        return
    (tree,) = ast.parse(source_text(function)).body
    assert isinstance(tree, ast.FunctionDef)
    for default in [*tree.args.defaults, *(one for one in tree.args.kw_defaults if one is not None)]:
        yield from (node.id for node in ast.walk(default) if isinstance(node, ast.Name))


def _value(function: Called, name: str) -> object:
    """Value of a name as the function sees it."""
    free = function.__code__.co_freevars  # type: ignore[attr-defined]
    if name in free:
        cell = function.__closure__[free.index(name)]  # type: ignore[attr-defined]
        try:
            return cell.cell_contents
        except ValueError:
            pass  # empty cell
    elif name in function.__globals__:  # type: ignore[attr-defined]
        return function.__globals__[name]  # type: ignore[attr-defined]
    raise _capture_error(
        function,
        f'it reads "{name}", which is neither declared nor in its module',
        "declare a Param, name it as an argument, or set it in the module",
    )


def _known(value: object) -> bool:
    """True for members of math or numpy."""
    name = getattr(value, "__name__", "")
    return bool(name) and any(getattr(home, name, None) is value for home in (math, np))


def _definition(name: str, value: object) -> str | None:
    """Line of source that defines the name with this value; None if compiled code cannot have it."""
    if isinstance(value, ModuleType):
        if value is math:
            return f"{name} = math"
        return f"import numpy as {name}" if value is np else None
    if callable(value):
        own = value.__name__ if _known(value) else ""
        if getattr(math, own or " ", None) is value:
            return f"{name} = math.{own}"
        return f"from numpy import {own} as {name}" if own else None
    if isinstance(value, np.ndarray):
        return _array(name, value)
    text = _number(value)
    return None if text is None else f"{name} = {text}"


def _array(name: str, value: np.ndarray) -> str | None:
    """Source of an array constant, or None."""
    if value.dtype.kind not in "iufb" or not 0 < value.size <= LONGEST:
        return None
    kind = "float64" if value.dtype.kind == "f" else "int64"
    entries = ", ".join(map(str, map(_number, value.ravel().tolist())))
    return f"from numpy import array as {name}\n{name} = {name}([{entries}], '{kind}').reshape({value.shape})"


def _number(value: object) -> str | None:
    """Source of a number or tuple of numbers, or None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f"float('{float(value)}')"
    if type(value) is tuple:
        parts = [_number(one) for one in value]
        return None if None in parts else f"({''.join(f'{part}, ' for part in parts)})"
    return None
