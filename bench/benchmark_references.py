"""Reference values of the benchmarks that are computed: closed forms, and equations of motion of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipj, ellipk, ellipkinc

g = 9.81
TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Root between low and high, to rounding."""
    return float(cast("float", brentq(function, low, high, xtol=1e-14)))


def pendulum() -> list[float]:
    """x and z at 10 s of a point on a rod of 1 m released level: sin(phi / 2) = k cd(w t), k = sin(pi / 4)."""
    m = 0.5
    _, cn, dn, _ = ellipj(math.sqrt(g) * 10.0, m)
    phi = 2.0 * math.asin(math.sqrt(m) * cn / dn)
    return [-math.sin(phi), -math.cos(phi)]


def double_four_bar() -> list[float]:
    """x and z at 10 s of an upright: T = 3 theta'^2 / 2, V = 7 g cos(theta) / 2, t = 2 F(theta / 2 | -14 g / 3)."""
    half = root(lambda psi: 2.0 * float(ellipkinc(psi, -14.0 * g / 3.0)) - 10.0, 0.0, 100.0)
    return [math.sin(2.0 * half), math.cos(2.0 * half)]


def about_a_point(
    mass: float, com: list[float], central: list[float], start: list[float], w: list[float], stop: float
) -> np.ndarray:
    """R_WB of a heavy body on a fixed point at time `stop`: Euler's equations with a quaternion."""
    c, weight = np.array(com), np.array([0.0, 0.0, -mass * g])
    J = np.diag(central) + mass * (c @ c * np.eye(3) - np.outer(c, c))

    def rotation(q: np.ndarray) -> np.ndarray:
        w, x, y, z = q / np.linalg.norm(q)
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        q, w = state[:4], state[4:]
        torque = np.cross(c, rotation(q).T @ weight)
        spin = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([spin, np.linalg.solve(J, torque - np.cross(w, J @ w))])

    return rotation(solve_ivp(rate, (0.0, stop), [*start, *w], **TIGHT).y[:4, -1])  # type: ignore[call-overload]


def top() -> list[float]:
    """Tip at 0.2 s."""
    inertia = [0.46875, 0.234375, 0.234375]
    R = about_a_point(15.0, [1, 0, 0], inertia, [1.0, 0, 0, 0], [150.0, 0, -4.61538], 0.2)
    return R[:, 0].tolist()


def tumbling() -> list[float]:
    """Tip at 2 s of a body that starts at theta = 60 deg."""
    start, c, s = [math.cos(math.pi / 6), 0, math.sin(math.pi / 6), 0], 0.5, math.sqrt(0.75)
    w = [1.0 + 0.01 * s, 3.0, -0.01 * c]
    R = about_a_point(2.0, [0.1, 0.02, 0.3], [0.02, 0.05, 0.04], start, w, 2.0)
    return (R @ [0.5, 0.2, 0.4]).tolist()


def eight_pendulum() -> list[float]:
    """x and z of the tip at 2 s: Lagrange's equations in the angles of eight slender rods to the downward vertical."""
    n = 8
    behind = n - np.maximum.outer(np.arange(n), np.arange(n)) - 0.5  # rods beyond both, half of the own one
    inertia = behind + np.diag(np.full(n, 1.0 / 12.0 - 0.25))

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        angle, w = state[:n], state[n:]
        off = angle[:, None] - angle[None, :]
        M = inertia * np.cos(off)
        force = -(inertia * np.sin(off)) @ (w * w) - g * (n - np.arange(n) - 0.5) * np.sin(angle)
        return np.concatenate([w, np.linalg.solve(M, force)])

    start = np.concatenate([np.full(n, 0.5 * np.pi), np.zeros(n)])
    angle = solve_ivp(rate, (0.0, 2.0), start, **TIGHT).y[:n, -1]  # type: ignore[call-overload]
    return [np.sin(angle).sum(), -np.cos(angle).sum()]


def kinematic_tree() -> list[float]:
    """Tip at 1 s of five rods of 2 m and 20 kg on pins askew: M q'' = Q by velocities and accelerations of each rod."""
    n, length, mass = 5, 2.0, 20.0
    about, across = mass * 0.01 / 6.0, mass * (4.0 + 0.01) / 12.0
    quarter, eighth = np.pi / 2, np.pi / 4
    about_x = np.array([[1, 0, 0], [0, math.cos(quarter), -1], [0, 1, math.cos(quarter)]])
    about_y = np.array(
        [[math.cos(eighth), 0, math.sin(eighth)], [0, 1, 0], [-math.sin(eighth), 0, math.cos(eighth)]]
    )
    turned = [np.eye(3), about_x @ about_y, about_x @ about_y, about_y, about_x @ about_y]

    def rods(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, the forces of gravity and rates, and the tip."""
        M, force = np.zeros((n, n)), np.zeros(n)
        R, pin, w, turn, lift = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
        axes: list[np.ndarray] = []
        pins: list[np.ndarray] = []
        for k in range(n):
            c, s = math.cos(q[k]), math.sin(q[k])
            R = R @ turned[k] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            axes.append(R[:, 2])
            pins.append(pin)
            turn = turn + np.cross(w, axes[k] * v[k])  # angular acceleration, at q'' = 0
            w = w + axes[k] * v[k]
            arm = 0.5 * length * R[:, 0]
            middle = lift + np.cross(turn, arm) + np.cross(w, np.cross(w, arm))  # acceleration, at q'' = 0
            J = R @ np.diag([about, across, across]) @ R.T
            Jw = np.column_stack([*axes, *[np.zeros(3)] * (n - 1 - k)])
            Jv = np.column_stack(
                [
                    *(np.cross(axes[i], pin + arm - pins[i]) for i in range(k + 1)),
                    *[np.zeros(3)] * (n - 1 - k),
                ]
            )
            M += mass * Jv.T @ Jv + Jw.T @ J @ Jw
            force += Jv.T @ (mass * (np.array([0.0, -10.0, 0.0]) - middle))
            force -= Jw.T @ (J @ turn + np.cross(w, J @ w))
            lift = lift + np.cross(turn, 2.0 * arm) + np.cross(w, np.cross(w, 2.0 * arm))
            pin = pin + 2.0 * arm
        return M, force, pin

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        M, force, _tip = rods(state[:n], state[n:])
        return np.concatenate([state[n:], np.linalg.solve(M, force)])

    end = solve_ivp(rate, (0.0, 1.0), np.zeros(2 * n), **TIGHT).y[:, -1]  # type: ignore[call-overload]
    return rods(end[:n], end[n:])[2].tolist()


def rigid_slider_crank() -> list[float]:
    """Slider's x, pin's x and y at 2 s: m(q) q'' + m'(q) q'^2 / 2 = M in the angle q of the crank."""
    crank, rod, m1, m2, m3, torque = 0.1, 0.3, 0.2, 0.2, 0.4, 0.1

    def inertia(q: complex) -> complex:
        sine = -crank / rod * np.sin(q)  # of the rod's angle
        turn = -crank * np.cos(q) / (rod * np.sqrt(1.0 - sine * sine))  # its derivative
        slider = -crank * np.sin(q) - rod * sine * turn
        x, y = -crank * np.sin(q) - 0.5 * rod * sine * turn, 0.5 * crank * np.cos(q)
        return m1 * crank**2 / 3.0 + m2 * (x * x + y * y + rod**2 / 12.0 * turn * turn) + m3 * slider * slider

    def rate(_: float, state: np.ndarray) -> list[float]:
        q, w = state
        slope = inertia(q + 1e-30j).imag / 1e-30
        return [w, (torque - 0.5 * slope * w * w) / inertia(q).real]

    q = solve_ivp(rate, (0.0, 2.0), [0.0, 0.0], **TIGHT).y[0, -1]  # type: ignore[call-overload]
    x, y = crank * math.cos(q), crank * math.sin(q)
    return [x + math.sqrt(rod**2 - y**2), x, y]


def flyball_governor() -> list[float]:
    """Height of the slider at 10 s: turn, height s and angle b of both rods, of which the first has a kept momentum."""
    rod, ball, slider, hinge, stiffness, damping, free = 0.3, 5.0, 3.0, 0.05, 8e5, 4e4, 0.5
    mass = rod + ball
    c = (0.5 * rod + ball) / mass
    thin = rod * 2e-4 / 12.0
    J = rod * 1.0001 / 12.0 + rod * (c - 0.5) ** 2 + ball * (1.0 - c) ** 2

    def turning(b: float) -> tuple[float, float]:
        """Inertia about the shaft, and its derivative."""
        reach = hinge + c * math.cos(b)
        about = thin + 0.005 + 2.0 * (mass * reach**2 + thin * math.sin(b) ** 2 + J * math.cos(b) ** 2)
        return about, -4.0 * mass * reach * c * math.sin(b) + 2.0 * (thin - J) * math.sin(2.0 * b)

    kept = turning(math.pi / 6)[0] * 2.0 * math.pi

    def rate(_: float, state: np.ndarray) -> list[float]:
        s, b, ds, db = state
        x, z = 0.5 * math.cos(b), 1.0 - 0.5 * math.sin(b) - s  # of a spring
        length = math.hypot(x, z)
        of_s, of_b = -z / length, (-0.5 * x * math.sin(b) - 0.5 * z * math.cos(b)) / length
        pull = stiffness * (length - free) + damping * (of_s * ds + of_b * db)
        inertia, slope = turning(b)
        turn = 0.25 * slope * (kept / inertia) ** 2
        over = turn + mass * g * c * math.cos(b) - pull * of_b
        return [ds, db, -g - 2.0 * pull * of_s / slider, over / (J + mass * c * c)]

    start = [0.5, math.pi / 6, 0.0, 0.0]
    return [float(solve_ivp(rate, (0.0, 10.0), start, method="Radau", rtol=1e-10, atol=1e-12).y[0, -1])]


def elastica() -> list[float]:
    """x and z of the tip of a cantilever of 1 m under P = 10 E I / L^2 (Bisshopp and Drucker, 1945)."""
    load = 10.0

    def missing(k: float) -> float:
        return float(ellipk(k * k) - ellipkinc(math.asin(1 / (k * math.sqrt(2))), k * k) - math.sqrt(load))

    k = root(missing, math.sqrt(0.5) + 1e-15, 1.0 - 1e-15)
    m, start = k * k, math.asin(1 / (k * math.sqrt(2)))
    down = 1.0 - 2.0 * (ellipe(m) - ellipeinc(start, m)) / math.sqrt(load)
    return [math.sqrt(2.0 * (2.0 * m - 1.0) / load), -down]


def rotating_cantilever(speed: float, count: int) -> list[float]:
    """First flap frequencies of a rotating cantilever, and its speed, in units of sqrt(E I / (m L^4)).

    Power series of w'''' - (speed^2 / 2) ((1 - x^2) w')' = w^2 w (Wright et al. 1982).
    """

    def determinant(w: float) -> float:
        ends = []
        for a2, a3 in ((1.0, 0.0), (0.0, 1.0)):
            a = [0.0, 0.0, a2, a3]
            for n in range(120):
                tension = 0.5 * speed**2 * ((n + 2) * (n + 1) * a[n + 2] - n * (n + 1) * a[n])
                a.append((w * w * a[n] + tension) / ((n + 4) * (n + 3) * (n + 2) * (n + 1)))
            k = np.arange(len(a))
            ends.append(((k * (k - 1)) @ a, (k * (k - 1) * (k - 2)) @ a))
        return ends[0][0] * ends[1][1] - ends[0][1] * ends[1][0]

    roots: list[float] = []
    low = 1.0
    while len(roots) < count:
        if determinant(low) * determinant(low + 0.5) < 0.0:
            roots.append(root(determinant, low, low + 0.5))
        low += 0.5
    return roots


REFERENCES: Mapping[str, Callable[[], list[float]]] = {
    "pendulum": pendulum,
    "double_four_bar": double_four_bar,
    "top": top,
    "tumbling": tumbling,
    "eight_pendulum": eight_pendulum,
    "kinematic_tree": kinematic_tree,
    "flyball_governor": flyball_governor,
    "rigid_slider_crank": rigid_slider_crank,
    "elastica": elastica,
}
