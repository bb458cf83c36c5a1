"""The equations of Cibicik and Egeland (2018), with forty digits: a slow twin of the knuckle boom crane.

Links are 1 (king), 2 and 3 (booms); b and p are barrel and piston. Lengths and masses are those of tables 1 and 2, the
last tensor of eq. 66 taken as the piston's. Derivatives are differences, exact to more digits than a double has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp

mp.mp.dps = 40
L = {1: mp.mpf(6), 2: mp.mpf("7.5"), 3: mp.mpf(5)}
D = {1: mp.mpf(3), 2: mp.mpf("3.7"), 3: mp.mpf("2.5")}
L_B, L_P, D_B, D_P = mp.mpf("2.3"), mp.mpf(2), mp.mpf("1.2"), mp.mpf("1.2")
# a_b, e_b, a_p, e_p
PINS = {
    2: (mp.mpf(1), mp.mpf("2.5"), mp.mpf("0.5"), mp.mpf("2.5")),
    3: (mp.mpf("0.4"), mp.mpf("2.5"), mp.mpf("0.4"), mp.mpf(2)),
}
MASS = {"1": 10000, "2": 10000, "3": 10000, "b2": 2000, "p2": 1000, "b3": 2000, "p3": 1000}
G = mp.mpf("9.81")
Vector = Any


def alpha(k: int, q: Any) -> Any:
    """Eq. 29."""
    a_b, e_b, a_p, e_p = PINS[k]
    b1, b2 = mp.hypot(a_b, e_b), mp.hypot(a_p, e_p)
    cosine = ((L_B + q) ** 2 - b1**2 - b2**2) / (-2 * b1 * b2)
    return mp.acos(cosine) + mp.atan(a_b / e_b) + mp.atan(a_p / e_p) - mp.pi


def beta(k: int, q: Any) -> Any:
    """Eq. 30."""
    a_b, e_b, a_p, e_p = PINS[k]
    b1, b2 = mp.hypot(a_b, e_b), mp.hypot(a_p, e_p)
    cosine = (b2**2 - b1**2 - (L_B + q) ** 2) / (-2 * b1 * (L_B + q))
    return -mp.acos(cosine) - mp.atan(e_b / a_b) + mp.pi / 2


def alpha_rate(k: int, q: Any, u: Any) -> Any:
    """Eq. 37."""
    _, _, a_p, e_p = PINS[k]
    turn = alpha(k, q) - beta(k, q)
    return u / (a_p * mp.cos(turn) - e_p * mp.sin(turn))


def beta_rate(k: int, q: Any, u: Any) -> Any:
    """Eq. 40."""
    _, _, a_p, e_p = PINS[k]
    turn = alpha(k, q) - beta(k, q)
    lever = e_p * mp.cos(turn) + a_p * mp.sin(turn)
    return lever / (L_B + q) * alpha_rate(k, q, u)


def turn_x(angle: Any) -> Any:
    c, s = mp.cos(angle), mp.sin(angle)
    return mp.matrix([[1, 0, 0], [0, c, -s], [0, s, c]])


def turn_z(angle: Any) -> Any:
    c, s = mp.cos(angle), mp.sin(angle)
    return mp.matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def vector(x: Any, y: Any, z: Any) -> Any:
    return mp.matrix([x, y, z])


def cross(a: Any, b: Any) -> Any:
    return vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def frames(q: Sequence[Any]) -> dict[str, tuple[Any, Any]]:
    """R_0i and p_0i of all body frames: joints for links, pins for barrel and piston."""
    up = vector(0, 0, 1)
    R1 = turn_z(q[0])
    found = {"1": (R1, vector(0, 0, 0))}
    for k in (2, 3):
        a_b, e_b, _, _ = PINS[k]
        R, p = found[str(k - 1)]
        joint = p + R * (up * L[k - 1])
        found[str(k)] = (R * turn_x(alpha(k, q[k - 1])), joint)
        R_b, pin = R * turn_x(beta(k, q[k - 1])), joint + R * vector(0, a_b, -e_b)
        found[f"b{k}"] = (R_b, pin)
        found[f"p{k}"] = (R_b, pin + R_b * (up * (L_B + q[k - 1])))
    return found


def com_offset(body: str) -> Any:
    """From the origin of a body's frame, along its z."""
    return {"b": D_B, "p": -D_P}.get(body[0]) or D[int(body)]


def tensor(body: str) -> Any:
    """Eq. 66."""
    length = {"b": L_B, "p": L_P}.get(body[0]) or L[int(body)]
    across = MASS[body] * length**2 / 12
    return mp.diag([across, across, across / 10 if body == "1" else 0])


def centres(q: Sequence[Any]) -> dict[str, Any]:
    return {name: p + R * vector(0, 0, com_offset(name)) for name, (R, p) in frames(q).items()}


def rate(function: Callable[[Any], Any], h: Any = mp.mpf(10) ** -12) -> Any:
    return (function(h) - function(-h)) / (2 * h)


def second_rate(function: Callable[[Any], Any], h: Any = mp.mpf(10) ** -9) -> Any:
    return (function(h) - 2 * function(mp.mpf(0)) + function(-h)) / h**2


def moving(q: Sequence[Any], u: Sequence[Any], a: Sequence[Any], t: Any) -> list[Any]:
    return [q[k] + u[k] * t + a[k] * t * t / 2 for k in range(3)]


def wrenches(q: Sequence[Any], u: Sequence[Any], a: Sequence[Any], F: Sequence[Any]) -> dict[str, Any]:
    """Eq. 49: external less inertial force and moment at each centre of mass, in the body's axes."""
    now = frames(q)
    found = {}
    for name, (R, _) in now.items():
        at = lambda t, name=name: centres(moving(q, u, a, t))[name]  # noqa: E731
        turn = lambda t, name=name: frames(moving(q, u, a, t))[name][0]  # noqa: E731
        acceleration = second_rate(at)
        spin = lambda t, turn=turn: spin_of(turn, t)  # noqa: E731
        w, wd = spin(mp.mpf(0)), rate(spin, mp.mpf(10) ** -9)
        inertia = R * tensor(name) * R.T
        force = R.T * (MASS[name] * (vector(0, 0, -G) - acceleration))
        moment = R.T * (-(inertia * wd) - cross(w, inertia * w))
        if name == "1":
            moment += vector(0, 0, F[0])
        elif name[0] in "bp":
            force += vector(0, 0, F[int(name[1]) - 1] * (1 if name[0] == "p" else -1))
        found[name] = (force, moment)
    return found


def spin_of(turn: Callable[[Any], Any], t: Any) -> Any:
    """Angular velocity from R' R^T."""
    W = rate(lambda s: turn(t + s), mp.mpf(10) ** -15) * turn(t).T
    return vector(W[2, 1], W[0, 2], W[1, 0])


def pin_loads(W_b: Any, W_p: Any, q: Any) -> tuple[Any, Any]:
    """Eq. 53 to 55: loads of barrel and piston as wrenches at their pins, in barrel axes."""
    l, b, p = L_B + q, D_B, D_P
    S_bb, S_pb, S_bp, S_pp = (mp.zeros(6) for _ in range(4))
    S_bb[0, 0] = S_bb[1, 1] = (l - b) / l
    S_bb[0, 4], S_bb[1, 3], S_bb[2, 2], S_bb[5, 5] = -1 / l, 1 / l, 1, 1
    S_pb[0, 0] = S_pb[1, 1] = p / l
    S_pb[0, 4], S_pb[1, 3], S_pb[5, 5] = -1 / l, 1 / l, 1
    S_bp[0, 0] = S_bp[1, 1] = b / l
    S_bp[0, 4], S_bp[1, 3] = 1 / l, -1 / l
    S_pp[0, 0] = S_pp[1, 1] = (l - p) / l
    S_pp[0, 4], S_pp[1, 3], S_pp[2, 2] = 1 / l, -1 / l, 1
    b6, p6 = (mp.matrix([*W[0], *W[1]]) for W in (W_b, W_p))
    on_b, on_p = S_bb * b6 + S_pb * p6, S_bp * b6 + S_pp * p6
    return (on_b[:3], on_b[3:]), (on_p[:3], on_p[3:])


def reactions(q: Sequence[Any], u: Sequence[Any], a: Sequence[Any], F: Sequence[Any]) -> dict[str, Any]:
    """Eq. 56 for the three joints (in their own axes), and the loads on the pins (in the links' axes)."""
    now, W = frames(q), wrenches(q, u, a, F)
    centre = centres(q)
    loads: dict[str, tuple[Any, Any, Any]] = {}  # force and moment in world axes, and where they act
    for k in (1, 2, 3):
        R = now[str(k)][0]
        force, moment = W[str(k)]
        loads[str(k)] = (R * force, R * moment, centre[str(k)])
    found: dict[str, Any] = {}
    for k in (2, 3):
        R = now[f"b{k}"][0]
        on_b, on_p = pin_loads(W[f"b{k}"], W[f"p{k}"], q[k - 1])
        loads[f"b{k}"] = (R * mp.matrix(on_b[0]), R * mp.matrix(on_b[1]), now[f"b{k}"][1])
        loads[f"p{k}"] = (R * mp.matrix(on_p[0]), R * mp.matrix(on_p[1]), now[f"p{k}"][1])
        found[f"b{k}"] = now[str(k - 1)][0].T * loads[f"b{k}"][0]
        found[f"p{k}"] = now[str(k)][0].T * loads[f"p{k}"][0]
    for k in (1, 2, 3):
        carried = [str(j) for j in range(k, 4)] + [f"p{j}" for j in (2, 3) if j >= k]
        carried += [f"b{j}" for j in (2, 3) if j > k]
        R, origin = now[str(k)]
        force = sum((-loads[j][0] for j in carried), vector(0, 0, 0))
        moment = sum(
            (-loads[j][1] - cross(loads[j][2] - origin, loads[j][0]) for j in carried), vector(0, 0, 0)
        )
        found[f"force {k}"], found[f"moment {k}"] = R.T * force, R.T * moment
    return found


def accelerations(q: Sequence[Any], u: Sequence[Any], F: Sequence[Any]) -> list[Any]:
    """Eq. 43 by virtual power: forces less inertia, on the motion that each coordinate alone would give."""
    unit = [[mp.mpf(i == j) for i in range(3)] for j in range(3)]
    powers = []
    for along in unit:
        place = lambda t, along=along: moving(q, along, [0, 0, 0], t)  # noqa: E731
        turn = {n: spin_of(lambda t, n=n, place=place: frames(place(t))[n][0], mp.mpf(0)) for n in MASS}
        push = {n: rate(lambda t, n=n, place=place: centres(place(t))[n]) for n in MASS}
        powers.append((push, turn))

    def left(a: Sequence[Any]) -> Any:
        W, now = wrenches(q, u, a, F), frames(q)
        return mp.matrix(
            [
                sum(dot(now[n][0] * W[n][0], push[n]) + dot(now[n][0] * W[n][1], turn[n]) for n in MASS)
                for push, turn in powers
            ]
        )

    base = left([0, 0, 0])
    M = mp.zeros(3)
    for j in range(3):
        column = base - left(unit[j])
        for i in range(3):
            M[i, j] = column[i]
    return list(mp.lu_solve(M, base))
