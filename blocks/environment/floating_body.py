"""A hull that answers to loads and waves: hydrostatics, added mass, radiation memory, wave forces, damping, mooring."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from ..block_states import State
from ..errors import LuffError, Problem
from ..geometry.rotations import angles_of_rotation
from ..multibody_parts import AtRest, Element, Part, Sensor, Vec
from ..params import Param, Text
from ..ports import Frame, Out
from ..signal_params import Rows
from ..text.raw_types import RawMap
from .excitation_table import excitation_at, excitation_problems
from .radiation_memory import Memory, cached_resonators
from .random_harmonics import angle_of, smooth_ramp
from .response_table import TOLD, Responses, loss_message
from .sea_spectrum import Sea
from .wamit_files import Coefficients, coefficients, read_wamit

MOTION = ("origin", "rotation", "velocity", "angular_velocity")
POOR = 0.05  # relative error of the radiation's fit that is told
MARGIN = 1e-9  # relative rounding below zero that an eigenvalue of a symmetric matrix may have
SYMMETRIC = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def rotated_by_heading(v, frame, side):
    """Vector turned about z by the mean heading, from the world for side 1, to the world for side -1."""
    c, s = frame[0], side * frame[1]
    return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]


def displacement_from_mean(origin, rotation, frame):
    """Displacement from the mean place in its axes: surge, sway, heave, roll, pitch, yaw."""
    x, y, z = rotated_by_heading(
        (origin[0] - frame[2], origin[1] - frame[3], origin[2] - frame[4]), frame, 1.0
    )
    c, s = math.cos(rotation[0]), math.sin(rotation[0])
    # yaw by its sine and cosine: psi comes back within half a turn, whatever the heading
    yaw = math.atan2(s * frame[0] - c * frame[1], c * frame[0] + s * frame[1])
    return x, y, z, rotation[2], rotation[1], yaw


def rates_of(velocity, angular_velocity, frame):
    """Velocity and angular velocity in the axes of the mean place."""
    u, v, w = rotated_by_heading(velocity, frame, 1.0)
    p, q, r = rotated_by_heading(angular_velocity, frame, 1.0)
    return u, v, w, p, q, r


def matrix_row_product(table, row, x):
    """Entry of a 6 x 6 matrix, row by row, times a vector."""
    k = 6 * row
    total = table[k] * x[0] + table[k + 1] * x[1] + table[k + 2] * x[2]
    return total + table[k + 3] * x[3] + table[k + 4] * x[4] + table[k + 5] * x[5]


def wave_loads(t, tones, response, fade_in):
    """Exciting force of the sea along the six axes: sum of Re(X e^(i w t)) over its harmonics."""
    a = b = c = d = e = f = 0.0
    for k in range(len(tones) // 3):
        angle, at = angle_of(t, tones, 3 * k), 12 * k
        x, y = math.cos(angle), math.sin(angle)
        a, b = a + response[at] * x - response[at + 1] * y, b + response[at + 2] * x - response[at + 3] * y
        c, d = (
            c + response[at + 4] * x - response[at + 5] * y,
            d + response[at + 6] * x - response[at + 7] * y,
        )
        e, f = (
            e + response[at + 8] * x - response[at + 9] * y,
            f + response[at + 10] * x - response[at + 11] * y,
        )
    r = smooth_ramp(t, fade_in)[0]
    return r * a, r * b, r * c, r * d, r * e, r * f


def memory_load(p, modes, row):
    """Radiation force along an axis: -sum of c p d."""
    total = 0.0
    for k in range(len(p)):
        total -= modes[9 * k + 2] * p[k] * modes[9 * k + 3 + row]
    return total


def still_load(x, v, p, modes, stiffness, drag, quadratic, constant, row):
    """Force of calm water and of the mooring along an axis of the mean place."""
    load = (
        constant[row]
        - matrix_row_product(stiffness, row, x)
        - matrix_row_product(drag, row, v)
        - quadratic[row] * abs(v[row]) * v[row]
    )
    return load + memory_load(p, modes, row)


class FloatingBody(Sea):
    """Forces of water on a hull (Cummins 1962): (M + A) a + K * v + D v + Q |v| v + C x = wave forces + loads.

    The hull itself is a link with its mass, on a `free` joint; gravity acts on it, and here are buoyancy and the change
    of it, added mass at infinite frequency, the memory K of radiated waves as a passive state space fitted to A(w) and
    B(w), forces of the sea's waves by amplitude and phase, linear and quadratic damping, and a mooring's stiffness.
    All of it is linear about the mean place and heading of frame_b: for motions that are small against the hull.
    Coefficients come from tables (SI; axes 1 to 6 are surge, sway, heave, roll, pitch, yaw), or from WAMIT's files.
    """

    family = "environment"
    example: ClassVar[RawMap] = {
        "volume": 2.0,
        "restoring": [[3, 3, 2e4], [4, 4, 1e4], [5, 5, 1e4]],
        "radiation": [[w, 3, 3, 900.0, 500.0 * w**2 / (1.0 + w**4)] for w in (0.5, 1.0, 2.0, 4.0)],
    }
    frame_b = Frame("on the hull, where the coefficients count from")
    Hs = Param(
        0.0,
        "m",
        ge=0,
        doc="significant height, four times the standard deviation of the elevation; 0 is calm, and no other number "
        "of the sea counts",
    )
    direction = Param(0.0, "rad", doc="where the waves run to, counted from x towards y")
    position = Param((0.0, 0.0), "m", shape=(2,), doc="mean place of frame_b: x and y in the world")
    level = Param(0.0, "m", doc="mean place of frame_b: z in the world, at rest in calm water")
    heading = Param(0.0, "rad", doc="mean heading: of frame_b's x axis, from the world's x towards y")
    water = Param(1025.0, "kg/m^3", gt=0, doc="density of the water")
    gravity = Param(9.81, "m/s^2", gt=0, doc="g of buoyancy; that of the world")
    volume = Param(
        0.0, "m^3", ge=0, doc="displaced at the mean place; the mass over the density for one that floats"
    )
    buoyancy_at = Param(
        (0.0, 0.0, 0.0), "m", shape=(3,), doc="centre of buoyancy in frame_b at the mean place"
    )
    restoring = Rows(
        "i",
        "j",
        "C",
        doc="hydrostatic stiffness, rows [i, j, C] of both triangles, without weight: C44 is rho g (I + V z_b)",
    )
    weight = Param(
        0.0,
        "kg",
        ge=0,
        doc="mass whose weight the stiffness counts, as that of .hst; taken out again by its place",
    )
    weight_at = Param(
        (0.0, 0.0, 0.0), "m", shape=(3,), doc="centre of `weight` in frame_b; no matter at its origin"
    )
    mooring = Rows(
        "i", "j", "C", doc="stiffness of the mooring, rows [i, j, C], without a force at the mean place"
    )
    damping = Rows("i", "j", "D", doc="linear viscous damping, rows [i, j, D]: what radiation does not have")
    quadratic = Param(
        (0.0,) * 6, shape=(6,), ge=0, doc="quadratic damping: force over the square of each axis' rate"
    )
    radiation = Rows(
        "frequency", "i", "j", "A", "B", doc="added mass and damping, rows [frequency, i, j, A, B]"
    )
    infinite = Rows(
        "i", "j", "A", doc="added mass at infinite frequency, rows [i, j, A]; fitted to A(w), if not given"
    )
    excitation = Rows(
        "frequency",
        "heading",
        "i",
        "amplitude",
        "phase",
        doc="wave forces per metre, rows [frequency, heading, i, amplitude, phase], headings as `direction` against "
        "the hull, phases lead the crest at the mean place",
    )
    wamit = Text(None, doc="name of WAMIT's files NAME.1, NAME.3, NAME.hst, in place of these tables")
    length = Param(1.0, "m", gt=0, doc="wamit: ULEN, by which they are made without dimension")
    force = Out(3, "N", "on the hull at frame_b, world axes, without that of the added mass")
    torque = Out(3, "N*m", "on the hull at frame_b, world axes, without that of the added mass")
    load = Out(6, doc="force and torque on the hull in the axes of the mean place")
    elevation = Out(unit="m", doc="of the sea at the mean place")
    displacement = Out(6, doc="surge, sway, heave, roll, pitch, yaw from the mean place, in its axes")
    radiation_force = Out(6, doc="of the memory, axes of the mean place; without added mass")
    radiation_energy = Out(unit="J", doc="stored in the memory")
    radiation_loss = Out(unit="W", doc="power that waves carry away; never negative")
    origin = Out(3, "m", doc="of frame_b, world axes")
    rotation = Out(3, "rad", doc="psi, theta, phi of frame_b")
    velocity = Out(3, "m/s", doc="of frame_b, world axes")
    angular_velocity = Out(3, "rad/s", doc="of frame_b, world axes")
    w = State(width="count", doc="integral of p")
    p = State(width="count", doc="answer of each resonator of the memory")
    derived_names = ("frame", "tones", "response", "modes", "stiffness", "drag", "constant")

    def coefficients(self) -> Coefficients:
        """Hydrodynamic coefficients, from the netlist's tables or from WAMIT files."""
        if self.wamit is not None:
            one, three, hst = (each.value for each in read_wamit(self.folder, self.wamit, self.files))
            return coefficients(one, three, hst, self.length, self.water, self.gravity)
        infinite = None if self.infinite is None else tuple(matrix(self.infinite).ravel().tolist())
        radiation, excitation, restoring = (
            tuple(map(tuple, rows or ())) for rows in (self.radiation, self.excitation, self.restoring)
        )
        return Coefficients(radiation, excitation, restoring, infinite)

    def reads(self) -> Iterable[str]:
        if self.wamit is None:
            return ()
        readings = read_wamit(self.folder, self.wamit, self.files)
        return [digest for each in readings for digest in each.digests]

    def memory(self) -> Memory:
        """Resonators and added mass at infinite frequency; two that do nothing where nothing radiates."""
        data = self.coefficients()
        found = cached_resonators(data.radiation, data.infinite) if data.radiation else None
        infinite = found.infinite if found else np.reshape(data.infinite or np.zeros(36), (6, 6))
        modes = found.modes if found else np.zeros((0, 9))
        idle = np.tile([1.0, 1.0, *[0.0] * 7], (max(0, 2 - len(modes)), 1))
        return Memory(np.concatenate([modes, idle]), infinite, found.error if found else 0.0)

    def count(self) -> int:
        return len(self.memory().modes)

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        tables = ("radiation", "infinite", "excitation", "restoring")
        both = [name for name in tables if self.values[name] is not None and self.wamit is not None]
        if both:
            yield Problem(
                f"found {both[0]} beside wamit, which has it", f".{both[0]}", "remove one of the two"
            )
            return
        shapes = {"radiation": 5, "infinite": 3, "excitation": 5, "restoring": 3, "mooring": 3, "damping": 3}
        wrong = [
            Problem(f"found a row of {len(row)} numbers, expected {size}", f".{name}[{k}]")
            for name, size in shapes.items()
            for k, row in enumerate(getattr(self, name) or ())
            if len(row) != size
        ]
        yield from wrong
        if wrong:
            return
        try:
            data = self.coefficients()
        except LuffError as error:
            yield from (problem.at(path=".wamit") for problem in error.problems)
            return
        yield from self._wrong_axes(data)

    def _wrong_axes(self, data: Coefficients) -> Iterable[Problem]:
        """Mistakes of the tables: axes beyond 1 to 6, frequencies not above 0; else those of the fit and the sea."""
        of = {"radiation": (1, 2), "excitation": (2,), "restoring": (0, 1)}
        rows = {name: getattr(data, name) for name in of}
        for name in ("mooring", "damping", "infinite"):
            of[name], rows[name] = (0, 1), self.values[name] or ()
        wrong = []
        for name, columns in of.items():
            for k, row in enumerate(rows[name]):
                if any(row[column] not in (1, 2, 3, 4, 5, 6) for column in columns):
                    wrong.append(Problem("found an axis that is not one of 1 to 6", f".{name}[{k}]"))
                elif name in ("radiation", "excitation") and not row[0] > 0.0:
                    wrong.append(Problem(f"found a frequency of {row[0]:g}, expected > 0", f".{name}[{k}]"))
        yield from wrong
        if wrong:
            return
        memory = self.memory()
        if not np.linalg.eigvalsh(memory.infinite).min() >= -MARGIN * abs(memory.infinite).max():
            mistake = (
                "the added mass at infinite frequency is not positive: some motion would have a negative mass"
            )
            yield Problem(mistake, ".infinite", "give it, or rows of A to higher frequencies")
        if memory.error > POOR:
            message = f"the memory of radiation is {100.0 * memory.error:.1f} % off A(w) and B(w) (root mean square)"
            yield Problem(
                message,
                ".radiation",
                "give rows that are consistent (Kramers and Kronig)",
                severity="warning",
            )
        yield from self._sea(data)

    def _sea(self, data: Coefficients) -> Iterable[Problem]:
        """Wave forces that the table lacks."""
        if self.Hs == 0.0:
            return
        if not data.excitation:
            yield Problem(
                f"found a sea of Hs {self.Hs:g} m and no wave forces", ".excitation", "give rows, or Hs: 0"
            )
            return
        frequencies = [row[0] for row in data.excitation]
        beyond = self.energy_share_outside(min(frequencies), max(frequencies))
        if beyond > 0.01:
            message = (
                f"found rows from {min(frequencies):g} to {max(frequencies):g} rad/s, beyond which lie "
                f"{100.0 * beyond:.0f} % of the sea's energy: forces stay there as at the ends"
            )
            yield Problem(message, ".excitation", "add rows", severity="warning")
        mistakes = list(excitation_problems(data.excitation, self.direction - self.heading))
        yield from mistakes
        if mistakes:
            return
        w, a, _ = self.waves()
        share = self.excitation_responses(w).lost(a)
        if not share <= TOLD:
            message = loss_message(share, "wave forces")
            yield Problem(message, ".excitation", "add rows between them", severity="warning")

    def excitation_responses(self, w: np.ndarray) -> Responses:
        """Wave forces per metre at these frequencies and the sea's heading against the hull."""
        return excitation_at(self.coefficients().excitation, self.direction - self.heading, w)

    def excitation_force(self, w: np.ndarray) -> np.ndarray:
        """Complex wave force per metre at these frequencies and the sea's heading against the hull: (n, 6)."""
        return self.excitation_responses(w).H

    def derived(self) -> dict[str, tuple[float, ...]]:
        data, memory = self.coefficients(), self.memory()
        w, a, phase = self.waves() if self.Hs > 0.0 else (np.zeros(0),) * 3
        X = a[:, None] * self.excitation_force(w)
        # the crest's phase stands in the tones
        rho_g = self.water * self.gravity
        lift, (x, y, z), m = rho_g * self.volume, self.weight_at, self.weight * self.gravity
        C = matrix(data.restoring, mirrored=False)
        # what the weight of .hst adds: C44, C55 -= m g z_g, C46 += m g x_g, C56 += m g y_g
        C[3, 3] += m * z
        C[4, 4] += m * z
        C[3, 5] -= m * x
        C[4, 5] -= m * y
        C += matrix(self.mooring or (), mirrored=False)
        bx, by, _ = self.buoyancy_at
        return {
            "frame": (
                math.cos(self.heading),
                math.sin(self.heading),
                *self.position,
                self.level,
            ),
            "tones": tuple(np.stack([w, a, phase], axis=-1).ravel().tolist()) or (0.0, 0.0, 0.0),
            "response": tuple(np.stack([np.real(X), np.imag(X)], axis=-1).ravel().tolist()) or (0.0,) * 12,
            "modes": tuple(memory.modes.ravel().tolist()),
            "stiffness": tuple(C.ravel().tolist()),
            "drag": tuple(matrix(self.damping or (), mirrored=False).ravel().tolist()),
            "constant": (0.0, 0.0, lift, lift * by, -lift * bx, 0.0),
        }

    def internal_wires(self) -> dict[str, str]:
        return {name: name for name in (*MOTION, "load", "force", "torque")}

    def der(modes, i, w, p, velocity, angular_velocity, frame):
        rate = rates_of(velocity, angular_velocity, frame)
        pushed = 0.0
        for k in range(6):
            pushed += modes[9 * i + 3 + k] * rate[k]
        return p[i], pushed - modes[9 * i] * p[i] - modes[9 * i + 1] * w[i]

    def out_load(
        t, p, origin, rotation, velocity, angular_velocity, frame, tones, response, fade_in, modes, stiffness, drag,
        quadratic, constant,
    ):  # fmt: skip
        x, v = displacement_from_mean(origin, rotation, frame), rates_of(velocity, angular_velocity, frame)
        a, b, c, d, e, f = wave_loads(t, tones, response, fade_in)
        return (
            a + still_load(x, v, p, modes, stiffness, drag, quadratic, constant, 0),
            b + still_load(x, v, p, modes, stiffness, drag, quadratic, constant, 1),
            c + still_load(x, v, p, modes, stiffness, drag, quadratic, constant, 2),
            d + still_load(x, v, p, modes, stiffness, drag, quadratic, constant, 3),
            e + still_load(x, v, p, modes, stiffness, drag, quadratic, constant, 4),
            f + still_load(x, v, p, modes, stiffness, drag, quadratic, constant, 5),
        )

    def out_force(load, frame):
        return rotated_by_heading((load[0], load[1], load[2]), frame, -1.0)

    def out_torque(load, frame):
        return rotated_by_heading((load[3], load[4], load[5]), frame, -1.0)

    def out_elevation(t, tones, fade_in):
        total = 0.0
        for k in range(len(tones) // 3):
            total += tones[3 * k + 1] * math.cos(angle_of(t, tones, 3 * k))
        return smooth_ramp(t, fade_in)[0] * total

    def out_displacement(origin, rotation, frame):
        return displacement_from_mean(origin, rotation, frame)

    def out_radiation_force(p, modes):
        return (
            memory_load(p, modes, 0), memory_load(p, modes, 1), memory_load(p, modes, 2),
            memory_load(p, modes, 3), memory_load(p, modes, 4), memory_load(p, modes, 5),
        )  # fmt: skip

    def out_radiation_energy(modes, w, p):
        total = 0.0
        for k in range(len(p)):
            total += 0.5 * modes[9 * k + 2] * (p[k] * p[k] + modes[9 * k + 1] * w[k] * w[k])
        return total

    def out_radiation_loss(modes, p):
        total = 0.0
        for k in range(len(p)):
            total += modes[9 * k + 2] * modes[9 * k] * p[k] * p[k]
        return total

    def at_rest(self, places: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[tuple[Vec, Vec]]:
        """Force and torque of calm water on the hull at rest, world axes."""
        ((p, R),) = places
        numbers = self.derived()
        frame, still = numbers["frame"], (0.0,) * 6
        x = displacement_from_mean(p.tolist(), angles_of_rotation(R), frame)
        load = [
            still_load(
                x, still, (), (), numbers["stiffness"], numbers["drag"], still, numbers["constant"], row
            )
            for row in range(6)
        ]
        return [(rotated_by_heading(load[:3], frame, -1.0), rotated_by_heading(load[3:], frame, -1.0))]

    def parts(self) -> list[Part]:
        A = self.memory().infinite
        J, H, M = A[3:, 3:], A[3:, :3], A[:3, :3]
        values = (*(J[k] for k in SYMMETRIC), *H.ravel(), *(M[k] for k in SYMMETRIC))
        return [
            Sensor("", "frame_b", "world", MOTION),
            Element("force_world", "", "frame_b", (), ("force",)),
            Element("torque_world", "", "frame_b", (), ("torque",)),
            Element("fluid", "", "frame_b", tuple(map(float, values))),
            AtRest(("frame_b",), self.at_rest),
        ]


def matrix(rows: Iterable[Iterable[float]], mirrored: bool = True) -> np.ndarray:
    """6 x 6 matrix of rows [i, j, value]; mirrored where only one of two triangles is given."""
    M, given = np.zeros((6, 6)), np.zeros((6, 6), bool)
    for i, j, value in rows:
        M[int(i) - 1, int(j) - 1] = value
        given[int(i) - 1, int(j) - 1] = True
    return np.where(given | ~given.T, M, M.T) if mirrored else M
