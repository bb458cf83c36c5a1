"""`view:` of a netlist: the camera with which the 3-D view, films and pages begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...blocks.block import Block
from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.params import Choice, Param, Scope, Struct, Sub, Text

FOLLOW, CAB, TIP, FREE = CAMERAS = ("follow", "cab", "tip", "free")
ALL = "all"
UPS = ("z", "y", "x", "-z", "-y", "-x")
SIDES = ("frame_b", "frame_a", "frame")  # what a block alone stands for, the first that it has


class View(Struct):
    """View of the mechanism: the camera, the frame that it keeps to, and where it stands."""

    params = {  # `from` is a word of Python
        "camera": Choice(
            ALL,
            (ALL, *CAMERAS),
            doc="all shows the whole mechanism, follow keeps a frame where it is in the picture, cab looks out of one "
            "along its x axis, tip down from one, free stands still",
        ),
        "of": Text("", doc="the frame, load.frame_a; a block alone stands for its frame_b"),
        "from": Param(
            None,
            "m",
            shape=(3,),
            doc="the eye: in the world, or from the frame that is followed, in world axes",
        ),
        "to": Param(
            None,
            "m",
            shape=(3,),
            doc="where it looks, as from; of a cab or a tip from the eye: ahead, to the left, up",
        ),
        "up": Choice("z", UPS, doc="axis of the world that points upwards in all pictures, above the ground"),
    }
    camera: str
    of: str
    to: tuple[float, float, float] | None
    up: str

    @property
    def eye(self) -> tuple[float, float, float] | None:
        return vars(self)["from"]


VIEW = Sub(View, doc="the camera with which the 3-D view, films and pages begin")


def view_of(raw: object, scope: Scope, path: str) -> View | None:
    """View of `view:`; None without entries."""
    if not raw:
        return None
    view = VIEW.group(raw, scope, path)
    problem = _camera_mismatch(view, path)
    if problem is not None:
        raise LuffError(problem)
    return view


def _camera_mismatch(view: View, path: str) -> Problem | None:
    """The first entry that does not go with the camera."""
    eye, to = view.eye, view.to
    inside, free = view.camera in (CAB, TIP), view.camera == FREE
    if view.camera == ALL:
        given = next((name for name, value in (("of", view.of), ("from", eye), ("to", to)) if value), "")
        if given:
            message = f"found {given}, and no camera that it goes with"
            return Problem(message, f"{path}.{given}", f"camera: {', '.join(CAMERAS)}")
        return None
    at_eye = to is not None and to == (eye or (0.0, 0.0, 0.0))
    if free and view.of:
        message = f'found "{view.of}", expected no frame for a camera that stands still'
        return Problem(message, f"{path}.of", "write camera: follow, or leave it out")
    if free and (eye is None or to is None):
        message = "found a free camera without both from and to"
        return Problem(message, path, "from: [-10, -10, 5], to: [0, 0, 0]")
    if not free and not view.of:
        return Problem(f"found the camera {view.camera} without a frame", path, "of: BLOCK.PORT")
    if inside and eye is not None:
        message = "found the place of an eye that is in a frame"
        return Problem(message, f"{path}.from", "leave it out; to says where it looks")
    if at_eye and (inside or eye is not None):
        return Problem("found the place of the eye, expected another one to look at", f"{path}.to")
    return None


def unknown_frame_problem(view: View | None, blocks: Mapping[str, Block]) -> Iterator[Problem]:
    """A view whose frame no block has."""
    if view is None or not view.of:
        return
    frames = {
        f"{name}.{port}": None
        for name, block in blocks.items()
        for port, kind in block.ports().items()
        if kind.kind == "frame"
    }
    if not any(name in frames for name in (view.of, *(f"{view.of}.{side}" for side in SIDES))):
        yield Problem(f'there is no frame "{view.of}"', "view.of", did_you_mean(view.of, frames))
