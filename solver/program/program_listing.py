"""Listing of a program's tables as text: order of operations, functions, places read and written."""

from __future__ import annotations

from collections.abc import Iterator

from ..codegen.source_functions import Function
from .operations import COPY, Operation, calls_of
from .program import Program
from .work_space import SIGNAL_RATES, SIGNAL_STATES, Place

TITLES = {
    "rates": "rates: what the states need, at each stage of a step",
    "outputs": "outputs: what recorded signals need, at each row",
    "ends": "ends: what is remembered at the end of a step, before anything jumps",
    "updates": "updates: what sampled blocks need, after each step",
    "decisions": "decisions: which pieces hold during the next step",
    "crossings": "crossings: what changes its piece with the state, where that is located",
    "sides": "sides: of what changes its piece with the state, after each step",
    "openings": "openings: of what opens with the state, at the end of a step",
    "late_updates": "late updates: of updates what is left once the rates are known",
    "late_outputs": "late outputs: of outputs what is left once the rates are known",
    "settles": "settles: where dependent coordinates begin in the next step",
    "projections": "projections: coordinates back onto the constraints, after each step",
    "factors": "factors: equations of implicit steps that a sweep over a tree solves, at the start of each step",
    "solves": "solves: solution of these equations, at each stage",
}


def program_lines(program: Program) -> str:
    """Listing, one line for each operation; consecutive ones of one function are one call."""
    names = PlaceNames(program)
    lines: list[str] = [program.flat.name]
    for name, ordered in program.ordered.items():
        calls = calls_of(ordered)
        lines += ["", f"{TITLES[name]} ({len(calls)} calls)"]
        for number, (code, operations) in enumerate(calls, 1):
            title = code.label if isinstance(code, Function) else code.__name__
            if not isinstance(code, Function):
                lines.append(f"{number:5}  {title:24} {name_of(program, operations[0].component)}")
            for operation in operations if isinstance(code, Function) else ():
                lines += [f"{number:5}  {title:24} {text}" for text in names.of(operation)]
                title = ""
    return "\n".join(lines)


def name_of(program: Program, component: int) -> str:
    """A mechanism, by the first joint where there are several."""
    joints = program.components[component].mechanism.joints
    return (
        f"the mechanism of {joints[0].block}" if len(program.components) > 1 and joints else "the mechanism"
    )


class PlaceNames:
    """Names of places."""

    def __init__(self, program: Program):
        self.named: dict[Place, str] = {("t", 0): "t", ("t", 1): "during", ("t", 2): "h gamma"}
        numbers = program.numbers
        for section, names in (
            (SIGNAL_STATES, numbers.states.names),
            (SIGNAL_RATES, [f"rate of {name}" for name in numbers.states.names]),
            ("p", numbers.params.names),
            ("mem", numbers.memory.names),
            ("c", numbers.constants),
        ):
            self.named |= {(section, k): name for k, name in enumerate(names)}
        for (block, port, element, part), place in program.places.items():
            suffix = ("", ".rate", ".acceleration")[part]
            self.named.setdefault(place, f"{block}.{port}[{element}]{suffix}")

    def place(self, entry: int | Place) -> str:
        """Name of an entry."""
        if isinstance(entry, int):
            return str(entry)
        return self.named.get(entry, f"{entry[0]}[{entry[1]}]")

    def of(self, operation: Operation) -> Iterator[str]:
        """Lines of an operation."""
        label = f"{operation.label or '-':20}"
        if operation.code is COPY:
            pairs = zip(operation.entries[::2], operation.entries[1::2], strict=True)
            for to, source in pairs:
                yield f"{label} {self.place(to)} <- {self.place(source)}"
            return
        written = operation.entries[: operation.writes]
        read = operation.entries[operation.writes :]
        every = "" if operation.due is None else f" (every {self.place(operation.due)} steps)"
        left = ", ".join(map(self.place, written)) or "memories"
        yield f"{label} {left} <- {', '.join(map(self.place, read))}{every}"
