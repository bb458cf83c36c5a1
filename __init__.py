"""luff: block-diagram simulator for constrained rigid and flexible multibody systems."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .blocks import Block, CompileError, ConnectError, LuffError, NetlistError, RunError
    from .solver.buckling import Buckling, buckling
    from .solver.diagram import Diagram, load, loads
    from .solver.equilibrium import equilibrium
    from .solver.exchange import import_model
    from .solver.linearise import Linear, linearise
    from .solver.metrics import reactions
    from .solver.modes import Modes, modes
    from .solver.result import Result, read
    from .solver.session import Session
    from .solver.simulation import Simulation, compile
    from .solver.study import study

__all__ = [
    "Block",
    "Buckling",
    "CompileError",
    "ConnectError",
    "Diagram",
    "Linear",
    "LuffError",
    "Modes",
    "NetlistError",
    "Result",
    "RunError",
    "Session",
    "Simulation",
    "buckling",
    "compile",
    "equilibrium",
    "import_model",
    "linearise",
    "load",
    "loads",
    "modes",
    "reactions",
    "read",
    "study",
]

_HOMES = {
    **dict.fromkeys(
        ("Block", "CompileError", "ConnectError", "LuffError", "NetlistError", "RunError"), ".blocks"
    ),
    **dict.fromkeys(("Buckling", "buckling"), ".solver.buckling"),
    **dict.fromkeys(("Diagram", "load", "loads"), ".solver.diagram"),
    "equilibrium": ".solver.equilibrium",
    "import_model": ".solver.exchange",
    **dict.fromkeys(("Linear", "linearise"), ".solver.linearise"),
    **dict.fromkeys(("Modes", "modes"), ".solver.modes"),
    "reactions": ".solver.metrics",
    **dict.fromkeys(("Result", "read"), ".solver.result"),
    "Session": ".solver.session",
    **dict.fromkeys(("Simulation", "compile"), ".solver.simulation"),
    "study": ".solver.study",
}


def __getattr__(name: str) -> Any:
    # loaded when first asked for, so that `import luff` and `luff --help` stay quick
    if name not in _HOMES:
        raise AttributeError(f"module luff has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value
