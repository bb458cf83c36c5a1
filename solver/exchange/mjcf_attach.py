"""MJCF in several models: what each file says of its own elements, and which sub-model an <attach> names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...blocks.errors import LuffError, did_you_mean
from ...blocks.text.data_files import within
from ...blocks.text.safe_read import shown, whole_path
from .located_xml import Element, read_xml
from .mesh_files import MeshFiles
from .mjcf_defaults import Classes, Compiler, with_includes
from .mjcf_mass import Masses
from .mjcf_shapes import GeomLooks


@dataclass(frozen=True)
class Kit:
    """Compiler settings and default classes of one file; attached elements keep those of theirs."""

    compiler: Compiler
    classes: Classes
    masses: Masses
    looks: GeomLooks

    @classmethod
    def of(cls, root: Element, path: Path, meshes: MeshFiles) -> Kit:
        compiler, classes = Compiler.of(root), Classes(root)
        masses = Masses(compiler, classes, root, path.parent)
        return cls(compiler, classes, masses, GeomLooks(masses, classes, root, meshes))


def sub_model(root: Element, attach: Element, chain: tuple[Path, ...]) -> tuple[Element, Path]:
    """The root element and the file of what is attached; `chain` is the files around it, the outermost first."""
    known = {}
    for asset in root.all("asset"):
        for model in asset.all("model"):
            known[model.name or Path(model.needed("file")).stem] = model
    name = attach.needed("model")
    if name not in known:
        raise attach.fail(f'there is no model "{name}"', did_you_mean(name, known))
    model, folder = known[name], chain[0].parent
    try:
        path = whole_path(chain[-1].parent, model.needed("file")).resolve()
    except LuffError as error:
        raise model.fail(error.problems[0].message) from None
    if not within(path, (folder,)):
        fix = "keep the files of a model in one folder"
        raise model.fail(f"names {shown(model.get('file'))}, outside of the model's folder", fix)
    if path in chain:
        raise model.fail(
            f"{path.name} attaches itself, directly or through others",
            "MJCF allows no ring of attached models",
        )
    if not path.is_file():
        raise model.fail(f"there is no file {shown(path)}")
    inner = read_xml(path)
    with_includes(inner, path.parent, {path})
    return inner, path


def named_body(root: Element, attach: Element) -> Element | None:
    """The body that is attached, with all that it carries; None stands for all that is in the world."""
    wanted = attach.get("body")
    bodies: dict[str, Element] = {}
    waiting = [*root.all("worldbody")]
    while waiting:
        element = waiting.pop()
        bodies |= {body.name: body for body in element.all("body") if body.name}
        waiting += element.all("body", "frame", "replicate")
    if wanted and wanted not in bodies:
        raise attach.fail(f'its model has no body "{wanted}"', did_you_mean(wanted, bodies))
    return bodies[wanted] if wanted else None
