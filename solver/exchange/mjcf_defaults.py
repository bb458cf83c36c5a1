"""MJCF before bodies: files put together, classes of defaults, and the compiler's settings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, did_you_mean
from ...blocks.geometry import rotations
from ...blocks.geometry.mass_properties import Pose, Turns
from ...blocks.text.data_files import within
from ...blocks.text.safe_read import shown, whole_path
from .located_xml import Element, read_xml

UNIT = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
ENTRYWISE = ("size", "stiffness", "damping")  # lists of which an element may give the first entries alone


def with_includes(element: Element, folder: Path, seen: set[Path]) -> None:
    """Puts what other files hold in the place of <include>; their names start at the main file's folder."""
    children: list[Element] = []
    for child in element.children:
        if child.tag != "include":
            with_includes(child, folder, seen)
            children.append(child)
            continue
        try:
            path = whole_path(folder, child.needed("file"))
        except LuffError as error:
            raise child.fail(error.problems[0].message) from None
        if not within(path, (folder,)):
            fix = "keep the files of a model in one folder"
            raise child.fail(f"includes {shown(child.get('file'))}, outside of the model's folder", fix)
        if path in seen:
            raise child.fail(f"includes {path.name} a second time", "MJCF takes each file once")
        seen.add(path)
        if not path.is_file():
            raise child.fail(f"there is no file {shown(path)}")
        inner = read_xml(path)
        with_includes(inner, folder, seen)
        children += inner.children
    element.children = children


@dataclass
class Compiler:
    """Settings of <compiler> that shape the mechanism."""

    degrees: bool = True
    sequence: str = "xyz"
    from_geoms: str = "auto"
    groups: tuple[int, int] = (0, 5)
    auto_limits: bool = True
    balance: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float = -1.0
    mesh_folder: str = ""
    strip_path: bool = False

    @classmethod
    def of(cls, root: Element) -> Compiler:
        settings = cls()
        for element in root.all("compiler"):
            settings._set_from(element)
        return settings

    def _set_from(self, element: Element) -> None:
        angle = _word(element, "angle", ("degree", "radian"), "degree" if self.degrees else "radian")
        self.degrees = angle == "degree"
        if element.get("coordinate") == "global":
            raise element.fail("coordinate: found global, expected local", "convert the file with MuJoCo 2.3")
        self.sequence = element.get("eulerseq", self.sequence)
        if len(self.sequence) != 3 or set(self.sequence.lower()) - set("xyz"):
            raise element.fail(f'eulerseq: found "{self.sequence}", expected three letters of xyzXYZ')
        self.from_geoms = _word(element, "inertiafromgeom", ("auto", "true", "false"), self.from_geoms)
        groups = element.numbers("inertiagrouprange", 2)
        self.groups = (int(groups[0]), int(groups[1])) if groups else self.groups
        self.auto_limits = element.flag("autolimits", self.auto_limits)
        self.balance = element.flag("balanceinertia", self.balance)
        self.least_mass = element.number("boundmass", self.least_mass)
        self.least_inertia = element.number("boundinertia", self.least_inertia)
        self.total_mass = element.number("settotalmass", self.total_mass)
        self.mesh_folder = element.get("meshdir") or element.get("assetdir") or self.mesh_folder
        self.strip_path = element.flag("strippath", self.strip_path)

    def angle(self, value: float) -> float:
        return math.radians(value) if self.degrees else value

    def turns(self, element: Element) -> Turns:
        """The orientation that an element gives in one of five ways."""
        euler = element.numbers("euler", 3)
        if euler:
            inner = [
                (UNIT[s], self.angle(a)) for s, a in zip(self.sequence, euler, strict=True) if s.islower()
            ]
            outer = [
                (UNIT[s.lower()], self.angle(a))
                for s, a in zip(self.sequence, euler, strict=True)
                if s.isupper()
            ]
            # turns about axes that stand still come before all, the last one first
            return (*reversed(outer), *inner)
        about = element.numbers("axisangle", 4)
        if about:
            return ((_direction(element, "axisangle", about[:3]), self.angle(about[3])),)
        R = _axes(element)
        if R is None:
            return ()
        q = rotations.quaternion(R)
        size = float(np.linalg.norm(q[1:]))
        if size < 1e-15:
            return ()
        return ((tuple(q[1:] / size), 2.0 * math.atan2(size, q[0])),)

    def pose(self, element: Element) -> Pose:
        return Pose.of(element.vector("pos"), self.turns(element))


def _axes(element: Element) -> np.ndarray | None:
    """R of xyaxes, zaxis or quat."""
    axes = element.numbers("xyaxes", 6)
    if axes:
        x = np.array(_direction(element, "xyaxes", axes[:3]))
        y = np.array(axes[3:]) - x * (x @ axes[3:])
        y = np.array(_direction(element, "xyaxes", y.tolist()))
        return np.column_stack([x, y, np.cross(x, y)])
    z = element.numbers("zaxis", 3)
    if z:
        return rotations.rotation_z_to(np.array(_direction(element, "zaxis", z)))
    q = element.numbers("quat", 4)
    if q is None:
        return None
    w, *v = np.array(q) / (np.linalg.norm(q) or math.nan)
    if math.isnan(w):
        raise element.fail("quat: found four zeros, expected a quaternion")
    K = rotations.skew(v)
    return np.eye(3) + 2.0 * w * K + 2.0 * K @ K


def _direction(element: Element, name: str, vector: list[float]) -> tuple[float, ...]:
    size = math.hypot(*vector)
    if size < 1e-14:
        raise element.fail(f"{name}: found a direction of no length")
    return tuple(entry / size for entry in vector)


def _word(element: Element, name: str, words: tuple[str, ...], default: str) -> str:
    word = element.get(name, default)
    if word not in words:
        fix = did_you_mean(word, words, listed=True)
        raise element.fail(f'{name}: found "{word}", expected {" or ".join(words)}', fix)
    return word


class Classes:
    """Attributes that elements of a class have by default."""

    def __init__(self, root: Element):
        self.classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        for default in root.all("default"):
            self._add_class(default, default.get("class") or "main", {})

    def _add_class(self, default: Element, name: str, outer: dict[str, dict[str, str]]) -> None:
        own = {tag: dict(attributes) for tag, attributes in (self.classes.get(name) or outer).items()}
        for child in default.children:
            if child.tag != "default":
                own[child.tag] = overlaid(own.get(child.tag, {}), child.attributes)
        self.classes[name] = own
        for child in default.all("default"):
            self._add_class(child, child.needed("class"), own)

    def full(self, element: Element, inherited: str) -> Element:
        """The element with the attributes of its class; `inherited` is the childclass around it."""
        name = element.get("class") or inherited or "main"
        if name not in self.classes:
            raise element.fail(f'there is no class "{name}"', did_you_mean(name, self.classes))
        given = overlaid(self.classes[name].get(element.tag, {}), element.attributes)
        return Element(element.tag, given, element.mark, element.children)


def overlaid(defaults: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Own attributes over defaults; a list that is shorter than its default keeps the default's last entries."""
    given = {**defaults, **own}
    for name in ENTRYWISE:
        if name in own and name in defaults:
            words = own[name].split()
            given[name] = " ".join([*words, *defaults[name].split()[len(words) :]])
    return given
