"""Import of models: URDF, MJCF or SSP into a diagram."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...blocks.errors import LuffError
from ...blocks.text.atomic_write import write_whole
from ..flatten.diagram import Diagram
from .contact_step import contact_step
from .located_xml import read_xml
from .massless_links import drop_free_joints
from .mesh_files import MeshFiles
from .mjcf import read_mjcf
from .netlist_writer import netlist, told_notes
from .robot_tree import ImportNote
from .ssp_import import read_ssp
from .unique_names import valid_name
from .urdf import read_urdf


@dataclass
class Imported:
    """An imported netlist, with notes on what differs from the source."""

    text: str
    notes: list[ImportNote]
    joints: dict[str, str]  # blocks, by the names of their joints in the source
    files: dict[str, bytes] = field(default_factory=dict)  # which the netlist names, by their place beside it

    def write_files(self, folder: Path) -> None:
        """Write the files that the netlist names into its folder."""
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, content)

    @property
    def note_lines(self) -> list[str]:
        """Notes in words."""
        return told_notes(self.notes)

    def summarised_notes(self, most: int) -> list[str]:
        """Notes in words, with at most so many names a line."""
        return told_notes(self.notes, most)


def read_model(
    path: str | Path,
    floating: bool = False,
    folder: Path | None = None,
    files: Iterable[str | Path] = (),
    touch: bool = False,
) -> Imported:
    """Read URDF, MJCF or SSP; `floating` lets the root link of a URDF move freely, `touch` collision geometry touch.

    `folder` is where the netlist will lie. That is the source's own folder where none is said: meshes in it and below
    become shapes. An MJCF file may name files in its own folder and below, and in the folders `files`.
    """
    path = Path(path)
    if path.suffix.lower() == ".ssp":
        if floating or touch:
            raise LuffError(
                "an SSP is a system of FMUs: floating is for URDF, touch for URDF and MJCF", path=str(path)
            )
        text, notes, inner = read_ssp(path, valid_name(path.stem))
        return Imported(text, notes, {}, inner)
    root = read_xml(path)
    meshes = MeshFiles(folder or path.parent)
    if root.tag == "robot":
        robot = read_urdf(root, path, meshes, floating, touch)
    elif root.tag == "mujoco":
        if floating:
            raise root.fail(
                "has its own floating bodies; --floating is for URDF", "give the body a <freejoint/>"
            )
        robot = read_mjcf(root, path, meshes, [Path(one) for one in files], touch)
        drop_free_joints(robot)
    else:
        raise root.fail("is not a model that luff reads", "expected <robot> (URDF) or <mujoco> (MJCF)")
    beside = folder or path.parent
    text, joints = netlist(robot, (lambda text: contact_step(text, beside, robot.step)) if touch else None)
    return Imported(text, robot.notes, joints)


def import_model(
    path: str | Path, floating: bool = False, files: Iterable[str | Path] = (), touch: bool = False
) -> Diagram:
    """Read a URDF, MJCF or SSP file as a diagram.

    FMUs of an SSP are written into a folder of its name, beside it.

    Parameters
    ----------
    path : str or Path
        The file.
    floating : bool, optional
        Let the root link of a URDF move freely.
    files : iterable of str or Path, optional
        Folders beside the model's own in which an MJCF model may name files.
    touch : bool, optional
        Let the collision geometry of a URDF or MJCF model touch.

    Returns
    -------
    Diagram
        The model as a netlist; comments name the places in the source.

    Raises
    ------
    LuffError
        The file is none of these, or has something that luff does not model.

    Examples
    --------
    >>> import luff, tempfile
    >>> from pathlib import Path
    >>> inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "arm.urdf"
    ...     _ = file.write_text(
    ...         f'<robot name="arm"><link name="base"/><link name="arm">{inertial}</link>'
    ...         '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'
    ...     )
    ...     diagram = luff.import_model(file)
    >>> list(diagram.blocks)
    ['base', 'turn', 'arm']
    """
    imported, folder = read_model(path, floating, files=files, touch=touch), Path(path).resolve().parent
    imported.write_files(folder)
    return Diagram.from_yaml(imported.text, base=folder)
