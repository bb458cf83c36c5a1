"""A chart as tables of numbers: statechart.py says what stands where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from ..light_dataclass import mutable
from ..text.expressions import parse
from .postfix_programs import (
    AFTER,
    ELAPSED,
    INPUT,
    MULTIPLY,
    NUMBER,
    OUTPUT,
    PICK,
    SET,
    TIME,
    Compared,
    Programs,
)
from .statechart import NONE
from .statechart_parser import Chart, Transition, Value


@mutable
class Tables:
    """Rows of numbers, one after the other, and the words of the crossings."""

    programs: Programs
    targets: list[float] = field(
        default_factory=list
    )  # of each transition: the number of the state it leads to
    parts: list[float] = field(default_factory=list)  # programs of each state
    laws: list[float] = field(default_factory=list)  # programs of `during` values, for each state and output
    crossings: list[float] = field(default_factory=list)  # state, program, after
    words: list[str] = field(default_factory=list)
    pending: int = 0  # numbers that the choice among transitions keeps beside an expression's own

    @property
    def depth(self) -> int:
        return self.programs.depth + self.pending + 1

    def cross(self, state: int, compared: Iterable[Compared]) -> None:
        """Add a crossing function for each comparison that counts in a state."""
        for one in compared:
            if one.crossing is not None:
                at, _ = self.programs.add(one.crossing)
                self.crossings += [state + 1.0, float(at), NONE]
                self.words.append(one.text)


def tables_of(chart: Chart) -> Tables:
    names = {name: (INPUT, float(k)) for k, name in enumerate(chart.inputs)}
    names |= {name: (OUTPUT, float(k)) for k, name in enumerate(chart.outputs)}
    names |= {"t": (TIME, 0.0), "elapsed": (ELAPSED, 0.0)}
    made = Tables(Programs(names, chart.constants))
    outputs, order = list(chart.outputs), list(chart.states)
    for number, (name, state) in enumerate(chart.states.items()):
        laws = {output: _value(made, number, law, remember=True) for output, law in state.during.items()}
        choice = _transition_program(made, number, name, chart.transitions_from(name))
        made.targets += [order.index(one.to) + 1.0 for one in chart.transitions_from(name)]
        once = [
            {output: _value(made, number, value, remember=False) for output, value in sets.items()}
            for sets in (state.exit, state.entry)
        ]
        parts = [choice, *(_assignment_program(made, outputs, sets) for sets in (*once, laws))]
        made.parts += [float(made.programs.put(part)) for part in parts]
        made.laws += [float(laws.get(output, NONE)) for output in outputs] or [NONE]
    return made


def _value(made: Tables, state: int, value: Value, remember: bool) -> int:
    """Add the program of a value: its start. Comparisons of a `during` value count in its state."""
    if not isinstance(value, str):
        return made.programs.put([NUMBER, value.value])
    at, compared = made.programs.add(parse(value, logic=True), remember=remember)
    if remember:
        made.cross(state, compared)
    return at


def _assignment_program(made: Tables, outputs: list[str], sets: dict[str, int]) -> list[float]:
    """A program that sets outputs, one after the other."""
    return [
        number
        for output, at in sets.items()
        for number in (*made.programs.of(at), float(SET), float(outputs.index(output)))
    ]


def _transition_program(made: Tables, state: int, name: str, ways: list[Transition]) -> list[float]:
    """A program whose value says which transition is taken, counted through all states from 1; 0 for none."""
    first = len(made.targets) + 1
    code: list[float] = []
    for row, one in enumerate(ways, first):
        conditions = []
        if one.after is not None:
            made.crossings += [state + 1.0, NONE, one.after]
            made.words.append(f"{name} has lasted {one.after:g} s")
            conditions.append([AFTER, one.after])
        if one.guard is not None:
            at, compared = made.programs.add(one.guard, logical=True)
            made.cross(state, compared)
            conditions.append(made.programs.of(at))
        code += [number for part in conditions or [[NUMBER, 1.0]] for number in part]
        code += [MULTIPLY, 0.0] if len(conditions) == 2 else []
        code += [NUMBER, row]
    made.pending = max(made.pending, 2 * len(ways))
    return [*map(float, code), NUMBER, 0.0, *([PICK, 0.0] * len(ways))]
