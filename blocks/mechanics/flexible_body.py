"""Flexible bodies reduced from finite elements."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

from ..block import Block
from ..errors import LuffError, Problem
from ..multibody_parts import FlexibleBody, Joint, Part
from ..params import Either, Flag, Integer, Param, Struct, Sub, Text
from ..ports import Frame, Out, Port
from ..reduction.reduced_body import ReducedBody, read_body

SLOWED = 0.01  # share by which scaled mass may lower the first frequency before it is told


class ModalDamping(Struct):
    """Damping of the modes."""

    ratio = Either(
        0.0,
        Param(0.0, ge=0, lt=1, doc="of all modes"),
        Param(shape=(None,), ge=0, lt=1, doc="of the first modes, the last one of all beyond"),
        doc="damping ratio of the modes, clamped at the interface that the tree meets first",
    )


class FlexibleBodyBlock(Block):
    """A body whose deformation is a sum of modes, r = r_0 + Phi eta, reduced from finite elements.

    `luff reduce` makes its file. Its frames are the interfaces of the reduction. Deformations are small, some 5 % of
    the length; motion is not: the kinetic energy of r is kept to the last term. Modal coordinates are normalised by
    mass. With `stiffening` the membrane force of modes stiffens the others or makes them buckle (geometric stiffness to
    third order). With `frequency_limit` W its modes get the mass K / W^2 besides (selective mass scaling, Olovsson et
    al. 2005): statics stay, w becomes w / sqrt(1 + w^2 / W^2), and explicit steps of 2.8 / W are stable.
    """

    type_name = "flexible_body"
    family = "bodies"
    frame_a = Frame("first interface of the reduction")
    mode = Out(unit="kg^0.5*m", doc="modal coordinates, in the order of their frequencies")
    mode_rate = Out(unit="kg^0.5*m/s", doc="their rates")

    needed = ("file",)
    rare = ("stiffening", "frequency_limit")
    file = Text("", doc="the reduced body (.npz), named from the netlist's folder")
    modes = Integer(None, ge=1, le=200, doc="number of first modes that are kept; all if left out")
    damping = Sub(ModalDamping, {}, doc="{ratio}")
    stiffening = Flag(True, doc="geometric stiffening by membrane force, if the file has it")
    frequency_limit = Param(
        None,
        "rad/s",
        gt=0,
        doc="bound of all frequencies that its stiffness makes, by scaled mass: M + K / limit^2",
    )

    @cached_property
    def whole(self) -> tuple[ReducedBody, str]:
        """Body of the file, and the digest of the file."""
        if not self.file:
            fix = "file: boom.npz, made by `luff reduce`"
            raise LuffError(Problem("no file is named", self.name, fix, incomplete=True))
        reading = read_body(self.folder, self.file, self.files)
        return reading.value, " ".join(reading.digests)

    @cached_property
    def reduced(self) -> ReducedBody:
        body, _ = self.whole
        return body.first(self.modes) if self.modes else body

    def reads(self) -> Iterable[str]:
        return [self.whole[1]] if self.file else []

    def frames(self) -> list[str]:
        """Ports of the interfaces: the first is frame_a, others have the names of the reduction."""
        return ["frame_a", *self.reduced.names[1:]]

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        try:
            frames, count = self.frames(), self.reduced.modes
        except LuffError:  # `check` tells
            return own
        own["mode"], own["mode_rate"] = (
            Out(count, own[name].unit, own[name].doc).named(name) for name in ("mode", "mode_rate")
        )
        return own | {name: Frame(f"interface {name}").named(name) for name in frames[1:]}

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        if not self.file:
            return
        try:
            frames = self.frames()
        except LuffError as error:
            yield from (problem.at(path=".file") for problem in error.problems)
            return
        if self.modes and self.modes > self.whole[0].modes:
            yield Problem(f"found {self.modes}, the file has {self.whole[0].modes} modes", ".modes")
        if self.frequency_limit:
            first = float(self.reduced.frequencies[0])
            lowered = 1.0 - 1.0 / math.hypot(1.0, first / self.frequency_limit)
            if lowered > SLOWED:
                told = f"it lowers the first frequency of the clamped body, {first:.4g} rad/s, by {100 * lowered:.2g} %"
                fix = f"from {first / math.sqrt(2 * SLOWED):.3g} rad/s on it is at most {100 * SLOWED:g} %"
                yield Problem(told, ".frequency_limit", fix, severity="warning")
        for name in frames[1:]:
            if not name.isidentifier() or name in super().ports() or frames.count(name) > 1:
                yield Problem(f'an interface of the body is called "{name}"', ".file", "call it otherwise")

    def parts(self) -> list[Part]:
        reduced, frames = self.reduced, self.frames()
        ratio = self.damping.ratio
        ratios = ratio if isinstance(ratio, tuple) else (ratio,)
        body = FlexibleBody(
            "frame_a", tuple(frames), reduced, f"{self.whole[1]} {reduced.modes}", ratios,
            bool(self.stiffening), self.frequency_limit or 0.0,
        )  # fmt: skip
        joints = [Joint("flexible", "frame_a", name, name=name) for name in frames[1:] or ["body"]]
        return [body, *joints]
