"""Bodies that are dragged in the 3-D view: the start that they mean, and why some do not move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...blocks import LuffError
from ...solver.initial.drag_ik import DragPose
from ..view3d.painter import Handle
from ..view3d.row_poses import start_of_all
from .initial_edits import may_write, write_starts

if TYPE_CHECKING:
    from .shell import Shell


class PoseDragger:
    def __init__(self, window: Shell):
        self.window = window
        window.view3d.canvas.hold = self.grab
        window.view3d.canvas.posed.connect(self.put)

    def grab(self, handle: Handle) -> DragPose | None:
        """The mechanism, held there; or the status bar says why not."""
        view, top = self.window.view3d, self.window.top
        if self.window.runner.active:
            self._say("Stop the run first: what is dragged is where the next one starts")
        elif not view.at_start():
            self._say("This is the start again, where poses are set: drag now")
        elif view.model is not None:
            program, diagram = view.model.program, top.diagram
            posing = DragPose(
                program.mechanism,
                program.constraints,
                *start_of_all(program),
                lambda block, name: may_write(diagram, block, name),
            )
            reason = why_not(posing, handle)
            if not reason:
                return posing
            self._say(reason)
        return None

    def put(self, posing: DragPose) -> None:
        try:
            told = write_starts(self.window.top, posing)
        except LuffError as error:
            self._say(str(error))
            return
        if told:
            self._say("The start: " + ", ".join(told))

    def _say(self, text: str) -> None:
        self.window.say(text)


def why_not(posing: DragPose, handle: Handle) -> str:
    """Why what is held does not move; empty where it does."""
    joints = posing.joints_inwards(handle.row)
    if not joints:
        return f"{handle.block} stands on the ground: no joint lets it move"
    if posing.can_move(handle.row, handle.point):
        return ""
    for joint in joints:
        if any(coordinate.follow for coordinate in joint.part.coordinates):
            return (
                f"{handle.block} does not move: {joint.block} is driven, and starts where its trajectory does"
            )
    for joint in joints:
        rows = range(joint.first, joint.last + 1)
        if not any(posing.movable[i] for i in rows) and "." in joint.block:
            return (
                f"{handle.block} does not move: the start of {joint.block} is said in another file, "
                "and by no parameter of it"
            )
    return f"{handle.block} does not move: what it is fixed to, or a constraint, holds it at the start"
