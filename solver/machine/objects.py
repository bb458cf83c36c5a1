"""Object code in this process: loaded once, called by address. Needs llvmlite's loader, not numba."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from . import store
from .jit import INTEGER, NATIVE, NoCode, Progress, Unit
from .processors import processors

if TYPE_CHECKING:
    from .numbers.units import InLanes

STARTING, A_UNIT = 3.0, 2.5  # [s] to start the compiler, and to compile an entry point in lanes

_lock = threading.RLock()
_loaded: set[str] = set()  # symbols
_addresses: dict[str, int] = {}  # by symbol; code that is loaded stays where it is
listener: Progress | None = None  # hears of all compiling in this process, where a caller names nobody


@cache
def _engine() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def load(units: Iterable[Unit], progress: Progress | None = None) -> None:
    """Object code of these entry points, and of all that they call, compiled where there is none."""
    from llvmlite import binding

    with _lock:
        found: dict[str, bytes] = {}
        todo = {unit.symbol: unit for unit in units if unit.symbol not in _loaded}
        while todo:
            read = _read_or_make(todo.values(), progress)
            found |= {symbol: code for symbol, (_, code) in read.items()}
            needed = [unit for symbol, (names, _) in read.items() for unit in todo[symbol].called(names)]
            todo = {
                unit.symbol: unit
                for unit in needed
                if unit.symbol not in found and unit.symbol not in _loaded
            }
        if not found:
            return
        engine = _engine()
        for code in found.values():
            engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _loaded.update(found)


def _read_or_make(units: Iterable[Unit], progress: Progress | None) -> dict[str, tuple[list[str], bytes]]:
    """Names that each needs, and its code; what is not there, or cannot be read, is compiled."""
    units = list(units)
    read = {unit.symbol: store.read(unit) for unit in units}
    missing = [unit for unit in units if read[unit.symbol] is None]
    if missing:
        from .makers import make

        make(missing, progress or listener)
        read |= {unit.symbol: store.read(unit) for unit in missing}
    found = {symbol: code for symbol, code in read.items() if code is not None}
    if len(found) < len(read):
        raise OSError(f"compiled code cannot be read back from {store.folder()}")
    for reasons, code in found.values():
        if not code:
            raise NoCode(*reasons)
    return found


def cost_of(units: Iterable[InLanes]) -> float:
    """Seconds that it takes, about, to compile what is not there of these and of what they call."""
    seen: set[str] = set()
    todo: list[Any] = list(units)
    missing = 0
    while todo:
        unit = todo.pop()
        if unit.symbol in seen or unit.symbol in _loaded:
            continue
        seen.add(unit.symbol)
        code = store.read(unit)
        missing += code is None
        code = code or store.read(unit.unit)  # which calls the same
        if code is not None:
            todo += unit.called(code[0])
    return missing * A_UNIT / processors() + (STARTING if missing else 0.0)


def address_of(unit: Unit) -> int:
    found = _addresses.get(unit.symbol)
    if found is None:
        load([unit])
        found = _addresses[unit.symbol] = _engine().get_function_address(unit.symbol)
    return found


def callable_of(unit: Unit) -> Callable[..., Any]:
    """The function for Python: it takes addresses and shapes, and runs without the interpreter's lock."""
    words = sum(
        1 + int(kind[1]) if isinstance(kind, str) and kind[0] in "fi" and kind != INTEGER else 1
        for kind in unit.kinds
    )
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * words)(address_of(unit))


NATIVE.append(callable_of)
