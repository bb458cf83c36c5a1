"""Settings of a run: `simulation:`, `initial:` and `plots:`, checked like a block's parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...blocks.errors import Problem
from ...blocks.params import Choice, Flag, Names, Param, Struct, Sub, SubList, Text
from ..integrators.method_table import METHODS

EVENTS = ("step", "locate")
ADAPTIVE = " and ".join(method.name for method in METHODS.values() if method.adaptive)
MOST_STEPS = 2**53  # beyond it a float no longer counts them
APART = 1e-6  # share of a step by which a time may miss a whole number of them


class ConstraintSettings(Struct):
    """`simulation: {constraints: ...}`"""

    method = Choice("reduced", ("reduced", "baumgarte", "projected"), doc="how loops are kept closed")
    alpha = Param(100.0, "1/s", ge=0, doc="Baumgarte's damping of the violation's rate")
    beta = Param(100.0, "1/s", ge=0, doc="Baumgarte's stiffness against the violation, as a rate")
    dependent = Names(None, doc="coordinates to be solved for; chosen by pivoting if left out")
    redundant = Choice(
        "minimum_norm",
        ("minimum_norm", "refuse"),
        doc="constraints that say the same twice: share their forces as equal bushings do, or refuse",
    )
    bushing_length = Param(
        None,
        "m",
        gt=0,
        doc="of these bushings: lever on which they hold torques as they hold forces; mean distance of the joints",
    )


class MethodName(Choice):
    """Name of an integration method; those that a user added are known too."""

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(METHODS)

    @choices.setter
    def choices(self, given: tuple[str, ...]) -> None:
        pass


class SimulationSettings(Struct):
    """Section `simulation:`."""

    stop = Param(10.0, "s", gt=0, doc="end time")
    step = Param(1e-3, "s", gt=0, doc="step of the integrator")
    method = MethodName("rk4", (), doc=f"integrator; {ADAPTIVE} adapt their step")
    events = Choice(
        "step", EVENTS, doc="jumps and bends at a state: met at whole steps, or located within them"
    )
    stop_when = Text("", doc="ends the run at the first step where it holds: load.position above 2 m")
    output_step = Param(None, "s", gt=0, doc="time between recorded samples; the step if left out")
    constraints = Sub(ConstraintSettings, {}, doc="how constraints are treated")
    gpme_delta_q = Flag(
        False,
        doc="as the GPME is printed: dampers count twice under constraints, and energy does not balance",
    )
    rtol = Param(1e-8, gt=0, lt=1, doc="relative tolerance of an adaptive integrator")
    atol = Param(1e-10, gt=0, doc="absolute tolerance of an adaptive integrator")


class InitialSettings(Struct):
    """Section `initial:`."""

    solve = Choice("assemble", ("none", "assemble", "static"), doc="what is solved for before the run")
    hold = Names((), doc="blocks or coordinates that keep their values meanwhile")


class PlotSettings(Struct):
    """Entry of `plots:`."""

    title = Text("", doc="above the plot")
    x = Text("time", doc="signal along the horizontal axis")
    y = Names(doc="signals to draw")
    unit = Text("", doc="unit of the vertical axis, for the signals that it measures; their own if left out")
    range = Param(
        None, shape=(2,), doc="ends of the vertical axis, in its unit; as the signals need if left out"
    )
    plan = Text(
        "", doc="programmed constraint whose planned curve is drawn dashed; x and y are a sensor's components"
    )


SIMULATION = Sub(SimulationSettings, {}, doc="how the netlist is run")
INITIAL = Sub(InitialSettings, {}, doc="how the first state is found")
SECTIONS = {"simulation": SIMULATION, "initial": INITIAL}  # settings of a run, set by path too
PLOTS = SubList(PlotSettings, doc="what is drawn during a run")


def steps_to(stop: float, step: float) -> int:
    """Steps to the end, or to the first one behind it."""
    steps = round(stop / step)
    return steps if steps >= 1 and abs(steps * step - stop) <= APART * step else math.ceil(stop / step)


def nearest_multiple(time: float, step: float) -> float:
    """Multiple of the step nearest to a time [s]; invalid times pass through, and the checker reports them."""
    return (
        max(1, round(time / step)) * step if 0.0 < step < math.inf and 0.0 < time / step < math.inf else time
    )


def time_problems(stop: float, step: float, output_step: float) -> Iterator[Problem]:
    """Yield problems of the times of a run [s]."""
    times = {"stop": stop, "step": step, "output_step": output_step}
    wrong = {name: time for name, time in times.items() if not 0.0 < time < math.inf}
    for name, time in wrong.items():
        yield Problem(f"found {time:g}, expected a number > 0 s", f"simulation.{name}")
    if wrong:
        return
    if step > stop * (1.0 + APART):
        yield Problem(
            f"found a step of {step:g} s, longer than the whole run of {stop:g} s",
            "simulation.step",
            "shorten the step, or lengthen the run",
        )
    elif stop / step > MOST_STEPS:
        fix = "lengthen the step, or shorten the run"
        yield Problem(f"found {stop / step:.3g} steps of {step:g} s, expected fewer", "simulation.step", fix)
    multiple = nearest_multiple(output_step, step)
    if abs(multiple - output_step) > APART * step:
        message = f"found an output step of {output_step:g} s, expected a multiple of the step of {step:g} s"
        yield Problem(message, "simulation.output_step", f"for example {multiple:g} s")


def time_warnings(settings: SimulationSettings) -> Iterator[Problem]:
    """Yield warnings of times that are legal, but hardly meant."""
    stop, step, output_step = settings.stop, settings.step, settings.output_step
    end = steps_to(stop, step) * step
    if end - stop > APART * step:
        message = f"{stop:g} s are not a whole number of steps of {step:g} s: the run ends at {end:.9g} s"
        yield Problem(message, "simulation.stop", severity="warning")
    if output_step > end * (1.0 + APART):
        message = (
            f"found an output step of {output_step:g} s: only the start of a run of {stop:g} s is recorded"
        )
        yield Problem(message, "simulation.output_step", severity="warning")
