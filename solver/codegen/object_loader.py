"""Object code in this process: loaded once, called by address. Needs llvmlite's loader, not numba."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from . import object_store
from .jit import INTEGER, NATIVE, EntryPoint, NoCode, Progress
from .target_cpu import processors

if TYPE_CHECKING:
    from llvmlite import binding

    from .transforms.entry_point_variants import InLanes

STARTING, A_UNIT = 1.0, 1.0  # [s] to start the compiler, and to compile an entry point in lanes of its text

_lock = threading.RLock()
_loaded: set[str] = set()  # symbols
_addresses: dict[str, int] = {}  # by symbol; code that is loaded stays where it is
listener: Progress | None = None  # hears of all compiling in this process, where a caller names nobody


@cache
def _engine() -> binding.ExecutionEngine:
    from .code_model import engine

    return engine()


def load(entries: Iterable[EntryPoint], progress: Progress | None = None) -> None:
    """Object code of these entry points, and of all that they call, compiled where there is none."""
    from llvmlite import binding

    with _lock:
        codes: dict[str, bytes] = {}
        todo = {entry.symbol: entry for entry in entries if entry.symbol not in _loaded}
        while todo:
            read = _read_or_make(todo.values(), progress)
            codes |= {symbol: code for symbol, (_, code) in read.items()}
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


def _read_or_make(
    entries: Iterable[EntryPoint], progress: Progress | None
) -> dict[str, tuple[list[str], bytes]]:
    """Names that each needs, and its code; what is not there, or cannot be read, is compiled."""
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
    """Whether code of these is in this process, and so that of all that they call."""
    return all(entry.symbol in _loaded for entry in entries)


def cost_of(entries: Iterable[InLanes]) -> float:
    """Seconds that it takes, about, to compile what is not there of these and of what they call."""
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
        code = code or object_store.read_object(entry.entry)  # which calls the same
        if code is not None:
            todo += entry.called(code[0])
    return missing * A_UNIT / processors() + (STARTING if missing else 0.0)


def address_of(entry: EntryPoint) -> int:
    address = _addresses.get(entry.symbol)
    if address is None:
        load([entry])
        address = _addresses[entry.symbol] = _engine().get_function_address(entry.symbol)
    return address


def callable_of(entry: EntryPoint) -> Callable[..., object]:
    """The function for Python: it takes addresses and shapes, and runs without the interpreter's lock."""
    words = sum(
        1 + int(kind[1]) if isinstance(kind, str) and kind[0] in "fi" and kind != INTEGER else 1
        for kind in entry.kinds
    )
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * words)(address_of(entry))


NATIVE.append(callable_of)
