"""Object code in this process: loaded once, called by address. Needs llvmlite's loader, not numba."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from . import store
from .jit import INTEGER, UNITS, Unit

_lock = threading.RLock()
_loaded: dict[str, str] = {}  # symbol -> digest of what is loaded
Progress = Callable[[int, int, str], Any]  # done, of how many, what
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
        wanted, found = {unit.symbol: unit for unit in units if unit.symbol not in _loaded}, {}
        known = {unit.symbol: unit for unit in UNITS}
        todo = dict(wanted)
        while todo:
            missing = [unit for unit in todo.values() if not store.has(unit)]
            if missing:
                from .makers import make

                make(missing, progress or listener)
            after: dict[str, Unit] = {}
            for symbol, unit in todo.items():
                code = store.read(unit)
                if code is None:
                    raise RuntimeError(f"no compiled code for {symbol}")
                found[symbol] = unit, code[1]
                after |= {name: known[name] for name in code[0] if name in known}
            todo = {name: unit for name, unit in after.items() if name not in found and name not in _loaded}
        if not found:
            return
        engine = _engine()
        for _, code in found.values():
            engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _loaded.update({symbol: unit.digest for symbol, (unit, _) in found.items()})


def address_of(unit: Unit) -> int:
    if unit.symbol not in _loaded:
        load([unit])
    return _engine().get_function_address(unit.symbol)


def callable_of(unit: Unit) -> Callable[..., Any]:
    """The function for Python: it takes addresses and shapes, and runs without the interpreter's lock."""
    words = sum(
        1 + int(kind[1]) if isinstance(kind, str) and kind[0] in "fi" and kind != INTEGER else 1
        for kind in unit.kinds
    )
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * words)(address_of(unit))
