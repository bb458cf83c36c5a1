"""Mistakes of a chart: names that are not there, states that nothing reaches, what is ambiguous, loops without time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ..errors import LuffError, Problem, did_you_mean
from ..text.expressions import CONSTANTS, names_in, parse, wrong_names
from ..text.quantity import Quantity, compatible, spelled, unit
from .guard_logic import are_exclusive, follows, never
from .statechart_parser import Chart, State, Transition

OWN = ("t", "elapsed", "state")  # names that a chart has by itself


def mistakes(chart: Chart) -> Iterator[Problem]:
    """Yield errors; without any, warnings of what is hardly meant."""
    errors = [*_names(chart), *_states(chart), *_values(chart), *_guard_problems(chart)]
    yield from errors
    if not errors:
        yield from _instant_loops(chart)
        yield from _unreachable(chart)
        yield from _ambiguous_exits(chart)


def _names(chart: Chart) -> Iterator[Problem]:
    places = [(name, ".inputs") for name in chart.inputs]
    places += [(name, f".outputs.{name}") for name in chart.outputs]
    places += [(name, f".constants.{name}") for name in chart.constants]
    if chart.active:
        places += [(name, f".states.{name}") for name in chart.states]
    yield from wrong_names(places, OWN)


def _states(chart: Chart) -> Iterator[Problem]:
    if not chart.states:
        yield Problem("found no states, expected at least one", ".states", "for example states: {idle: {}}")
        return
    known = chart.states
    named = [(chart.initial, ".initial")] if chart.initial else []
    for k, one in enumerate(chart.transitions):
        named += [(one.source, f".transitions[{k}].from"), (one.to, f".transitions[{k}].to")]
    for name, path in named:
        if name not in known:
            yield Problem(f'there is no state "{name}"', path, did_you_mean(name, known))


def _values(chart: Chart) -> Iterator[Problem]:
    """Yield problems of the outputs that states set."""
    for name, state in chart.states.items():
        for kind in ("entry", "during", "exit"):
            for output, value in getattr(state, kind).items():
                path = f".states.{name}.{kind}.{output}"
                if output not in chart.outputs:
                    fix = did_you_mean(output, chart.outputs) or "declare it in `outputs`"
                    yield Problem(f'there is no output "{output}"', path, fix, key=True)
                elif isinstance(value, str):
                    yield from _expression(value, _known_names(chart), path)
                    if kind == "during":
                        yield from _self_reference_problems(state, value, path)
                else:
                    yield from _kind_problems(value, chart.outputs[output].unit, path)


def _kind_problems(value: Quantity, wanted: str, path: str) -> Iterator[Problem]:
    if wanted and value.dimension is not None and not compatible(value.dimension, unit(wanted).dimension):
        yield Problem(f"found {spelled(value.dimension)}, expected {wanted}", path)


def _known_names(chart: Chart) -> list[str]:
    return ["t", "elapsed", *chart.inputs, *chart.outputs, *chart.constants]


def _self_reference_problems(state: State, value: str, path: str) -> Iterator[Problem]:
    """Yield problems of `during` values that name an output of the same state's `during`."""
    for other in names_in(value):
        if other in state.during:
            mistake = f'a `during` value names "{other}", which this state sets `during` itself'
            yield Problem(mistake, path, "set one of them at `entry`, or name inputs alone")


def _guard_problems(chart: Chart) -> Iterator[Problem]:
    known = _known_names(chart)
    for k, one in enumerate(chart.transitions):
        if one.when.strip():
            yield from _expression(one.when, known, f".transitions[{k}].when")


def _expression(text: str, known: list[str], path: str) -> Iterator[Problem]:
    try:
        parse(text, logic=True)
    except LuffError as error:
        yield from (problem.at(path=path) for problem in error.problems)
        return
    for name in names_in(text):
        if name not in known and name not in CONSTANTS:
            fix = did_you_mean(name, known) or "declare it in `inputs`"
            yield Problem(f'there is no input, output or constant "{name}"', path, fix)


# --- what the chart does as a whole ----------------------------------------------------------------------------------


def _instant_loops(chart: Chart) -> Iterator[Problem]:
    """Chains that come back to a state at the same instant, whatever the inputs are."""
    told: set[frozenset[str]] = set()
    for k, first in enumerate(chart.transitions):
        around = _instant_chain(chart, first)
        if around and frozenset(around) not in told:
            told.add(frozenset(around))
            shown = " -> ".join([*around, around[0]])
            yield Problem(
                f"a loop without time: {shown} at one instant",
                f".transitions[{k}]",
                "give one of these transitions an `after`, or a guard that excludes the others",
            )


def _instant_chain(chart: Chart, first: Transition) -> list[str]:
    """The states of a loop that follows from one transition; none where nothing is sure."""
    if first.after or not _is_constant_guard(chart, first) or never(first.guard, chart.constants):
        return []
    passed: list[str] = []
    state = first.to
    while state not in passed:
        passed.append(state)
        following = _next(chart, state, first)
        if following is None:
            return []
        state = following.to
    return passed[passed.index(state) :]


def _next(chart: Chart, state: str, first: Transition) -> Transition | None:
    """Transition that surely leaves a state at once when the guard of the first one holds; None if none is sure."""
    for one in chart.transitions_from(state):
        if one.after or (
            _is_constant_guard(chart, one) and are_exclusive(first.guard, one.guard, chart.constants)
        ):
            continue
        sure = _is_constant_guard(chart, one) and follows(first.guard, one.guard, chart.constants)
        return one if sure else None
    return None


def _is_constant_guard(chart: Chart, one: Transition) -> bool:
    """True if a guard is constant through a chain of transitions: outputs and the time in a state are not."""
    return not {"elapsed", *chart.outputs}.intersection(names_in(one.when))


def _unreachable(chart: Chart) -> Iterator[Problem]:
    reached, open_ones = {chart.first}, [chart.first]
    ways = [one for one in chart.transitions if not never(one.guard, chart.constants)]
    while open_ones:
        state = open_ones.pop()
        for one in ways:
            if one.source == state and one.to not in reached:
                reached.add(one.to)
                open_ones.append(one.to)
    for name in chart.states:
        if name not in reached:
            yield Problem(
                f'nothing leads to the state "{name}" from the initial one, "{chart.first}"',
                f".states.{name}",
                "add a transition to it, or remove it",
                severity="warning",
                key=True,
            )
    for k, one in enumerate(chart.transitions):
        if one not in ways:
            message = f'the guard "{one.when}" never holds'
            yield Problem(
                message, f".transitions[{k}].when", "its comparisons exclude each other", severity="warning"
            )


def _ambiguous_exits(chart: Chart) -> Iterator[Problem]:
    """Two ways out of a state that may be open at once, where nothing but the order of the file says which is taken."""
    numbers = {id(one): k for k, one in enumerate(chart.transitions)}
    for name in chart.states:
        for a, b in combinations(chart.transitions_from(name), 2):
            if a.rank == b.rank and not are_exclusive(a.guard, b.guard, chart.constants):
                yield Problem(
                    f'both {_transition_words(a)} and {_transition_words(b)} may leave "{name}" at one instant, '
                    f'and have one priority: the first in the file goes to "{a.to}"',
                    f".transitions[{numbers[id(b)]}]",
                    "give each a `priority` (1 comes first), or guards that exclude each other",
                    severity="warning",
                )


def _transition_words(one: Transition) -> str:
    words = [f'"{one.when}"'] if one.when.strip() else []
    words += [f"after {one.after:g} s"] if one.after is not None else []
    return " ".join(words) or "always"
