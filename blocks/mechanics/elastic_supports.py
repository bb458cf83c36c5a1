"""Elastic supports: a body that stands on springs, such as a crane's base or a vessel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..errors import Problem
from ..geometry import rotations
from ..multibody_parts import Constant, Coordinate, Element, Joint, LinearSpring, Offset, Part, StoredEnergy
from ..params import Choice, Flag, Names, Param, Struct, Sub, SubList
from ..ports import Frame, Out, Port
from .bodies import RigidLink, placed
from .joints import X, Y, Z
from .pads import Soil

AXES = {"x": X, "y": Y, "z": Z, "psi": Z, "theta": Y, "phi": X}
SLIDES = ("x", "y", "z")
TURNS = ("phi", "theta", "psi")  # about x, y, z


class Support(Struct):
    """Spring-damper element between frame_a's body and the point `at` of the base."""

    at = Param(
        shape=(3,), unit="m", doc="where it stands, in the base and, when the base is at zero, in frame_a"
    )
    stiffness = Param(unit="N/m", shape=(3,), ge=0, doc="along frame_a's x, y, z")
    damping = Param((0.0, 0.0, 0.0), "N*s/m", shape=(3,), ge=0, doc="along frame_a's x, y, z")
    soil = Sub(
        Soil,
        doc="below a one-sided one, in place of its stiffness along z {area, curve, reloading, settling, bearing}",
    )


class RotationalLaw(Struct):
    """Springs on the base's own angles, as generalised forces."""

    law = Choice("linear", ["linear", "cubic"], doc="torque -k q, or -k q^3")
    stiffness = Param((0.0, 0.0, 0.0), shape=(3,), ge=0, doc="on phi, theta, psi, N*m/rad (cubic: N*m/rad^3)")
    damping = Param((0.0, 0.0, 0.0), "N*m*s/rad", shape=(3,), ge=0, doc="on the rates of phi, theta, psi")


BaseInitial = type(
    "BaseInitial",
    (Struct,),
    {"__doc__": "Coordinates and rates at the start; what is not given is solved for."}
    | {name: Param(None, "m" if name in SLIDES else "rad", doc=f"coordinate {name}") for name in AXES}
    | {
        f"{name}_rate": Param(None, "m/s" if name in SLIDES else "rad/s", doc=f"rate of {name}")
        for name in AXES
    },
)


class BaseSupport(RigidLink):
    """A body on springs: slides x, y, z along frame_a, then Rz(psi) Ry(theta) Rx(phi), or some of these six.

    Each support pulls its point r with -k (T r - r), axis by axis of frame_a, and damps its rate. `linearised: true`
    takes T r - r to first order in the coordinates: constant 6 x 6 stiffness. `one_sided: true` makes outriggers of the
    supports: they push and never pull, and a run says when one lifts; across, a foot sticks up to `grip` times its
    push, slides beyond that, and stands where it lands. On `soil` it settles along a pressure-sinkage curve (see
    `pad`). What tips over the edge of its supports has no rest: statics refuse it, and a run says when it leans more
    than 30 deg. A vessel is psi, theta, phi with cubic `rotational` springs; with its centre of gravity above the pivot
    upright is unstable: it leans until k q^3 holds.
    """

    example = {
        "mass": 100.0,
        "inertia": [10.0, 10.0, 10.0],
        "supports": [{"at": [0, 0, 0], "stiffness": [1e4, 1e4, 1e4]}],
    }
    frame_a = Frame("the ground, or the body that carries the supports")
    frame_b = Frame("on the base; at its own origin when not placed")
    x = Out(unit="m", doc="displacement along frame_a's x")
    y = Out(unit="m", doc="displacement along frame_a's y")
    z = Out(unit="m", doc="displacement along frame_a's z")
    psi = Out(unit="rad", doc="turn about z")
    theta = Out(unit="rad", doc="turn about y")
    phi = Out(unit="rad", doc="turn about x")
    x_rate = Out(unit="m/s", doc="rate of x")
    y_rate = Out(unit="m/s", doc="rate of y")
    z_rate = Out(unit="m/s", doc="rate of z")
    psi_rate = Out(unit="rad/s", doc="rate of psi")
    theta_rate = Out(unit="rad/s", doc="rate of theta")
    phi_rate = Out(unit="rad/s", doc="rate of phi")
    constraint_force = Out(
        3, "N", "what holds the slides that are left out or locked, at the base's origin in its axes"
    )
    constraint_torque = Out(
        3, "N*m", "what holds the turns that are left out or locked, at the base's origin in its axes"
    )
    stored_energy = Out(unit="J", doc="elastic energy of supports and rotational springs")

    usual = ("mass", "supports", "com", "inertia", "frame_b", "coordinates")
    rare = (*RigidLink.rare, "grip_model", "locked", "linearised")
    coordinates = Names(list(AXES), choices=list(AXES), doc="freedoms of the base; the others stay zero")
    supports = SubList(Support, doc="spring-damping elements [{at, stiffness, damping}]")
    rotational = Sub(RotationalLaw, doc="springs on the base's own angles {law, stiffness, damping}")
    one_sided = Flag(
        doc="supports push along frame_a's z and never pull; none of them carries what has lifted"
    )
    grip = Param(1.0, ge=0, doc="of one-sided supports: greatest force across z, as a share of the push")
    grip_model = Choice(
        "elastoplastic",
        ["elastoplastic", "lugre"],
        doc="of one-sided supports: what is held stays, or slips at every load (LuGre)",
    )
    locked = Flag(doc="hold the base at its initial coordinates")
    linearised = Flag(doc="support forces linear in the coordinates: for small motion")
    initial = Sub(BaseInitial, doc="start {x, y, z, psi, theta, phi, x_rate, ...}")

    def chosen(self) -> list[str]:
        """The coordinates in the order of the chain."""
        return [name for name in AXES if name in self.coordinates]

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        for name in AXES.keys() - set(self.coordinates):
            del own[name], own[f"{name}_rate"]
        for k in range(1, len(self.supports) + 1):
            deflection = Out(3, "m", f"of support {k} along frame_a's axes")
            force = Out(3, "N", f"of support {k} on the base along frame_a's axes")
            own |= {
                port.name: port for port in (deflection.named(f"deflection_{k}"), force.named(f"force_{k}"))
            }
            if self.one_sided:
                own[f"lifted_{k}"] = Out(doc=f"1 where support {k} has lifted, else 0").named(f"lifted_{k}")
            if self.supports[k - 1].soil:
                settlement = Out(unit="m", doc=f"sinkage of support {k} that stays")
                pressure = Out(unit="Pa", doc=f"normal force of support {k} over the area of its pad")
                bearing = Out(doc=f"pressure of support {k} over what the soil is rated for")
                for name, port in (
                    ("settlement", settlement),
                    ("pressure", pressure),
                    ("bearing_ratio", bearing),
                ):
                    own[f"{name}_{k}"] = port.named(f"{name}_{k}")
        return own

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        if self.one_sided and self.linearised:
            fix = "remove one of them: a support that lifts is not linear"
            yield Problem("found one_sided with linearised", ".one_sided", fix)
        if self.one_sided and "z" not in self.coordinates and not self.locked:
            message = "nothing can lift: z is none of the base's coordinates"
            yield Problem(message, ".one_sided", severity="warning")
        for k, support in enumerate(self.supports):
            if support.soil:
                yield from self._soil_problems(support, f".supports[{k}]")
        for name, value in vars(self.initial or BaseInitial({})).items():
            if name != "given" and value is not None and name.removesuffix("_rate") not in self.coordinates:
                fix = f"coordinates: [{', '.join(self.chosen())}]"
                yield Problem(
                    f"found {name}, which is none of the base's coordinates",
                    f".initial.{name}",
                    fix,
                    key=True,
                )
        for k, name in enumerate(TURNS):
            if self.rotational and self.rotational.stiffness[k] > 0 and name not in self.coordinates:
                message = f"found a spring on {name}, which is none of the base's coordinates"
                yield Problem(message, f".rotational.stiffness[{k}]", severity="warning")

    def _soil_problems(self, support: Support, path: str) -> Iterable[Problem]:
        """Mistakes of a support on soil."""
        if not self.one_sided:
            yield Problem("found soil below a support that also pulls", f"{path}.soil", "add one_sided: true")
        if support.stiffness[2] != 0.0:
            found = f"found a stiffness of {support.stiffness[2]:g} N/m along z beside soil, which says it"
            yield Problem(found, f"{path}.stiffness[2]", "write 0 there, or remove soil")
        yield from support.soil.problems(f"{path}.soil")

    # --- parts -----------------------------------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        parts: list[Part] = [
            self.body("base"),
            placed("frame_b", self.frame_b_place, "base"),
            StoredEnergy(),
        ]
        parts += [placed(name, place, "base") for name, place in self.frames.items()]
        if self.locked:
            parts += [*self.held(), *(Constant(name, 0, self.start(name) or 0.0) for name in self.chosen())]
            parts += [Constant(f"{name}_rate", 0, 0.0) for name in self.chosen()]
        else:
            coordinates = tuple(self.coordinate(name) for name in self.chosen())
            parts.append(Joint("base", "frame_a", "base", coordinates))
        if self.linearised and not self.locked:
            return parts + self.linear_supports()
        for k, support in enumerate(self.supports, 1):
            ground, point = f"support {k} below", f"support {k} above"
            parts += [Offset("frame_a", ground, support.at), Offset("base", point, support.at)]
            values = (*support.stiffness, *support.damping)
            if self.one_sided:
                values += self.grip, float(self.grip_model == "lugre")
                bristle = 2 * (self.grip > 0.0)
                if support.soil:
                    values = (*values[:2], support.soil.stiffness(), *values[3:], *support.soil.values())
                    bristle = 3
                parts.append(Element("support", ground, point, values, name=str(k), bristle=bristle))
            else:
                parts.append(Element("bushing", ground, point, (*values, *(0.0,) * 6), name=str(k)))
        return parts

    def start(self, name: str) -> float | None:
        return getattr(self.initial, name) if self.initial else None

    def held(self) -> list[Part]:
        """The base welded to frame_a at its initial coordinates; the weld reports what it takes."""
        at = tuple(self.start(name) or 0.0 for name in SLIDES)
        turns = [(AXES[name], self.start(name) or 0.0) for name in ("psi", "theta", "phi")]
        place = Offset("frame_a", "@held", at, rotations.rotation_of_turns(turns))
        return [place, Joint("fixed", "@held", "base")]

    def coordinate(self, name: str) -> Coordinate:
        made = Coordinate(
            name,
            f"{name}_rate",
            name in SLIDES,
            AXES[name],
            value=self.start(name),
            speed=self.start(f"{name}_rate"),
        )
        if self.rotational is None or name in SLIDES:
            return made
        stiffness = self.rotational.stiffness[TURNS.index(name)]
        law = {"cubic": stiffness} if self.rotational.law == "cubic" else {"stiffness": stiffness}
        return replace(made, damping=self.rotational.damping[TURNS.index(name)], **law)

    def linear_supports(self) -> list[LinearSpring]:
        """T r - r = (x, y, z) + (phi, theta, psi) x r to first order: one spring for each axis of each support."""
        supports = []
        for k, support in enumerate(self.supports, 1):
            U = np.hstack([np.eye(3), -rotations.skew(support.at)])
            for axis in range(3):
                coefficients = {
                    name: float(u)
                    for name, u in zip((*SLIDES, *TURNS), U[axis], strict=True)
                    if name in self.coordinates
                }
                spring = support.stiffness[axis], support.damping[axis]
                supports.append(LinearSpring("", coefficients, *spring, name=str(k), element=axis))
        return supports
