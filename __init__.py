"""luff: block-diagram simulator for constrained rigid and flexible multibody systems."""

import os  # `python -m luff` gets here while the current folder is first on the path: nothing else, till `__main__.py`

# an editable install leads here through a link (setup.py): files and messages name the folder itself
__path__ = [os.path.realpath(folder) for folder in __path__]
__file__ = os.path.join(__path__[0], "__init__.py")

from .version import __version__ as __version__

# as `typing` has it, which takes milliseconds in which a Ctrl-C would be the interpreter's own affair (`__main__.py`)
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import gym
    from .blocks import Block, CompileError, ConnectError, LuffError, ModelWarning, NetlistError, RunError
    from .gui.drawing.diagram_svg import Drawing, draw
    from .gui.html_page import export_page
    from .solver.analysis.bounded_inversion import BoundedInversion, bounded_inversion
    from .solver.analysis.buckling import Buckling, buckling
    from .solver.analysis.internal_dynamics import InternalDynamics, internal_dynamics
    from .solver.analysis.kalman_filter import Estimator, kalman
    from .solver.analysis.linear_quadratic import GainSchedule, Regulator, lqr
    from .solver.analysis.linearise import Linear, linearise
    from .solver.analysis.natural_modes import Modes, modes
    from .solver.analysis.root_locus import Locus, locus
    from .solver.analysis.sensitivity import Sensitivity, sensitivity
    from .solver.analysis.stability_margins import Margins, margins
    from .solver.analysis.steady_state import equilibrium
    from .solver.assessment import Assessed, Chart, Tornado, assess, chart, tornado
    from .solver.batch.batch import Batch, batch
    from .solver.exchange import export_ssp, import_model
    from .solver.flatten.diagram import Diagram, load, loads
    from .solver.fmi import export_fmu, export_library
    from .solver.integrators.butcher_tableau import add_method
    from .solver.planning import Plan, plan
    from .solver.read_any import read
    from .solver.reduction import member_forces, reduce
    from .solver.results.result import Result
    from .solver.results.run_metrics import reactions
    from .solver.simulation.compile_diagram import compile
    from .solver.simulation.session import Session
    from .solver.simulation.simulation import Simulation
    from .solver.simulation.test_bench import alone
    from .solver.studies import study
    from .solver.tuning import Fit, Optimum, fit, optimise

    linearize, optimize = linearise, optimise

__all__ = [
    "Assessed",
    "Batch",
    "Block",
    "BoundedInversion",
    "Buckling",
    "Chart",
    "CompileError",
    "ConnectError",
    "Diagram",
    "Drawing",
    "Estimator",
    "Fit",
    "GainSchedule",
    "InternalDynamics",
    "Linear",
    "Locus",
    "LuffError",
    "Margins",
    "ModelWarning",
    "Modes",
    "NetlistError",
    "Optimum",
    "Plan",
    "Regulator",
    "Result",
    "RunError",
    "Sensitivity",
    "Session",
    "Simulation",
    "Tornado",
    "add_method",
    "alone",
    "assess",
    "batch",
    "bounded_inversion",
    "buckling",
    "chart",
    "compile",
    "draw",
    "equilibrium",
    "export_fmu",
    "export_library",
    "export_page",
    "export_ssp",
    "fit",
    "gym",
    "import_model",
    "internal_dynamics",
    "kalman",
    "linearise",
    "load",
    "loads",
    "locus",
    "lqr",
    "margins",
    "member_forces",
    "modes",
    "optimise",
    "plan",
    "reactions",
    "read",
    "reduce",
    "sensitivity",
    "study",
    "tornado",
]

_SPELLINGS = {"linearize": "linearise", "optimize": "optimise"}

_HOMES = {
    **dict.fromkeys(
        ("Block", "CompileError", "ConnectError", "LuffError", "ModelWarning", "NetlistError", "RunError"),
        ".blocks",
    ),
    **dict.fromkeys(("Diagram", "load", "loads"), ".solver.flatten.diagram"),
    **dict.fromkeys(("Batch", "batch"), ".solver.batch.batch"),
    "add_method": ".solver.integrators.butcher_tableau",
    "alone": ".solver.simulation.test_bench",
    "equilibrium": ".solver.analysis.steady_state",
    **dict.fromkeys(("export_fmu", "export_library"), ".solver.fmi"),
    "export_page": ".gui.html_page",
    **dict.fromkeys(("BoundedInversion", "bounded_inversion"), ".solver.analysis.bounded_inversion"),
    **dict.fromkeys(("Buckling", "buckling"), ".solver.analysis.buckling"),
    **dict.fromkeys(("InternalDynamics", "internal_dynamics"), ".solver.analysis.internal_dynamics"),
    **dict.fromkeys(("export_ssp", "import_model"), ".solver.exchange"),
    **dict.fromkeys(("Estimator", "kalman"), ".solver.analysis.kalman_filter"),
    **dict.fromkeys(("GainSchedule", "Regulator", "lqr"), ".solver.analysis.linear_quadratic"),
    **dict.fromkeys(("Linear", "linearise"), ".solver.analysis.linearise"),
    **dict.fromkeys(("Locus", "locus"), ".solver.analysis.root_locus"),
    **dict.fromkeys(("Margins", "margins"), ".solver.analysis.stability_margins"),
    **dict.fromkeys(("Modes", "modes"), ".solver.analysis.natural_modes"),
    **dict.fromkeys(("Sensitivity", "sensitivity"), ".solver.analysis.sensitivity"),
    **dict.fromkeys(("Plan", "plan"), ".solver.planning"),
    "reactions": ".solver.results.run_metrics",
    "Result": ".solver.results.result",
    "read": ".solver.read_any",
    **dict.fromkeys(("member_forces", "reduce"), ".solver.reduction"),
    **dict.fromkeys(("Drawing", "draw"), ".gui.drawing.diagram_svg"),
    "Session": ".solver.simulation.session",
    "Simulation": ".solver.simulation.simulation",
    "compile": ".solver.simulation.compile_diagram",
    "study": ".solver.studies",
    **dict.fromkeys(("Assessed", "Chart", "Tornado", "assess", "chart", "tornado"), ".solver.assessment"),
    **dict.fromkeys(("Fit", "Optimum", "fit", "optimise"), ".solver.tuning"),
}


def __dir__() -> list[str]:
    return [*__all__, *_SPELLINGS, "__version__"]


def __getattr__(name: str) -> "Any":
    import sys

    # loaded when first asked for, so that `import luff` and `luff --help` stay quick
    name = _SPELLINGS.get(name, name)
    if name == "gym":
        return _loaded(".gym")
    if name not in _HOMES:
        raise AttributeError(f"module luff has no attribute {name!r}")
    value = getattr(_loaded(_HOMES[name]), name)
    globals()[name] = value
    diagram = sys.modules.get(f"{__name__}.solver.flatten.diagram")
    if diagram is not None and hasattr(diagram, "Diagram"):
        diagram.Diagram._svg_of = staticmethod(_svg)
    return value


def _loaded(module: str) -> "Any":
    """A module, without a search for garbage among what modules define, which takes a tenth of a first step."""
    import gc
    from importlib import import_module

    if not gc.isenabled() or gc.get_freeze_count():
        return import_module(module, __name__)
    gc.disable()
    try:
        return import_module(module, __name__)
    finally:
        gc.freeze()
        gc.unfreeze()  # all that there is belongs to the oldest generation now
        gc.enable()


def _svg(diagram: "Diagram") -> str:
    """SVG of a diagram for a notebook."""
    return __getattr__("draw")(diagram).svg
