"""A file of another program -> a diagram."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..flat.opening import Diagram
from .mesh_files import MeshFiles
from .mjcf import read_mjcf
from .robot import Note
from .urdf import read_urdf
from .writer import netlist, told_notes
from .xml import read_xml


@dataclass
class Imported:
    """The netlist, and what it does not say as the source does."""

    text: str
    notes: list[Note]
    joints: dict[str, str]  # blocks, by the names of their joints in the source

    @property
    def told(self) -> list[str]:
        return told_notes(self.notes)

    def told_shortly(self, most: int) -> list[str]:
        """With at most so many names in a line."""
        return told_notes(self.notes, most)


def read_model(path: str | Path, floating: bool = False, folder: Path | None = None) -> Imported:
    """Read URDF or MJCF; `floating` lets the root link of a URDF move freely; `folder` is where the netlist will lie.

    That is the source's own folder where none is said: meshes in it and below become shapes.
    """
    path = Path(path)
    root = read_xml(path)
    meshes = MeshFiles(folder or path.parent)
    if root.tag == "robot":
        robot = read_urdf(root, path, meshes, floating)
    elif root.tag == "mujoco":
        if floating:
            raise root.fail("says itself what floats; --floating is for URDF", "give the body a <freejoint/>")
        robot = read_mjcf(root, path, meshes)
    else:
        raise root.fail("is no model that luff reads", "expected <robot> (URDF) or <mujoco> (MJCF)")
    text, joints = netlist(robot)
    return Imported(text, robot.notes, joints)


def import_model(path: str | Path, floating: bool = False) -> Diagram:
    """A URDF or MJCF file as a diagram; comments at the top of its text name what was not taken over."""
    return Diagram.from_yaml(read_model(path, floating).text, base=Path(path).resolve().parent)
