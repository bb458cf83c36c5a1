"""Repairs of problems that the list and the menu of a block offer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from ...blocks.errors import Missing, OtherBlock, Problem
from ..document.document import block_of
from ..document.element_assignment import connect_ports
from ..document.repairs import (
    DELAY,
    Offer,
    apply_repair,
    as_parameter,
    move_entry,
    offers,
    only_source,
    proposed_step,
    remove_spare,
    use_step,
    wire_to_cut,
)
from ..document.wire_splice import splice
from ..document.wire_sums import add_up
from ..properties.name_pickers import FileEditor
from ..properties.parameter_question import create_parameter
from ..properties.property_rows import Row
from ..properties.table_editors import TableEditor
from ..theme.window_words import placed

if TYPE_CHECKING:
    from .shell import Shell


class Repairs:
    """Mends problems of the diagram that is shown."""

    def __init__(self, window: Shell):
        self.window = window

    def repair(self, problem: Problem, offer: Offer) -> None:
        """Mend a problem as one of its offers says; ask for what only the user knows."""
        acts: dict[str, Callable[[], None]] = {
            "use": lambda: self._use(problem),
            "step": lambda: self._take_step(problem),
            "create": lambda: self._create(problem, offer.creates),
            "wire": lambda: self._wire(problem),
            "go": lambda: self._go(problem),
            "delay": lambda: self._cut(problem),
            "sum": lambda: self._add_up(problem),
            "rows": lambda: self._begin_table(problem),
            "file": lambda: self._choose_file(problem),
            "remove": lambda: self._remove(problem),
            "move": lambda: self._move(problem, offer),
            "fill": lambda: self._fill_in(problem),
        }
        acts[offer.act]()

    def _use(self, problem: Problem) -> None:
        """Put the proposed word in place of the wrong one."""
        if apply_repair(self.window.document.root, problem):
            self.window.document.root.check()
        else:
            self.window.say(f"The proposal does not end the problem: {placed(problem)}")

    def _take_step(self, problem: Problem) -> None:
        step = proposed_step(problem)
        use_step(self.window.document.root, step)
        self.window.say(f"The step of the simulation is {step}: run it again")

    def _create(self, problem: Problem, name: str) -> None:
        document = self.window.document.root
        if create_parameter(self.window, document, name) and as_parameter(problem, name):
            apply_repair(document, problem)
            document.check()

    def _go(self, problem: Problem) -> None:
        fix = problem.fix
        assert isinstance(fix, OtherBlock)
        self.window.editing.go_to(f"{fix.block}.{fix.key}")

    def _remove(self, problem: Problem) -> None:
        """Remove what nothing reads, at its level."""
        self.window.editing.go_to(problem.path)
        document = self.window.document
        _, path = document.root.diagram.level_of(problem.spare)
        if remove_spare(document, path):
            document.root.check()
        else:
            self.window.say(f"It does not stand in this diagram: {placed(problem)}")

    def _move(self, problem: Problem, offer: Offer) -> None:
        """Write an entry where it belongs, at its level."""
        self.window.editing.go_to(problem.path)
        document = self.window.document
        assert offer.place is not None
        move_entry(document, document.root.diagram.level_of(problem.spare)[1], offer.place)
        document.root.check()

    def _fill_in(self, problem: Problem) -> None:
        """Open the field of a value that is missing."""
        assert isinstance(problem.fix, Missing)
        self.window.editing.go_to(f"{problem.path}.{problem.fix.name}")

    def _add_up(self, problem: Problem) -> None:
        """Lead all wires of an input through a sum."""
        self.window.editing.go_to(problem.path)
        document = self.window.document
        target = document.root.diagram.level_of(problem.path)[1].removeprefix("blocks.")
        name = add_up(document, target)
        if not name:
            self.window.say(f"No two wires lead to {target} as a whole: {placed(problem)}")
            return
        document.root.check()
        self.window.view.canvas.sync()
        self.window.view.show_block(name)

    def _table_row(self, problem: Problem, key: str) -> Row | None:
        """Row of a parameter of the problem's block, shown."""
        self.window.editing.go_to(problem.path)
        self.window.panels.show("Properties")
        rows = self.window.properties.findChildren(Row)
        return next((row for row in rows if row.keys == (key,)), None)

    def _begin_table(self, problem: Problem) -> None:
        row = self._table_row(problem, problem.path.rpartition(".")[2])
        if row is not None and isinstance(row.editor, TableEditor):
            row.editor.add_row()

    def _choose_file(self, problem: Problem) -> None:
        row = self._table_row(problem, "file")
        if row is not None and isinstance(row.editor, FileEditor):
            row.editor.choose()

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
                action = menu.addAction(one.text, partial(self.repair, problem, one))
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
            name = splice(document, wire.connection, wire.kind, wire.points, DELAY, at, makes_room=False)
        if not name:
            self.window.say(f"No wire of the loop takes a delay at this level: {placed(problem)}")
            return
        canvas.sync()
        canvas.select([name])
        self.window.view.ensureVisible(canvas.blocks[name])
        self.window.say(f"{name} hands its input on one sample later: set its sample_time")
