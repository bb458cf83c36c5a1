"""Sixth pass of the elaboration: sections beside blocks and wires, converted and checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.expression_scope import Scope
from ...blocks.registry import block_class, registered
from ...blocks.text.symbol_text import is_symbol
from ..diagram import run_settings
from ..diagram.dashboard_section import dials_of, unbound_dials
from ..diagram.view_section import unknown_frame_problem, view_of
from ..results.recorded_run import matching
from .connect import exposed_signals
from .elaboration import Elaboration
from .hierarchy import HierarchyLevel

PART = re.compile(r"\[\d+\]|\.(rate|acceleration)$")  # of a signal: one number of a port
Made = TypeVar("Made")


def convert_sections(made: Elaboration) -> None:
    """Convert and check `simulation`, `initial`, `plots`, `dashboard`, `view` and `record`."""
    top, diagram = made.top, made.diagram
    raw = made.settings
    made.simulation = _converted(top, run_settings.SIMULATION.group, raw["simulation"], "simulation")
    if made.simulation:
        _check_times(top, made.simulation, made.step_is_set)
    made.initial = _converted(top, run_settings.INITIAL.group, raw["initial"], "initial")
    _converted(top, run_settings.PLOTS.convert, diagram.plots, "plots")
    dials = _converted(top, dials_of, diagram.dashboard, "dashboard") or ()
    made.view = _converted(top, view_of, diagram.view, "view")
    _check_icons(top)
    signals = _signals(made) if made.whole else None  # an outer netlist has names of its own
    if signals is not None:
        for problem in (
            *unbound_dials(dials, top.input_entries, signals, made.blocks),
            *unknown_frame_problem(made.view, made.blocks),
        ):
            top.report(problem)
    if made.initial:
        _check_held(made, made.initial.hold)
    wrong = top.faulty_names() | top.disabled_names()
    # what a composite exposes may be what a wrong block inside would give
    wrong |= {name.rpartition(".")[0] for name in wrong if "." in name}
    for problem in _unrecordable(diagram.record, signals, wrong):
        top.report(problem)


def _check_icons(level: HierarchyLevel) -> None:
    """Warn of a symbol that cannot be drawn, in this file."""
    icon = level.diagram.icon
    if icon and block_class(icon) is None and not is_symbol(icon):
        told = "a block type, whose symbol it takes, or commands like M -10 0 L 10 0"
        fix = did_you_mean(icon, registered(), listed=True)
        level.report(Problem(f'found "{icon}", expected {told}', "icon", fix, severity="warning"))
    for inner in level.levels.values():
        if inner.outer is not None:
            _check_icons(inner)


def _converted(
    top: HierarchyLevel, convert: Callable[[object, Scope, str], Made], raw: object, path: str
) -> Made | None:
    try:
        return convert(raw, top.scope, path)
    except LuffError as error:
        for problem in error.problems:
            top.report(problem)
    return None


def _check_times(top: HierarchyLevel, s: run_settings.SimulationSettings, step_is_set: bool) -> None:
    if s.output_step is None:
        s.output_step = s.step
    elif step_is_set:  # a step that is set by hand need not divide the netlist's output step
        s.output_step = run_settings.nearest_multiple(s.output_step, s.step)
    wrong = [*run_settings.time_problems(s.stop, s.step, s.output_step)]
    for problem in wrong or run_settings.time_warnings(s):
        top.report(problem)


def _check_held(made: Elaboration, held: Iterable[str]) -> None:
    """Check that each name of `initial: {hold: ...}` leads to a block: `slew`, `slew.position`, `crane.slew`."""
    blocks = {*made.blocks, *(full.rpartition(".")[0] for full in made.blocks), *made.diagram.blocks}
    for k, name in enumerate(held):
        inner = name
        while inner and inner not in blocks:
            inner = inner.rpartition(".")[0]
        if not inner:
            fix = did_you_mean(name, made.top.known_blocks)
            made.top.report(Problem(f'there is no block "{name}" to hold', f"initial.hold[{k}]", fix))


def _signals(made: Elaboration) -> list[str]:
    """Names of what may be recorded."""
    names = [*made.top.input_entries, *made.diagram.outputs]
    for name, block in made.blocks.items():
        names += [f"{name}.{port}" for port, kind in block.ports().items() if kind.direction == "out"]
    for name, block, port in exposed_signals(made.top):
        if block in made.blocks and made.blocks[block].ports()[port].direction == "out":
            names.append(name)
    return names


def _unrecordable(
    record: Sequence[object], names: Sequence[str] | None, wrong: Collection[str]
) -> Iterator[Problem]:
    """Entries of `record:` that match none of the `names` of signals; what blocks with mistakes may give is excused."""
    for k, glob in enumerate(record):
        if not isinstance(glob, str):
            fix = 'names of signals, with * for "any"'
            yield Problem(f"found {glob!r}, expected text", f"record[{k}]", fix)
        elif (
            names is not None
            and glob != "*"
            and not (matching(glob, names) or matching(PART.sub("", glob), names))
        ):
            head = re.split(r"[*?\[]", glob)[0]
            if not any(f"{name}.".startswith(head) or head.startswith(f"{name}.") for name in wrong):
                yield no_signal_problem(glob, k, names)


def no_signal_problem(glob: str, k: int, names: Iterable[str]) -> Problem:
    return Problem(f'no signal matches "{glob}"', f"record[{k}]", did_you_mean(glob, names))
