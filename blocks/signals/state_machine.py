"""A sequence: states, what each of them sets, and what leads from one to another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ..block import Block
from ..block_states import Memory
from ..errors import Problem
from ..params import Flag, Names, SubList, SubMap, Text
from ..ports import In, Out, Port
from ..signal_params import Numbers
from ..text.expressions import names_in
from ..text.raw_types import RawMap
from .statechart import CLOCK, DUE, LOOPED, NONE, PHASES, crossing_of, decide_chart, first_phases, output_of
from .statechart_checks import mistakes
from .statechart_parser import Chart, Output, State, Transition
from .statechart_tables import Tables, tables_of


class StateMachine(Block):
    """States that follow each other: each sets outputs, and is left where a guard holds or its time has passed.

    At each instant (the start of a step, and where `events: locate` ends one) it takes the first transition out of the
    active state whose `after` has passed and whose `when` holds, by priority and then by the order of the file: `exit`
    values, then `entry` values of the next state, and so on from there, each state at most once. What nothing sets
    keeps its value.
    """

    example: ClassVar[RawMap] = {
        "inputs": ["u"],
        "outputs": {"y": {}},
        "states": {"off": {"entry": {"y": 0}}, "on": {"during": {"y": "u"}}},
        "transitions": [
            {"from": "off", "to": "on", "when": "u > 1"},
            {"from": "on", "to": "off", "after": 0.2},
        ],
    }
    inputs = Names((), follows=False, doc="names of the inputs")
    outputs = SubMap(Output, {}, doc="outputs that states set, by name")
    steps = SubMap(
        State, doc="states by name: what each sets at its entry, during it, and at its exit", key="states"
    )
    initial = Text("", doc="the state at the start; the first one when not given")
    transitions = SubList(Transition, doc="what leads from a state to another")
    constants = Numbers(doc="numbers that guards and values name; they may change in a run")
    active = Flag(False, doc="an output for each state, named as it is: 1 while it is active")
    derived_names = ("named", "targets", "programs", "laws", "code", "crossings")
    current = Memory("first", doc="number of the active state")
    begun = Memory(0.0, size=2, doc="when it became active, as guards see it and as values do")
    kept = Memory("before", size="kept_count", doc="the named outputs, as they were set or followed last")
    decided = Memory(NONE, size="decided_count", doc="what comparisons in `during` values have decided")
    phase = Memory(
        "phases", size=PHASES, doc="time, step, last transition, whether it has begun, a loop, the grid"
    )
    stack = Memory(0.0, size="depth", doc="of expressions that are worked out")
    decide = decide_chart
    each_out = output_of
    each_crossing = crossing_of

    def update(t, during, phase):
        # sampled blocks come first: what follows at this instant sees what they are from now on
        phase[CLOCK], phase[DUE] = t, during

    def room_chain(phase):
        return 1.0 - 2.0 * phase[LOOPED]

    def words_of_room(self, name: str, time: float, least: float) -> str:
        return (
            f"a loop without time, first in the step before t = {time:.6g} s: {len(self.steps)} transitions at one "
            "instant lead on to another; give one of them an `after`, or guards that exclude each other"
        )

    # --- ports and memories --------------------------------------------------------------------------------------

    def ports(self) -> dict[str, Port]:
        made = {name: In().named(name) for name in self.inputs}
        made["state"] = Out(doc="number of the active state: 1 for the first").named("state")
        made |= {name: Out(unit=one.unit or None).named(name) for name, one in self.outputs.items()}
        if self.active:
            made |= {name: Out(doc="1 while this state is active").named(name) for name in self.steps}
        return made

    def feedthrough(self, output: str, element: int, port: str, port_element: int) -> bool:
        """An input reaches an output at once where a `during` value of it says so."""
        laws = [state.during.get(output) for state in self.steps.values()]
        return any(isinstance(law, str) and port in names_in(law) for law in laws)

    def state_start(self, initial: float | str) -> object:
        starts = {
            "first": float(list(self.steps).index(self.chart().first) + 1),
            "before": tuple(one.initial for one in self.outputs.values()) or 0.0,
            "phases": first_phases(),
        }
        return starts[initial] if isinstance(initial, str) else initial

    def chart(self) -> Chart:
        return Chart(
            self.inputs, self.outputs, self.steps, self.transitions, self.constants, self.initial, self.active
        )

    def kept_count(self, step: float) -> int:
        return max(len(self.outputs), 1)

    def decided_count(self, step: float) -> int:
        return max(self.tables().programs.remembered, 1)

    def depth(self, step: float) -> int:
        return self.tables().depth

    def words_of_crossings(self) -> tuple[str, ...]:
        return tuple(self.tables().words)

    def derived(self) -> dict[str, tuple[float, ...]]:
        made = self.tables()
        return {
            "named": (float(len(self.outputs)),),
            "targets": tuple(made.targets) or (NONE,),
            "programs": tuple(made.parts),
            "laws": tuple(made.laws),
            "code": tuple(made.programs.code) or (0.0,),
            "crossings": tuple(made.crossings) or (NONE,),
        }

    # --- a chart as numbers --------------------------------------------------------------------------------------

    def tables(self) -> Tables:
        return tables_of(self.chart())

    def check(self) -> Iterable[Problem]:
        return mistakes(self.chart())
