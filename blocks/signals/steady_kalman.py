"""Kalman filters with a steady gain: the block `kalman`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np

from ..block import Block, Echo, Equation
from ..block_states import Memory, State
from ..errors import Problem
from ..params import Param
from ..ports import In, Out, Port, with_widths
from ..signal_params import AnyUnit, PerElement
from ..text.generated_functions import function_from
from .design_file import Designed, length_problem, shape_problem, spread_numbers
from .discretised_systems import row_of
from .state_feedback import held_entries


def affine_row(matrix, i, x, other, inputs, offset):
    """Row i of A x + B u + c."""
    return row_of(matrix, i, x) + row_of(other, i, inputs) + offset[i]


def estimate_rate(i, x, inputs, a, b, ca):
    return row_of(a, i, x) + row_of(b, i, inputs) + ca[i]


def correct_estimate(measured, a, b, m, c, d, xo, uo, yo, z, later, given, begun, held):
    """Predict from the last sample with the inputs that were held since, and correct by what is measured.

    z is the estimate, and `later` the prediction, from the operating point xo.
    """
    n = len(z)
    for k in range(n):
        later[k] = row_of(a, k, z)
        for j in range(len(uo)):
            later[k] += b[len(uo) * k + j] * (given[j] - uo[j])
        if begun[0] == 0.0:
            later[k] = z[k]
    begun[0] = 1.0
    for k in range(len(yo)):
        expected = row_of(c, k, later)
        for j in range(len(uo)):
            expected += d[len(uo) * k + j] * (given[j] - uo[j])
        held[n + k] = measured[k] - yo[k] - expected
    for k in range(n):
        z[k] = later[k]
        for j in range(len(yo)):
            z[k] += m[len(yo) * k + j] * held[n + j]
        held[k] = xo[k] + z[k]


def estimate_change(i, inputs, c, d, e, cb, measured_count, held, held_last):
    """Rates of `held` (estimate, innovation) and `held_last` (inputs): the next sample less this one."""
    p = int(measured_count[0])
    shown = row_of(c, i, held) + row_of(e, i, held_last) + cb[i]
    for k in range(p):
        shown += d[p * i + k] * inputs[k]
    now = 0.0
    if p + i < len(inputs):
        now = inputs[p + i]
    return shown - held[i], now - held_last[i]


@cache
def sampled_functions(n: int, m: int, p: int) -> dict[str, Equation]:
    """Functions of a sampled filter of n states, m inputs and p measured signals.

    `end` keeps what the inputs were up to the sample: a controller behind the filter changes them there.
    """
    words = "a, b, m, c, d, xo, uo, yo, z, later, given, begun, held"
    whole = "measured" if p > 1 else "(measured,)"
    update = f"def kalman_sample(measured, {words}):\n    correct_estimate({whole}, {words})\n"
    made = {
        "update": function_from(update, correct_estimate, row_of),
        "out_estimate": held_entries(0, n),
        "out_innovation": held_entries(n, p),
    }
    if m:
        lines = "".join(f"    given[{k}] = input{f'[{k}]' if m > 1 else ''}\n" for k in range(m))
        made["end"] = function_from(f"def kalman_end(input, given):\n{lines}")
    return made


@cache
def continuous_functions(n: int, p: int) -> dict[str, Equation]:
    """Functions of a filter of n states and p measured signals in continuous time."""
    states = "x" if n == 1 else ", ".join(f"x[{k}]" for k in range(n))
    whole = "(x,)" if n == 1 else "x"
    rows = ", ".join(f"affine_row(c, {k}, whole, d, inputs, cb)" for k in range(n, n + p))
    innovation = f"def innovation_of(x, inputs, c, d, cb):\n    whole = {whole}\n    return {rows}\n"
    return {
        "der": estimate_rate,
        "out_estimate": function_from(f"def estimate_of(x):\n    return {states}\n"),
        "out_innovation": function_from(innovation, affine_row, row_of),
    }


class Kalman(Designed):
    """Steady Kalman filter: dx/dt = A x + B u + L (y - C x - D u), x the estimate of a model's states.

    x, u and y count from the operating point (`at`, `input_at`, `measured_at`). With a `sample_time` the estimate is
    corrected at samples, x = x- + M (y - C x- - D u), and held between; x- = A x + B u is predicted from the last
    sample, with the u up to now. `luff kalman` and `luff.kalman` find the matrices of a model, and the gain (L, or M)
    for its noise, and write them to a `file`.
    """

    family = "control"
    kind = "kalman"
    in_file = ("A", "B", "C", "D", "gain", "at", "input_at", "measured_at")
    measured = In(doc="y, the measured signals")
    input = In(default=0.0, doc="u, the inputs that the filter is told")
    estimate = Out(doc="x, estimates of the states")
    innovation = Out(doc="y - C x - D u before the correction: white where model and noise are true")
    A = AnyUnit(((-1.0,),), shape=(None, None), live=False, doc="n x n matrix, row by row")
    B = AnyUnit(None, shape=(None, None), live=False, doc="n x m matrix; no inputs when not given")
    C = AnyUnit(((1.0,),), shape=(None, None), live=False, doc="p x n matrix")
    D = AnyUnit(None, shape=(None, None), live=False, doc="p x m matrix; zero when not given")
    gain = AnyUnit(((1.0,),), shape=(None, None), live=False, doc="L, or M with a sample time: n x p matrix")
    at = PerElement(0.0, live=False, doc="states of the operating point; one number stands for all")
    input_at = PerElement(0.0, live=False, doc="inputs of the operating point")
    measured_at = PerElement(0.0, live=False, doc="measured signals at the operating point")
    initial = PerElement(None, optional=True, doc="estimate at the start; the operating point when not given")
    sample_time = Param(
        0.0, "s", ge=0, live=False, doc="time from one sample to the next, rounded to steps; 0: continuous"
    )
    x = State("start", width="order", doc="estimate")
    z = Memory("deviation", size="order_held", doc="estimate at the last sample, from the operating point")
    later = Memory(size="order_held", doc="prediction for the last sample, from the operating point")
    given = Memory("inputs_at", size="inputs_held", doc="inputs up to now")
    begun = Memory(size="held_size", doc="1 behind the first sample")
    held = Memory(size="shown_held", doc="estimate and innovation since the last sample")
    derived_names = ("a", "b", "c", "d", "ca", "cb", "xo", "uo", "yo", "m")

    def check(self) -> Iterable[Problem]:
        problems = [*self.file_problems()]
        yield from problems
        if problems:
            return
        found = self.design()
        n, m, p = self.sizes()
        if not n * p:
            yield Problem(
                "found a filter without states or measured signals", ".A" if self.file is None else ".file"
            )
            return
        shapes = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m), "gain": (n, p)}
        lengths = {"at": n, "input_at": m, "measured_at": p}
        for name, shape in shapes.items():
            if found[name] and (m or name not in "BD"):
                yield from shape_problem(found[name], name, *shape, self._place(name))
        for name, count in lengths.items():
            yield from length_problem(found[name], name, max(count, 1), self._place(name))
        if self.initial is not None:
            yield from length_problem(self.initial, "initial", n, ".initial")
        yield from self.sampling_problem(self.sample_time)

    def _place(self, name: str) -> str:
        return f".{name}" if self.file is None else ".file"

    def sizes(self) -> tuple[int, int, int]:
        """Numbers of states, inputs and measured signals."""
        found = self.design()
        B = found["B"]
        return len(found["A"]), len(B[0]) if B else 0, len(found["C"])

    def ports(self) -> dict[str, Port]:
        known = super().ports()
        try:
            n, m, p = self.sizes()
        except Exception:  # `check` tells
            return known
        known["input"] = replace(known["input"], default=None)
        widths = {"measured": max(p, 1), "input": m, "estimate": max(n, 1), "innovation": max(p, 1)}
        return with_widths(known, widths)

    def feedthrough(self, output: str, element: int, port: str, port_element: int) -> bool:
        return self.sampled() or output == "innovation"

    def width(self) -> int | None:
        return None

    def sampled(self) -> bool:
        return self.sample_time > 0.0

    def order(self) -> int:
        return self.sizes()[0]

    def order_held(self, step: float) -> int:
        return self.order() if self.sampled() else 0

    def shown_held(self, step: float) -> int:
        n, _, p = self.sizes()
        return n + p if self.sampled() else 0

    def inputs_held(self, step: float) -> int:
        return max(self.sizes()[1], 1) if self.sampled() else 0

    def held_size(self, step: float) -> int:
        return int(self.sampled())

    def operating_point(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, inputs and measured signals about which the filter is linear; a zero for no inputs."""
        found, (n, m, p) = self.design(), self.sizes()
        x, y = spread_numbers(found["at"], n), spread_numbers(found["measured_at"], p)
        return np.array(x), np.array(spread_numbers(found["input_at"], m) if m else (0.0,)), np.array(y)

    def state_start(self, initial: float | str) -> object:
        at, inputs, _ = self.operating_point()
        begun = at if self.initial is None else np.array(spread_numbers(self.initial, len(at)))
        starts = {"start": begun, "deviation": begun - at, "inputs_at": inputs}
        return tuple(starts[initial].tolist()) if isinstance(initial, str) else initial

    def matrices(self) -> dict[str, np.ndarray]:
        """A, B, C, D and gain; inputs of width one and without effect where there are none."""
        found, (n, m, p) = self.design(), self.sizes()
        A, C, gain = (np.array(found[name], float) for name in ("A", "C", "gain"))
        B = np.array(found["B"], float) if m else np.zeros((n, 1))
        D = np.array(found["D"], float) if m and found["D"] else np.zeros((p, max(m, 1)))
        return {"A": A, "B": B, "C": C, "D": D, "gain": gain}

    def affine(self) -> dict[str, np.ndarray]:
        """Rates a x + b [y; u] + ca of the estimate x, and c x + d [y; u] + cb: estimate and innovation."""
        A, B, C, D, gain = self.matrices().values()
        (n, m, p), (x, u, y) = self.sizes(), self.operating_point()
        B, D, inputs = B[:, :m], D[:, :m], np.concatenate([y, u[:m]])
        shown = np.concatenate([x, np.zeros(p)])
        a, b = A - gain @ C, np.hstack([gain, B - gain @ D])
        c, d = np.vstack([np.eye(n), -C]), np.block([[np.zeros((n, p + m))], [np.eye(p), -D]])
        return {"a": a, "b": b, "c": c, "d": d, "ca": -a @ x - b @ inputs, "cb": shown - c @ x - d @ inputs}

    def derived(self) -> dict[str, tuple[float, ...]]:
        if not self.sampled():
            return flat(self.affine())
        found = self.matrices()
        named = {"a": found["A"], "b": found["B"], "c": found["C"], "d": found["D"]}
        return flat({**named, **dict(zip(("xo", "uo", "yo"), self.operating_point(), strict=True))}) | {
            "m": tuple(map(float, found["gain"].ravel()))
        }

    def instance_functions(self) -> dict[str, Equation]:
        n, m, p = self.sizes()
        return sampled_functions(n, m, p) if self.sampled() else continuous_functions(n, p)

    def echo(self) -> Echo | None:
        if not self.sampled():
            return None
        return Echo(sample_time=self.sample_time, by=HeldEstimate(self))


def flat(matrices: dict[str, np.ndarray]) -> dict[str, tuple[float, ...]]:
    """Matrices row by row."""
    return {name: tuple(map(float, matrix.ravel())) for name, matrix in matrices.items()}


class HeldEstimate(Block, abstract=True):
    """Sampled Kalman filter as linear models see it: rates of states are what they become less what they are.

    `held` is estimate and innovation, `held_last` the inputs behind a sample, as wide: the rest stays zero.
    """

    held = State("start", width="most")
    held_last = State("inputs", width="most")
    derived_names = ("c", "d", "e", "cb", "measured_count")

    def __init__(self, block: Kalman):
        super().__init__(block.name, {})
        self.of = block

    def most(self) -> int:
        n, m, p = self.of.sizes()
        return max(n + p, m)

    def state_start(self, initial: float | str) -> object:
        begun = self.of.state_start("start" if initial == "start" else "inputs_at")
        assert isinstance(begun, tuple)
        begun = begun if initial == "start" else begun[: self.of.sizes()[1]]
        return (*begun, *[0.0] * (self.most() - len(begun)))

    def ports(self) -> dict[str, Port]:
        return self.of.ports()

    def derived(self) -> dict[str, tuple[float, ...]]:
        """held' = c held + d y + e held_last + cb."""
        A, B, C, D, gain = self.of.matrices().values()
        (n, m, p), (x, u, y), most = self.of.sizes(), self.of.operating_point(), self.most()
        B, D, u = B[:, :m], D[:, :m], u[:m]
        c, d, e, cb = (np.zeros((most, columns)) for columns in (most, p, most, 1))
        c[:n, :n], c[n : n + p, :n] = A - gain @ C @ A, -C @ A
        d[:n], d[n : n + p] = gain, np.eye(p)
        e[:n, :m], e[n : n + p, :m] = B - gain @ (C @ B + D), -C @ B - D
        cb[:n, 0] = x - c[:n, :n] @ x - d[:n] @ y - e[:n, :m] @ u
        cb[n : n + p, 0] = -c[n : n + p, :n] @ x - y - e[n : n + p, :m] @ u
        return flat({"c": c, "d": d, "e": e, "cb": cb}) | {"measured_count": (float(p),)}

    def instance_functions(self) -> dict[str, Equation]:
        n, _, p = self.of.sizes()
        return {
            "der": estimate_change,
            "out_estimate": held_entries(0, n),
            "out_innovation": held_entries(n, p),
        }
