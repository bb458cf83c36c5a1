"""The world and rigid bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from ..block import Block
from ..direction_params import AXES, Rotations
from ..errors import Problem
from ..geometry import rotations
from ..geometry.body_shapes import FIELD, MESHES, Files, Shape, inertia_of, shape_problems
from ..geometry.link_stations import Line, Station, line_to, station_bodies
from ..multibody_parts import Body, Joint, Offset, Part
from ..params import Choice, Either, Flag, Param, Scope, Struct, Sub, SubMap, fail
from ..ports import Frame, Out, Port


class Placement(Struct):
    """Pose of a frame in another."""

    at = Param((0.0, 0.0, 0.0), "m", shape=(3,), doc="position")
    rotate = Rotations(doc="turns [[axis, angle], ...], each about the axes already turned")


class EndPlacement(Sub[Placement]):
    """Where the far end of a link stands: `length` beside it means a distance along x."""

    def meant(self, key: str, raw: object) -> dict[str, object]:
        if key == "length" and isinstance(raw, str | int | float):
            return {"at": [raw, 0, 0]}
        return super().meant(key, raw)


class Placed(Protocol):
    """Group of parameters with the pose of a frame."""

    at: Param
    rotate: Rotations


class World(Block):
    """The ground: an inertial frame, with gravity; a plane, if the model moves in one.

    With `planar` joints and links have the coordinates of motions across this axis and of turns about it, and stand
    still in all others: a floating body has three instead of six, a flexible link bends in one plane. The loads that
    the plane holds so are outputs: where they are zero, the model would stay in it by itself.
    """

    family = "bodies"
    frame = Frame("fixed to the ground")
    gravity = Param((0.0, 0.0, -9.81), "m/s^2", shape=(3,), doc="acceleration of free fall")
    planar = Either(
        False,
        Flag(doc="true is y: motion in the x-z plane"),
        Choice("y", ("x", "y", "z"), doc="the plane's normal"),
        doc="motion in a plane: its normal, an axis of the world, or true for y",
    )
    held_force = Out(unit="N", doc="largest force by which the plane holds a slide that it leaves out")
    held_torque = Out(unit="N*m", doc="largest torque by which the plane holds a turn that it leaves out")
    held_share = Out(doc="share of these in the largest loads of the model")

    @property
    def normal(self) -> tuple[float, float, float] | None:
        """Normal of the plane in which the model moves; None in space."""
        if self.planar is False:
            return None
        return AXES["y" if self.planar is True else str(self.planar)]

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        return (
            own if self.normal else {name: port for name, port in own.items() if not name.startswith("held")}
        )


class Inertia(Param):
    """[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]."""

    entries = ("xx", "yy", "zz", "xy", "xz", "yz")

    def convert(self, raw: object, scope: Scope, path: str) -> tuple[float, ...]:
        six = self._row(raw, scope, path)
        if len(six) == 3:
            return (*six, 0.0, 0.0, 0.0)
        if len(six) != 6:
            raise fail(path, f"found {len(six)} entries, expected {self.expected()}")
        return six

    def expected(self) -> str:
        return f"[xx, yy, zz] or [xx, yy, zz, xy, xz, yz] in {self.unit}"


def shape_params() -> tuple[Sub, SubMap]:
    one = Sub(Shape, doc="what it looks like, and weighs with a density {kind, size, at, rotate, ...}")
    return one, SubMap(Shape, doc="further shapes by name")


class ShapedBlock(Block, abstract=True):
    """Base of bodies with shapes; each declares `shape, shapes = looks()` among its parameters."""

    shape: Param
    shapes: Param
    lent = ("shape", "shapes")

    def shapes_by_path(self) -> dict[str, Shape]:
        """Shapes by their paths in the block."""
        own = {".shape": self.shape} if self.shape else {}
        return own | {f".shapes.{name}": shape for name, shape in self.shapes.items()}

    @property
    def meshes(self) -> Files:
        return Files(self.folder, self.files)

    def dense(self) -> list[str]:
        """The places of shapes from which a mass follows."""
        return [place for place, shape in self.shapes_by_path().items() if shape.density is not None]

    def reads(self) -> Iterable[str]:
        """Files of shapes that weigh, or touch; nothing follows from those that are only looked at."""
        for shape in self.shapes_by_path().values():
            if shape.kind in MESHES and (shape.density is not None or self.bound):
                yield from self.meshes.digests(shape)
            elif shape.kind == FIELD and self.bound:
                from ..geometry.height_fields import digests

                yield from digests(shape, self.meshes)

    def check(self) -> Iterable[Problem]:
        drawn = self.shapes_by_path()
        yield from shape_problems(drawn, self.meshes)
        for place, shape in drawn.items():
            if shape.kind == FIELD:
                from ..geometry.height_fields import height_problems

                yield from height_problems(shape, place, self.meshes)


class MassBlock(ShapedBlock, abstract=True):
    """Base of blocks with one rigid mass: mass, com and inertia, or a pseudo-inertia."""

    rare = ("shapes", "pseudo_inertia")
    mass = Param(0.0, "kg", ge=0, doc="mass")
    com = Param((0.0, 0.0, 0.0), "m", shape=(3,), doc="centre of mass in frame_a")
    inertia = Inertia(
        (0.0, 0.0, 0.0),
        "kg*m^2",
        shape=(None,),
        doc="about the com, [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]",
    )
    pseudo_inertia = Param(None, shape=(4, 4), doc="4x4 about frame_a instead of mass, com and inertia")
    shape, shapes = shape_params()

    def check(self) -> Iterable[Problem]:
        wrong = list(super().check())
        if wrong:
            yield from wrong
            return
        dense = self.dense()
        weighed = sorted(self.given & {"mass", "com", "inertia", "pseudo_inertia"})
        if dense and weighed:
            message = f"found both a density and {', '.join(weighed)}"
            yield Problem(message, f"{dense[0]}.density", "give one of the two")
        if self.pseudo_inertia is not None and self.given & {"mass", "com", "inertia"}:
            yield Problem(
                "found both pseudo_inertia and mass, com or inertia", ".pseudo_inertia", "give one of the two"
            )
        mass, _, six = self.mass_properties()
        if mass < 0:
            yield Problem(f"found a mass of {mass:g} kg, expected >= 0 kg", ".mass")
        yield from doubtful_inertia(six, ".inertia" if self.pseudo_inertia is None else ".pseudo_inertia")
        if mass == 0 and any(six) and "mass" not in self.given:
            yield Problem("found an inertia but no mass", ".mass", "give the link a mass")

    def mass_properties(self) -> tuple[float, tuple[float, ...], tuple[float, ...]]:
        """Mass, com in frame_a, inertia about the com."""
        if self.dense():
            weighed = inertia_of(self.shapes_by_path().values(), self.meshes)
            J = weighed.about_com
            six = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
            return weighed.mass, tuple(weighed.com.tolist()), tuple(float(entry) for entry in six)
        if self.pseudo_inertia is None:
            return self.mass, self.com, self.inertia
        H = np.array(self.pseudo_inertia)
        mass = H[3, 3]
        c = H[:3, 3] / mass if mass else np.zeros(3)
        S = H[:3, :3] - mass * np.outer(c, c)
        J = np.trace(S) * np.eye(3) - S
        return mass, tuple(c), (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])

    def body(self, frame: str = "frame_a") -> Body:
        return Body(frame, *self.mass_properties(), name=self.name)


def doubtful_inertia(six: tuple[float, ...], path: str) -> Iterable[Problem]:
    """Moments that no body has: wrong where the equations fail, doubtful where they hold."""
    whole = any(six[3:])  # without products of inertia the moments are the principal ones
    moments = np.linalg.eigvalsh(rotations.inertia_matrix(six)).tolist() if whole else sorted(six[:3])
    slack = 1e-9 * max(*map(abs, moments), 1e-12)
    negative = moments[0] < -slack
    if not negative and not moments[2] > moments[0] + moments[1] + slack:
        return
    mistake = f"found principal moments {', '.join(f'{moment:g}' for moment in moments)} kg*m^2"
    fix = "check products of inertia, units, and that it is about the com"
    if negative:
        yield Problem(f"{mistake}, expected none below zero", path, fix)
    else:
        # the equations hold: simplified models and random ones use such values
        mistake = f"{mistake}: no rigid body has one above the sum of the others"
        yield Problem(mistake, path, fix, severity="warning")


def placed(frame: str, placement: Placed, base: str = "frame_a") -> Offset:
    return Offset(base, frame, placement.at, rotations.rotation_of_turns(placement.rotate))


class RigidLink(MassBlock):
    """A rigid body between frame_a and frame_b, with any number of further frames."""

    usual = ("mass", "com", "inertia", "frame_b")
    family = "bodies"
    frame_a = Frame("nearer the world; mass properties are given in it")
    frame_b = Frame("further out; coincides with frame_a when not placed")
    frame_b_place = EndPlacement(Placement, {}, key="frame_b", doc="where frame_b stands in frame_a")
    frames = SubMap(Placement, doc="further frames by name; each becomes a port")
    sensor_stations: tuple[Station, ...] = ()  # of section sensors

    def ports(self) -> dict[str, Port]:
        extra = {name: Frame(f"frame {name}").named(name) for name in self.frames}
        return {**super().ports(), **extra}

    def line(self) -> Line:
        return line_to(self.frame_b_place.at)

    def parts(self) -> list[Part]:
        places = {"frame_b": self.frame_b_place, **self.frames}
        if not self.sensor_stations:
            return [self.body(), *(placed(name, place) for name, place in places.items())]
        line, stations = self.line(), sorted(self.sensor_stations, key=lambda station: station.at)
        parts: list[Part] = [*station_bodies(*self.mass_properties(), line, stations)]
        base = "frame_a"
        for k, station in enumerate(stations):
            step = line.point(station.at) if k == 0 else (station.at - stations[k - 1].at, 0.0, 0.0)
            before = f"before {station.joint}"
            parts.append(Offset(base, before, tuple(map(float, step)), line.axes if k == 0 else np.eye(3)))
            parts.append(Joint("section", before, station.joint, name=station.joint))
            base = station.joint
        for name, place in places.items():
            parts.append(self._frame_on_piece(name, place, line, stations))
        return parts

    def frame_on_link(self, node: str, place: Placed) -> Offset:
        """A frame of another block that rides on the link, on the piece that bears it."""
        if not self.sensor_stations:
            own = placed(node, place)
        else:
            own = self._frame_on_piece(
                node, place, self.line(), sorted(self.sensor_stations, key=lambda station: station.at)
            )
        return replace(own, of=self.name)

    def _frame_on_piece(self, name: str, place: Placed, line: Line, stations: Sequence[Station]) -> Offset:
        """A frame on its piece: behind all stations that it does not stand before; frame_b behind all."""
        along = float(np.dot(place.at, line.axes[:, 0])) + 1e-9 * line.length
        behind = [
            s for s in stations if name == "frame_b" or s.at <= 0.0 or (s.at <= along and s.at < line.length)
        ]
        if not behind:
            return placed(name, place)
        last = behind[-1]
        at = line.axes.T @ (np.array(place.at) - line.point(last.at))
        return Offset(
            last.joint, name, tuple(at.tolist()), line.axes.T @ rotations.rotation_of_turns(place.rotate)
        )
