"""How a netlist is run: `simulation:`, `initial:` and `plots:`, checked like a block's parameters."""

from __future__ import annotations

from ..blocks.params import Choice, Flag, Names, Param, Struct, Sub, SubList, Text

METHODS = ("euler", "heun", "rk4", "implicit", "dop853", "radau")
ADAPTIVE = ("dop853", "radau")


class ConstraintSettings(Struct):
    """`simulation: {constraints: ...}`"""

    method: str = Choice("reduced", ("reduced", "baumgarte", "projected"), doc="how loops are kept closed")  # type: ignore
    alpha: float = Param(100.0, "1/s", ge=0, doc="Baumgarte's damping of the violation's rate")  # type: ignore
    beta: float = Param(100.0, "1/s", ge=0, doc="Baumgarte's stiffness against the violation, as a rate")  # type: ignore
    dependent: tuple[str, ...] | None = Names(
        None, doc="coordinates to be solved for; chosen by pivoting if left out"
    )  # type: ignore
    redundant: str = Choice(  # type: ignore
        "minimum_norm",
        ("minimum_norm", "refuse"),
        doc="constraints that say the same twice: share their forces, or refuse",
    )


class SimulationSettings(Struct):
    """`simulation:`"""

    stop: float = Param(10.0, "s", gt=0, doc="end time")  # type: ignore
    step: float = Param(1e-3, "s", gt=0, doc="step of the integrator")  # type: ignore
    method: str = Choice("rk4", METHODS, doc="integrator; dop853 and radau adapt their step")  # type: ignore
    output_step: float = Param(None, "s", gt=0, doc="time between recorded samples; the step if left out")  # type: ignore
    constraints: ConstraintSettings = Sub(ConstraintSettings, {}, doc="how constraints are treated")  # type: ignore
    gpme_delta_q: bool = Flag(  # type: ignore
        False,
        doc="as the GPME is printed: dampers count twice under constraints, and energy does not balance",
    )
    rtol: float = Param(1e-8, gt=0, lt=1, doc="relative tolerance of an adaptive integrator")  # type: ignore
    atol: float = Param(1e-10, gt=0, doc="absolute tolerance of an adaptive integrator")  # type: ignore


class InitialSettings(Struct):
    """`initial:`"""

    solve: str = Choice("assemble", ("none", "assemble", "static"), doc="what is solved for before the run")  # type: ignore
    hold: tuple[str, ...] = Names((), doc="blocks or coordinates that keep their values meanwhile")  # type: ignore


class PlotSettings(Struct):
    """One entry of `plots:`"""

    title: str = Text("", doc="above the plot")  # type: ignore
    x: str = Text("time", doc="signal along the horizontal axis")  # type: ignore
    y: tuple[str, ...] = Names(doc="signals to draw")  # type: ignore


SIMULATION = Sub(SimulationSettings, {}, doc="how the netlist is run")
INITIAL = Sub(InitialSettings, {}, doc="how the first state is found")
PLOTS = SubList(PlotSettings, doc="what is drawn during a run")
