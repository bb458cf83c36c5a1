"""Flexible links: beams cut into rigid elements with springs between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from ..direction_params import Rotations
from ..errors import Problem
from ..geometry.beam_chain import modal_dampers, slide_inertances
from ..geometry.beam_properties import Beam
from ..geometry.cross_sections import Section
from ..geometry.link_stations import Station
from ..multibody_parts import (
    Body,
    Constant,
    Coordinate,
    Joint,
    LinearSpring,
    Offset,
    Part,
    Sensor,
    StoredEnergy,
    Vec,
)
from ..params import Choice, Either, Flag, Integer, Param, Struct, Sub, SubMap
from ..ports import Frame, Out, Port
from .bodies import Placed, Placement, ShapedBlock, placed, shape_params

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
AXES = {"psi": Z, "theta": Y, "phi": X}
MOMENTS = {"psi": "bending_moment_z", "theta": "bending_moment_y", "phi": "torsion"}  # ports, by their turns
SLIDES = {"stretch": X, "slide_y": Y, "slide_z": Z}
TWISTS = ("phi", "phi_rate", "torsion")  # ports and initial values that count the springs of twist
BENDS = ("psi", "theta", "bending_moment_z", "bending_moment_y", "axial", "shear_y", "shear_z", *SLIDES)
OF_SPRINGS = {*BENDS, *TWISTS}  # ports with an element for each spring


class TipPlacement(Struct):
    """Pose of frame_b."""

    at = Param(
        None, "m", shape=(3,), doc="position in frame_a before any deformation; the link's end if left out"
    )
    rotate = Rotations(doc="turns [[axis, angle], ...], each about the axes already turned")


class DampingRatio(Struct):
    """Damping of a link given as damping ratios, of the link alone and clamped at frame_a."""

    ratio = Either(
        0.0,
        Param(0.0, ge=0, lt=1, doc="of the first bending mode, by damping in proportion to stiffness"),
        Param(shape=(None,), ge=0, lt=1, doc="of the first modes, the last one of all beyond"),
        doc="of the first bending mode, others in proportion to their frequency; or, as a list, of each mode",
    )


class SectionStation(Struct):
    """Section at a station of a link."""

    at = Param(unit="m", ge=0, doc="distance from frame_a along the link")
    section = Sub(Section, doc="of the same shape as the link's section")


class Deformation(Struct):
    """Angles and rates at the start, one for each spring, from frame_a on."""

    psi = Param(None, "rad", shape=(None,), doc="turns about z")
    theta = Param(None, "rad", shape=(None,), doc="turns about y")
    phi = Param(None, "rad", shape=(None,), doc="twists about x")
    psi_rate = Param(None, "rad/s", shape=(None,), doc="rates of psi")
    theta_rate = Param(None, "rad/s", shape=(None,), doc="rates of theta")
    phi_rate = Param(None, "rad/s", shape=(None,), doc="rates of phi")


class RfemLink(ShapedBlock):
    """A beam along x as n + 1 rigid elements: n springs E I/d between them bend, a spring G J/d within each twists.

    d = length/n; the elements at the ends have length d/2, those between d. Between elements the link turns by
    Rz(psi) Ry(theta); in the middle of each element by Rx(phi), with 2 G J/d in the two short ones: phi and torsion
    count n + 1. Frequencies, deflections and buckling loads converge with n^-2. With `twist: papers` each of the n
    springs between elements turns by Rz(psi) Ry(theta) Rx(phi), as in the modified rigid finite element method
    (Wittbrodt, Adamiec-Wojcik and Wojciech, Dynamics of Flexible Multibody Systems, 2006): where a bent link twists,
    errors fall with 1/n only. Section forces are what the outer part exerts on the inner one, at the springs; a
    `section_sensor` gives them anywhere else, the ends included. With `section_b` the link tapers: each spring stands
    for the integral of 1/(E I) over its length, each element weighs what its part of the beam does; `stations` give
    sections in between.

    With `shear` each spring also slides across the axis with kappa G A/d (Timoshenko's beam; kappa by Cowper, 1966),
    with `extensible` along it with E A/d. The kinetic energy of a slide is that of the mean of lumped and consistent
    masses (Goudreau and Taylor, 1972): waves along the chain are then right to the fourth order of d.
    With `damping: {ratio: [...]}` modes of bending in each plane, of torsion and of stretch have these ratios.
    """

    family = "bodies"
    example = {"length": 2.0, "section": {"shape": "box", "width": 0.1, "height": 0.1, "thickness": 0.004}}
    frame_a = Frame("the link's start; rides on the first element")
    frame_b = Frame("the link's end, unless placed; rides on the last element")
    tip_deflection = Out(3, "m", "of frame_b's origin against the undeformed link, in frame_a")
    tip_rotation = Out(3, "rad", "psi, theta, phi of the last element in frame_a")
    psi = Out(unit="rad", doc="turn about z of each spring that bends")
    theta = Out(unit="rad", doc="turn about y of each spring that bends")
    phi = Out(unit="rad", doc="twist about x of each spring that twists")
    bending_moment_z = Out(unit="N*m", doc="about z at each spring that bends")
    bending_moment_y = Out(unit="N*m", doc="about y at each spring that bends")
    torsion = Out(unit="N*m", doc="torque about x at each spring that twists")
    axial = Out(unit="N", doc="force along x at each spring that bends, positive in tension")
    shear_y = Out(unit="N", doc="force along y at each of them, in the axes of the element behind it")
    shear_z = Out(unit="N", doc="force along z at each of them, in the axes of the element behind it")
    stretch = Out(unit="m", doc="elongation at each spring that bends, with `extensible`")
    slide_y = Out(unit="m", doc="slide along y at each spring that bends, with `shear`")
    slide_z = Out(unit="m", doc="slide along z at each spring that bends, with `shear`")
    stored_energy = Out(unit="J", doc="elastic energy of all springs")

    usual = ("length", "section", "divisions", "damping", "frame_b")
    rare = ("stations", "shear", "extensible", "twist", "rigid", "shapes")
    length = Param(unit="m", gt=0, doc="along x")
    section = Sub(Section, {}, doc="{shape, and its sizes} or {A, I_y, I_z, J}")
    section_b = Sub(
        Section,
        None,
        doc="at its end, where it tapers: of the same shape; sizes run in straight lines between",
    )
    stations = SubMap(
        SectionStation, doc="sections in between by name, {at, section}; sizes run in straight lines"
    )
    shear = Flag(doc="shear flexibility: for beams that are not slender")
    extensible = Flag(doc="axial flexibility")
    E = Param(2.1e11, "Pa", gt=0, doc="Young's modulus; steel")
    G = Param(8.1e10, "Pa", gt=0, doc="shear modulus, for torsion; steel")
    rho = Param(7850.0, "kg/m^3", gt=0, doc="density; steel")
    divisions = Integer(4, ge=1, le=1000, doc="number n of springs that bend")
    twist = Choice(
        "middle",
        ["middle", "papers"],
        doc="where it twists: in the middle of the elements; or at the springs that bend, after they have bent",
    )
    damping = Either(
        0.0,
        Param(0.0, "s", ge=0, doc="damping over stiffness"),
        Param(unit="N*m*s/rad", shape=(3,), ge=0, doc="of a spring for the length d, about z, y, x"),
        Sub(DampingRatio, {"ratio": 0.0}, doc="{ratio}"),
        doc="damping over stiffness, [psi, theta, phi] of a spring for the length d (not of slides), or {ratio}",
    )
    frame_b_place = Sub(TipPlacement, {}, key="frame_b", doc="where frame_b stands {at, rotate}")
    frames = SubMap(
        Placement, doc="further frames by name, in frame_a before any deformation; each becomes a port"
    )
    shape, shapes = shape_params()
    rigid = Flag(doc="one rigid body of the same mass, com and inertia")
    sensor_stations: tuple[Station, ...] = ()
    initial = Sub(Deformation, doc="start {psi, theta, phi, psi_rate, theta_rate, phi_rate}")

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        if self.rigid:
            own = {name: port for name, port in own.items() if name not in OF_SPRINGS}
        own = {name: port for name, port in own.items() if name not in SLIDES or name in self.slides()}
        own = {
            name: replace(port, width=self.springs(name)) if name in OF_SPRINGS else port
            for name, port in own.items()
        }
        return own | {name: Frame(f"frame {name}").named(name) for name in self.frames}

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        yield from self.section.problems()
        yield from self.section_problems()
        for place in self.dense():
            yield Problem(
                "found a density: section and rho say the mass", f"{place}.density", "remove it", key=True
            )
        for name in self.frames.keys() & self.class_ports.keys():
            yield Problem(
                f'there is already a port "{name}"', f".frames.{name}", "choose another name", key=True
            )
        for name, angles in vars(self.initial or Deformation({})).items():
            count = self.springs(name)
            if name != "given" and angles is not None and len(angles) != count:
                each = "division" if count == self.divisions else "element"
                mistake = f"found {len(angles)} entries, expected {count}: one for each {each}"
                yield Problem(mistake, f".initial.{name}")

    def section_problems(self) -> Iterable[Problem]:
        """Problems of the sections behind the first, and of what shear lacks."""
        sections = [] if self.section_b is None else [(".section_b", self.section_b)]
        for name, station in self.stations.items():
            sections.append((f".stations.{name}.section", station.section))
            if station.at > self.length:
                yield Problem(
                    f"found {station.at:g} m, expected at most {self.length:g} m, the link's length",
                    f".stations.{name}.at",
                )
        for path, section in sections:
            yield from section.problems(path)
            if section.shape != self.section.shape:
                shapes = (section.shape or "numbers", self.section.shape or "numbers")
                fix = "a link tapers between sections of the same shape"
                yield Problem(f"found {shapes[0]} there and {shapes[1]} at the start", path, fix)
        if self.shear:
            for path, section in [(".section", self.section), *sections]:
                if section.shape is None and None in (section.shear_y, section.shear_z):
                    fix = "give shear_y and shear_z, 5/6 of a rectangle, or a shape"
                    yield Problem("shear needs the coefficients of a section without a shape", path, fix)

    # --- numbers ---------------------------------------------------------------------------------------------------

    @property
    def beam(self) -> Beam:
        between = sorted(
            ((each.at, each.section) for each in self.stations.values()), key=lambda each: each[0]
        )
        ends = [
            (0.0, self.section),
            (self.length, self.section_b or (between[-1][1] if between else self.section)),
        ]
        places = (ends[0], *between, ends[1]) if between or self.section_b else ends[:1]
        return Beam(self.length, tuple(places), self.E, self.G, self.rho)

    def slides(self) -> tuple[str, ...]:
        """Names of the coordinates in which each spring slides."""
        names = ("stretch",) if self.extensible else ()
        return () if self.rigid else (*names, "slide_y", "slide_z") if self.shear else names

    def section_at(self, x: float) -> Section:
        return self.beam.section_at(x)

    def mass_properties(self) -> tuple[float, Vec, Vec]:
        """Mass [kg], com in frame_a [m] and inertia about the com [kg m^2] of the undeformed link."""
        return self.piece(0.0, self.length)

    def piece(self, start: float, end: float) -> tuple[float, Vec, Vec]:
        """Mass, com and inertia about the com of the beam between two places, in a frame at the first."""
        mass, com, inertia = self.beam.piece(start, end)
        return mass, com, (*inertia, 0.0, 0.0, 0.0)

    def springs(self, port: str) -> int:
        """Number of springs that a port or an initial value counts."""
        return self.divisions + (self.twist == "middle" and port in TWISTS)

    def damping_of(self, stiffness: Vec, length: float) -> Vec:
        """Damping about z, y, x of a spring that stands for a length of the beam [N m s/rad]."""
        if isinstance(self.damping, tuple):
            return tuple(self.length / self.divisions / length * c for c in self.damping)
        return tuple(self.damping_time * k for k in stiffness)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Damping ratios of the first modes, the last one of all beyond; empty where damping is not by modes."""
        ratio = self.damping.ratio if isinstance(self.damping, DampingRatio) else 0.0
        return ratio if isinstance(ratio, tuple) else ()

    @cached_property
    def damping_time(self) -> float:
        """Damping over stiffness [s]."""
        if self.ratios or isinstance(self.damping, tuple):
            return 0.0
        if isinstance(self.damping, DampingRatio):
            return 2.0 * self.damping.ratio / self.beam.first_bending()
        assert isinstance(self.damping, float)
        return self.damping

    # --- parts -----------------------------------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        tip = self.frame_b_place
        at = (self.length, 0.0, 0.0) if tip.at is None else tip.at
        last = self.piece_at(self.length)
        sensor = Sensor("straight tip", "tip", "a", ("tip_deflection", "tip_rotation"))
        ends = [
            Offset("frame_a", "straight tip", at),
            self.frame_on_piece(last, "tip", at),
            placed("frame_b", _turned(tip), "tip"),
        ]
        frames = []
        for name, place in self.frames.items():
            piece = self.piece_at(place.at[0])
            frames += [
                self.frame_on_piece(piece, f"place of {name}", place.at),
                placed(name, _turned(place), f"place of {name}"),
            ]
        energy = Constant("stored_energy", 0, 0.0) if self.rigid else StoredEnergy()
        return [*self.chain(), *self.dampers, *ends, *frames, sensor, energy]

    def springs_at(self) -> list[float]:
        """Positions of the springs along x [m]."""
        if self.rigid:
            return []
        n, d = self.divisions, self.length / self.divisions
        bends = [(k - 0.5) * d for k in range(1, n + 1)]
        if self.twist == "papers":
            return bends
        ends = [0.0, *bends, self.length]
        return sorted([*bends, *(0.5 * (a + b) for a, b in pairwise(ends))])

    def piece_seams(self) -> list[tuple[float, int | Station]]:
        """Seams between pieces in the order of x: springs, by number, and stations, behind a spring at the same
        place."""
        seams: list[tuple[float, int | Station]] = [*((x, k) for k, x in enumerate(self.springs_at(), 1))]
        slack = 1e-9 * self.length
        seams += [(station.at + slack, station) for station in self.sensor_stations]
        return sorted(seams, key=lambda each: each[0])

    def piece_ends(self) -> list[float]:
        """Both ends of the link, and where its pieces meet."""
        places = [what.at if isinstance(what, Station) else x for x, what in self.piece_seams()]
        return [0.0, *places, self.length]

    def piece_at(self, x: float) -> int:
        """The piece over a point of the undeformed link, behind what is there; 0 is the one at frame_a."""
        cuts = self.piece_ends()
        return min(max(bisect_right(cuts, x + 1e-9 * self.length) - 1, 0), len(cuts) - 2)

    def start_of(self, piece: int) -> float:
        return self.piece_ends()[piece]

    def frame_on_piece(self, piece: int, node: str, at: Vec) -> Offset:
        """A node that rides on a piece, placed as if the link were straight."""
        x = at[0] - self.start_of(piece)
        return Offset(_frame(piece), node, (x, at[1], at[2]))

    def chain(self) -> list[Part]:
        """The pieces as bodies, and between them springs as joints, or welds; the mass splits where the link does."""
        spans = [*pairwise(self.piece_ends())]
        chain: list[Part] = [Body("frame_a", *self.piece(*spans[0]))]
        for number, (_, what) in enumerate(self.piece_seams(), 1):
            before, start, node = _frame(number - 1), _frame(number), f"end {number}"
            chain.append(Offset(before, node, (spans[number - 1][1] - spans[number - 1][0], 0.0, 0.0)))
            if isinstance(what, Station):
                chain.append(Joint("section", node, start, name=what.joint))
            else:
                name, turns = self.spring(what)
                chain.append(Joint("elastic", node, start, turns, name=name))
            chain.append(Body(start, *self.piece(*spans[number])))
        return chain

    def spring(self, number: int) -> tuple[str, tuple[Coordinate, ...]]:
        """Name and coordinates of the spring before a piece; named by its number where forces are reported."""
        if self.twist == "papers":
            k = number
            return str(k), (*self.travels(k), *self.turns(k, k - 1.0, "psi", "theta", "phi"))
        k = (number + 1) // 2
        if number % 2 == 0:
            return str(k), (*self.travels(k), *self.turns(k, k - 1.0, "psi", "theta"))
        # elements at the ends are half as long
        return f"twist {k}", self.turns(k, k - 1.5, "phi")

    def turns(self, k: int, first: float, *names: str) -> tuple[Coordinate, ...]:
        """Coordinates of the k-th spring, which are counted from 0 as all signals are.

        It stands for the length of a division that begins behind `first` of them, as far as it is on the link.
        """
        start = vars(self.initial) if self.initial else {}
        a, b = self.span(first)
        springs = self.beam.stiffness(a, b)
        stiffness = dict(zip(AXES, springs, strict=True))
        damping = dict(zip(AXES, self.damping_of(springs, b - a), strict=True))

        def given(name: str) -> float | None:
            values = start.get(name)
            return None if values is None else values[k - 1]

        return tuple(
            Coordinate(
                self.numbered(name, k),
                self.numbered(name, k, "_rate"),
                False,
                AXES[name],
                value=given(name),
                speed=given(f"{name}_rate"),
                stiffness=stiffness[name],
                damping=damping[name],
            )
            for name in names
        )

    def span(self, first: float) -> tuple[float, float]:
        """Ends of the division that begins behind `first` of them [m], as far as it is on the link."""
        d = self.length / self.divisions
        return max(first, 0.0) * d, min(first + 1.0, float(self.divisions)) * d

    def numbered(self, name: str, k: int, of: str = "") -> str:
        """Name of the coordinate of the k-th spring, or of its rate."""
        return f"{name}{of}[{k - 1}]" if self.springs(name) > 1 else f"{name}{of}"

    def travels(self, k: int) -> tuple[Coordinate, ...]:
        """Coordinates in which the k-th spring that bends slides, along the axes of the element before it."""
        names = self.slides()
        if not names:
            return ()
        stiffness = dict(zip(SLIDES, self.beam.sliding_stiffness(*self.span(k - 1.0)), strict=True))
        inertance = self.inertances[k - 1]
        return tuple(
            Coordinate(
                self.numbered(name, k), self.numbered(name, k, "_rate"), True, SLIDES[name],
                stiffness=stiffness[name], damping=self.damping_time * stiffness[name], armature=inertance,
            )
            for name in names
        )  # fmt: skip

    @cached_property
    def inertances(self) -> list[float]:
        """Armature of the slides at each spring [kg]."""
        d = self.length / self.divisions
        return slide_inertances(self.beam, [(k + 0.5) * d for k in range(self.divisions)])

    @cached_property
    def dampers(self) -> list[LinearSpring]:
        """Dampers of the modes of the link alone, clamped at frame_a."""
        if not any(self.ratios) or self.rigid:
            return []
        places = self.springs_at()
        springs = [(x, c) for k, x in enumerate(places, 1) for c in self.spring(k)[1]]
        pieces = []
        for a, b in pairwise([0.0, *places, self.length]):
            mass, com, inertia = self.piece(a, b)
            pieces.append((mass, a + com[0], inertia))
        return modal_dampers(pieces, springs, self.ratios)


def _frame(piece: int) -> str:
    """Name of the frame at which a piece begins."""
    return f"piece {piece}" if piece else "frame_a"


def _turned(place: Placed) -> Placement:
    """A placement at its own node."""
    return Placement({"at": (0.0, 0.0, 0.0), "rotate": place.rotate})
