"""Repairs of problems that the list and the menu of a block offer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from ...blocks.errors import LoopCut, OpenInput, OtherBlock, Problem
from ..document.document import block_of
from ..document.element_assignment import connect_ports
from ..document.repairs import (
    DELAY,
    apply_repair,
    as_parameter,
    offers,
    only_source,
    proposed_step,
    use_step,
    wire_to_cut,
)
from ..document.wire_splice import splice
from ..properties.parameter_question import create_parameter

if TYPE_CHECKING:
    from .shell import Shell


class Repairs:
    """Mends problems of the diagram that is shown."""

    def __init__(self, window: Shell):
        self.window = window

    def repair(self, problem: Problem, creates: str = "") -> None:
        """Mend a problem as it proposes, by a parameter that it `creates` or else; ask for what only the user knows."""
        document = self.window.document.root
        step = proposed_step(problem)
        if step:
            use_step(document, step)
            self.window.say(f"The step of the simulation is {step}: run it again")
        elif creates:
            if create_parameter(self.window, document, creates) and as_parameter(problem, creates):
                apply_repair(document, problem)
                document.check()
        elif isinstance(problem.fix, OpenInput):
            self._wire(problem)
        elif isinstance(problem.fix, OtherBlock):
            self.window.editing.go_to(problem.fix.block)
        elif isinstance(problem.fix, LoopCut):
            self._cut(problem)
        elif apply_repair(document, problem):
            document.check()
        else:
            self.window.say(f"The proposal does not end the problem: {problem}")

    def fill_menu(self, menu: QMenu, blocks: list[str]) -> None:
        """Put repairs of a single block's problems at the top of its menu."""
        if len(blocks) != 1:
            return
        document = self.window.document
        compiled = self.window.running.compile_problems() if self.window.in_top else []
        for problem in (
            *document.root.problems,
            *compiled,
        ):  # by paths from the outermost level, as `repair` takes
            here = [block_of(one) for one in document.diagram.problems_here([problem])]
            for one in offers(problem) if here == blocks else []:
                action = menu.addAction(one.text, partial(self.repair, problem, one.creates))
                action.setToolTip(f"{problem.message}: {one.tip}")
        if menu.actions():
            menu.setToolTipsVisible(True)
            menu.addSeparator()

    def _wire(self, problem: Problem) -> None:
        """Wire an open input to the one output that is free and fits; ask where there are several."""
        self.window.editing.go_to(problem.path)
        document = self.window.document
        reference = document.root.diagram.level_of(problem.path)[1].removeprefix("blocks.")
        source = only_source(document, reference)
        if not source:
            self.window.editing.on_connect(reference)
            return
        connection = connect_ports(document, source, reference)
        document.root.check()
        self.window.view.canvas.sync()
        self.window.view.show_wire(connection)

    def _cut(self, problem: Problem) -> None:
        """Insert a delay into a wire of an algebraic loop."""
        self.window.editing.go_to(problem.path)
        document, canvas = self.window.document, self.window.view.canvas
        canvas.sync()
        wire = canvas.wires.get(wire_to_cut(document, problem))
        middle = wire.middle() if wire else None
        name = ""
        if wire is not None and middle is not None:
            at = (middle.x(), middle.y())
            name = splice(document, wire.connection, wire.kind, wire.points, DELAY, at)
        if not name:
            self.window.say(f"No wire of the loop takes a delay at this level: {problem}")
            return
        canvas.sync()
        canvas.select([name])
        self.window.view.ensureVisible(canvas.blocks[name])
        self.window.say(f"{name} hands its input on one sample later: set its sample_time")
