"""Section loads of a link at any station, and the stresses that they make."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from ..block import Block, Equation
from ..errors import Problem, wrong_type
from ..geometry.cross_sections import Section
from ..geometry.link_stations import Station
from ..multibody_parts import Part, SectionLoads
from ..params import BlockName, Param, Struct, Sub, SubMap
from ..ports import Out, Port
from ..text.generated_functions import function_from
from ..text.raw_types import RawMap
from .bodies import Inertia, RigidLink
from .flexible_links import RfemLink
from .stress_recovery import COLUMNS, Point, points_of, rows

LOADS = ("N", "V_y", "V_z", "T", "M_y", "M_z")


def normal_stress(k, recovery, N, M_y, M_z):
    """Normal stress at the point whose row of `recovery` begins at k [Pa]."""
    return recovery[k] * N + recovery[k + 1] * M_y + recovery[k + 2] * M_z


def shear_stress(k, recovery, V_y, V_z, T):
    flow = recovery[k + 3] * V_y + recovery[k + 4] * V_z + recovery[k + 5] * T
    return flow + math.copysign(recovery[k + 6] * T, flow)


def greatest_stress(N, V_y, V_z, T, M_y, M_z, recovery):
    """Greatest von Mises stress over the points of the section [Pa]."""
    worst = 0.0
    for k in range(0, len(recovery), 7):
        s = normal_stress(k, recovery, N, M_y, M_z)
        t = shear_stress(k, recovery, V_y, V_z, T)
        worst = max(worst, math.sqrt(s * s + 3.0 * t * t))
    return worst


class Beyond(Struct):
    """The part of a rigid link that lies beyond a station."""

    mass = Param(0.0, "kg", ge=0, doc="its mass")
    com = Param((0.0, 0.0, 0.0), "m", shape=(3,), doc="its centre of mass in frame_a")
    inertia = Inertia(
        (0.0, 0.0, 0.0), "kg*m^2", shape=(None,), doc="about that, [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]"
    )


class StressPoint(Struct):
    """Point of a section at which stress is evaluated."""

    at = Param(shape=(2,), unit="m", doc="y and z from the centroid")
    shear = Param(
        (0.0, 0.0, 0.0),
        shape=(3,),
        doc="shear stress there per V_y, V_z [1/m^2] and T [1/m^3], along one direction",
    )


STRESSES = (normal_stress, shear_stress, greatest_stress)  # what functions made of text call


class SectionSensor(Block):
    """Section loads of an `rfem_link` or `rigid_link` at a station: what its outer part exerts on the inner one.

    x runs along the link; y and z are those of an rfem_link's element; those of a rigid_link keep the y axis of its
    frame_a. Normal stress is N/A + M_y z/I_y - M_z y/I_z, shear stress that of V_y, V_z and T at the section's points,
    von Mises sqrt(stress^2 + 3 shear^2). At 0 and at the link's end they are the reactions of what is joined there: all
    of the link lies beyond 0, nothing of it beyond its end. The sensor cuts the link and welds it: a run sees one body
    more. The mass of a rigid_link is spread evenly over the length that gives its inertia.
    """

    family = "sensors"
    example: ClassVar[RawMap] = {
        "of": "boom",
        "section": {"shape": "box", "width": 0.1, "height": 0.1, "thickness": 0.004},
    }
    N = Out(unit="N", doc="normal force, positive in tension")
    V_y = Out(unit="N", doc="shear force along y")
    V_z = Out(unit="N", doc="shear force along z")
    T = Out(unit="N*m", doc="torque about x")
    M_y = Out(unit="N*m", doc="bending moment about y")
    M_z = Out(unit="N*m", doc="bending moment about z")
    stress = Out(unit="Pa", doc="normal stress at each point of the section")
    shear = Out(unit="Pa", doc="shear stress at each of them")
    von_mises = Out(unit="Pa", doc="the greatest of all points")
    utilisation = Out(doc="von_mises over the allowable stress")
    of = BlockName(doc="the link")
    at = Param(0.0, "m", ge=0, doc="distance from its frame_a along the link: x, or towards frame_b")
    section = Sub(Section, None, doc="for stresses; if left out, that of an rfem_link at the station")
    points = SubMap(StressPoint, doc="points of the section by name {at, shear}, beside those of its shape")
    allowable = Param(None, "Pa", gt=0, doc="allowable stress: yield stress over its safety factor")
    beyond = Sub(Beyond, None, doc="the part of a rigid_link that lies beyond {mass, com, inertia}")
    derived_names = ("recovery",)
    own_motion: ClassVar[tuple[str, ...]] = LOADS
    link: RigidLink | RfemLink | None = None

    @cached_property
    def shown(self) -> Section | None:
        """Section whose stresses are reported."""
        own = self.link.section_at(self.at) if isinstance(self.link, RfemLink) else None
        return self.section or own

    @cached_property
    def all_points(self) -> list[Point]:
        if self.shown is None or any(self.shown.problems()):
            return []
        own = [Point(name, *point.at, *point.shear) for name, point in self.points.items()]
        return [*points_of(self.shown), *own]

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        count = len(self.all_points)
        if not count:
            ports = {name: port for name, port in ports.items() if name in LOADS}
        if self.allowable is None:
            ports.pop("utilisation", None)
        each = ("stress", "shear")
        return {name: replace(port, width=count) if name in each else port for name, port in ports.items()}

    def check(self) -> Iterable[Problem]:
        if self.section is not None:
            yield from self.section.problems()

    def look_up(self, blocks: Mapping[str, Block]) -> Iterable[Problem]:
        """Find the link that `of` names, and tell it of the station."""
        link = blocks.get(self.of)
        if not isinstance(link, RigidLink | RfemLink):
            yield wrong_type(self.of, blocks, RigidLink | RfemLink, "a rigid_link or an rfem_link")
            return
        length = link.length if isinstance(link, RfemLink) else link.line().length
        if length == 0.0 and self.at == 0.0 and isinstance(link, RigidLink):
            fix = "place its frame_b: the line from frame_a to it carries the sections"
            yield Problem(
                f"frame_a and frame_b of {self.of} coincide, so that it has no sections", ".of", fix
            )
            return
        if self.at > length * (1.0 + 1e-9):
            yield Problem(
                f"found {self.at:g} m, expected at most {length:g} m, the length of {self.of}", ".at"
            )
            return
        if self.beyond is not None and isinstance(link, RfemLink):
            yield Problem(
                "an rfem_link says by its section what lies beyond", ".beyond", "remove it", key=True
            )
            return
        given = self.beyond and (self.beyond.mass, self.beyond.com, self.beyond.inertia)
        link.sensor_stations = (*link.sensor_stations, Station(self.name, min(self.at, length), given))
        link.bound, self.bound, self.link = True, True, link
        self.__dict__.pop("shown", None)
        self.__dict__.pop("all_points", None)
        if (self.points or self.allowable is not None) and not self.all_points:
            yield Problem(
                "found no section, and so no stresses", "", "add section: {shape: box, ...}, or points to it"
            )

    def internal_wires(self) -> dict[str, str]:
        """Stresses follow from its own loads."""
        return {name: name for name in LOADS}

    def derived(self) -> dict[str, tuple[float, ...]]:
        if not self.all_points or self.shown is None:
            return {}
        return {"recovery": rows(self.all_points, self.shown.constants())}

    def instance_functions(self) -> dict[str, Equation]:
        count = len(self.all_points)
        if not count:
            return {}
        places = [COLUMNS * k for k in range(count)]
        normal = ", ".join(f"normal_stress({k}, recovery, N, M_y, M_z)" for k in places)
        shear = ", ".join(f"shear_stress({k}, recovery, V_y, V_z, T)" for k in places)
        stress = f"def section_stress(N, M_y, M_z, recovery):\n    return {normal}\n"
        along = f"def section_shear(V_y, V_z, T, recovery):\n    return {shear}\n"
        made: dict[str, Equation] = {
            "out_stress": function_from(stress, *STRESSES),
            "out_shear": function_from(along, *STRESSES),
            "out_von_mises": greatest,
        }
        if self.allowable is not None:
            made["out_utilisation"] = of_allowable
        return made

    def parts(self) -> list[Part]:
        return [SectionLoads(self.of)]


def greatest(N, V_y, V_z, T, M_y, M_z, recovery):
    return greatest_stress(N, V_y, V_z, T, M_y, M_z, recovery)


def of_allowable(N, V_y, V_z, T, M_y, M_z, recovery, allowable):
    return greatest_stress(N, V_y, V_z, T, M_y, M_z, recovery) / allowable
