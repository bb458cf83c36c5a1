"""Loader of object code into this process: once, called by address; by llvmlite, without numba."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from . import object_store
from .jit import INTEGER, MARKS, NATIVE, EntryPoint, NoCode, Progress, own_symbol
from .target_cpu import processors

if TYPE_CHECKING:
    from llvmlite import binding

    from .transforms.entry_point_variants import InLanes

STARTING, A_UNIT = 1.0, 1.0  # [s] estimates: start of the compiler, compilation of an entry point in lanes

_lock = threading.RLock()
_loaded: set[str] = set()  # symbols
_addresses: dict[str, int] = {}  # by symbol; loaded code never moves
listener: Progress | None = None  # default progress callback of compilations in this process


@cache
def _engine() -> binding.ExecutionEngine:
    """LLVM execution engine of this process."""
    from .code_model import engine

    return engine()


def load(entries: Iterable[EntryPoint], progress: Progress | None = None) -> None:
    """Load object code of entry points and of all that they call, compiling what is missing."""
    from llvmlite import binding

    with _lock:
        codes: dict[str, bytes] = {}
        todo = {entry.symbol: entry for entry in entries if entry.symbol not in _loaded}
        while todo:
            read = _read_or_make(todo.values(), progress)
            codes |= {symbol: code for symbol, (_, code) in read.items()}
            for symbol, (names, _) in read.items():
                _refuse_marks(symbol, names)
            needed = [entry for symbol, (names, _) in read.items() for entry in todo[symbol].called(names)]
            todo = {
                entry.symbol: entry
                for entry in needed
                if entry.symbol not in codes and entry.symbol not in _loaded
            }
        if not codes:
            return
        engine = _engine()
        for code in codes.values():
            engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _loaded.update(codes)


def _refuse_marks(symbol: str, names: Iterable[str]) -> None:
    """OSError for code that still calls a mark of derivatives, which only their own code replaces."""
    left = sorted({own_symbol(mark) for mark in MARKS} & {*names})
    if left:
        raise OSError(f"{symbol} calls {left[0]}, which has a meaning in code for derivatives alone")


def _read_or_make(
    entries: Iterable[EntryPoint], progress: Progress | None
) -> dict[str, tuple[list[str], bytes]]:
    """(needed symbols, code) by symbol; missing or unreadable code is compiled."""
    entries = list(entries)
    read = {entry.symbol: object_store.read_object(entry) for entry in entries}
    missing = [entry for entry in entries if read[entry.symbol] is None]
    if missing:
        from .compile_pool import make

        make(missing, progress or listener)
        read |= {entry.symbol: object_store.read_object(entry) for entry in missing}
    present = {symbol: code for symbol, code in read.items() if code is not None}
    if len(present) < len(read):
        raise OSError(f"compiled code cannot be read back from {object_store.folder()}")
    for reasons, code in present.values():
        if not code:
            raise NoCode(*reasons)
    return present


def loaded(entries: Iterable[EntryPoint]) -> bool:
    """True if the code of these entry points, and so of all that they call, is loaded."""
    return all(entry.symbol in _loaded for entry in entries)


def cost_of(entries: Iterable[InLanes]) -> float:
    """Estimated time to compile the missing code of these variants and their callees [s]."""
    seen: set[str] = set()
    todo: list[Any] = list(entries)
    missing = 0
    while todo:
        entry = todo.pop()
        if entry.symbol in seen or entry.symbol in _loaded:
            continue
        seen.add(entry.symbol)
        code = object_store.read_object(entry)
        missing += code is None
        code = code or object_store.read_object(entry.entry)  # has the same callees
        if code is not None:
            todo += entry.called(code[0])
    return missing * A_UNIT / processors() + (STARTING if missing else 0.0)


def address_of(entry: EntryPoint) -> int:
    """Address of an entry point's code, loaded if it is not."""
    address = _addresses.get(entry.symbol)
    if address is None:
        load([entry])
        address = _addresses[entry.symbol] = _engine().get_function_address(entry.symbol)
    return address


def callable_of(entry: EntryPoint) -> Callable[..., object]:
    """ctypes function of an entry point: takes addresses and shapes, releases the interpreter's lock."""
    words = sum(
        1 + int(kind[1]) if isinstance(kind, str) and kind[0] in "fi" and kind != INTEGER else 1
        for kind in entry.kinds
    )
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * words)(address_of(entry))


NATIVE.append(callable_of)
