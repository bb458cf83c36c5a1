"""Controllers that follow a trajectory."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block, Echo, Equation
from ..block_states import Memory, State
from ..errors import Problem
from ..params import Param
from ..ports import ANY, TRAJECTORY, In, Out
from ..signal_params import PerElement
from .arithmetic import limits_problem


class Controller(Block, abstract=True):
    """Base of both controllers; gains take one number for all elements, or a list."""

    family = "control"
    target = In(ANY, kind=TRAJECTORY, doc="where to be")
    measured = In(ANY, kind=TRAJECTORY, doc="where it is")
    feedforward = In(ANY, default=0.0, doc="added to the effort")
    effort = Out(ANY, doc="within the limits")
    kp = PerElement(1.0, ge=0, doc="gain on the error")
    kd = PerElement(0.0, ge=0, doc="gain on the rate of the error")
    lower = PerElement(None, doc="least effort; none when not given")
    upper = PerElement(None, doc="greatest effort; none when not given")

    def unit_laws(self) -> Iterable[str]:
        gains = ("effort = kp*measured", "effort = kd*measured/s")
        return ("target = measured", "feedforward = effort", *gains, "lower = effort", "upper = effort")

    def check(self) -> Iterable[Problem]:
        return limits_problem(self.lower, self.upper)

    def instance_functions(self) -> dict[str, Equation]:
        """Limits that are not given are never met."""
        missing = [f"crossing_{name}" for name in ("lower", "upper") if getattr(self, name) is None]
        return {role: function for role, function in self.functions.items() if role not in missing}


def limited(value, lower, upper):
    """The value within its limits; a limit that is NaN is none."""
    if value < lower:
        return lower
    if value > upper:
        return upper
    return value


def pd_effort(feedforward, target, measured, kp, kd):
    """The effort before its limits."""
    return feedforward + kp * (target[0] - measured[0]) + kd * (target[1] - measured[1])


class Pd(Controller):
    """PD: effort = feedforward + kp (target - measured) + kd (their rates' difference), within its limits."""

    def out(feedforward, target, measured, kp, kd, lower, upper):
        return limited(pd_effort(feedforward, target, measured, kp, kd), lower, upper)

    def crossing_lower(feedforward, target, measured, kp, kd, lower):
        return pd_effort(feedforward, target, measured, kp, kd) - lower

    def crossing_upper(feedforward, target, measured, kp, kd, upper):
        return pd_effort(feedforward, target, measured, kp, kd) - upper


def pid_effort(feedforward, target, measured, x, f, kp, kd, filter_time):
    """The effort before its limits."""
    rate = target[1] - measured[1]
    if filter_time > 0.0:
        rate = f
    return feedforward + kp * (target[0] - measured[0]) + x + kd * rate


def lag_share(time, constant):
    """Share 1 - exp(-time / constant) that a first-order lag covers in a time; 1 without a time constant."""
    if constant > 0.0:
        return 1.0 - math.exp(-time / constant)
    return 1.0


def sample_pid(
    feedforward, target, measured, kp, ki, kd, lower, upper, filter_time, tracking_time, sample_time,
    integral, filtered, held,
):  # fmt: skip
    e, rate = target[0] - measured[0], target[1] - measured[1]
    wanted = pid_effort(feedforward, target, measured, integral[0], filtered[0], kp, kd, filter_time)
    held[0] = limited(wanted, lower, upper)
    back = lag_share(sample_time, tracking_time)
    integral[0] += sample_time * ki * e + back * (held[0] - wanted)
    filtered[0] += lag_share(sample_time, filter_time) * (rate - filtered[0])


def held_effort(held):
    return held[0]


class Pid(Controller):
    """PID: effort = feedforward + kp e + x + kd f, limited, with e = target - measured and dx/dt = ki e.

    f is the rate of e, which trajectories bring along; a `filter_time` T smooths it, T df/dt = de/dt - f.
    Against a limit the integral is called back, so that it does not wind up and the effort leaves the limit
    without a bump: dx/dt = ki e + (limited effort - unlimited effort) / tracking_time (Astrom and Hagglund,
    PID Controllers, 1995, section 3.5). x holds the integral of ki e: a new ki makes no bump either. With a
    `sample_time` T_s all this happens at its multiples: x grows by T_s ki e, the filter and the call back go as far as
    in T_s of what is held, and the effort is held between.
    """

    ki = PerElement(0.0, ge=0, doc="gain on the integral of the error")
    usual = ("kp", "ki", "kd")
    rare = ("tracking_time", "initial", "sample_time")
    filter_time = Param(0.0, "s", ge=0, doc="time constant of the filter on the rate; 0 means no filter")
    tracking_time = Param(0.1, "s", gt=0, doc="time constant of the return from a limit (anti-windup)")
    initial = PerElement(0.0, doc="integral part of the effort at the start")
    sample_time = Param(
        0.0, "s", ge=0, live=False, doc="time from one sample to the next, rounded to steps; 0: continuous"
    )
    x = State("initial", width=ANY, doc="integral part of the effort")
    f = State(width=ANY, doc="filtered rate of the error")
    integral = Memory("initial", size="held_size", doc="x at the next sample")
    filtered = Memory(size="held_size", doc="f at the next sample")
    held = Memory(size="held_size", doc="the effort since the last sample")

    def unit_laws(self) -> Iterable[str]:
        return (*super().unit_laws(), "effort = ki*measured*s", "initial = effort")

    def sampled(self) -> bool:
        return self.sample_time > 0.0

    def held_size(self, step: float) -> int:
        return int(self.sampled())

    def echo(self) -> Echo | None:
        return Echo(sample_time=self.sample_time, by=RememberedPid(self)) if self.sampled() else None

    def instance_functions(self) -> dict[str, Equation]:
        if self.sampled():
            return {"update": sample_pid, "out": held_effort}
        return super().instance_functions()

    def der(feedforward, target, measured, x, f, kp, ki, kd, lower, upper, filter_time, tracking_time):
        wanted = pid_effort(feedforward, target, measured, x, f, kp, kd, filter_time)
        xd = ki * (target[0] - measured[0]) + (limited(wanted, lower, upper) - wanted) / tracking_time
        fd = 0.0
        if filter_time > 0.0:
            fd = (target[1] - measured[1] - f) / filter_time
        return xd, fd

    def out(feedforward, target, measured, x, f, kp, kd, lower, upper, filter_time):
        return limited(pid_effort(feedforward, target, measured, x, f, kp, kd, filter_time), lower, upper)

    def crossing_lower(feedforward, target, measured, x, f, kp, kd, filter_time, lower):
        return pid_effort(feedforward, target, measured, x, f, kp, kd, filter_time) - lower

    def crossing_upper(feedforward, target, measured, x, f, kp, kd, filter_time, upper):
        return pid_effort(feedforward, target, measured, x, f, kp, kd, filter_time) - upper


class RememberedPid(Pid, abstract=True):
    """PID controller with states in place of its sampled memories (`continuous_equivalents.py`)."""

    x = f = integral = filtered = held = None
    held_own_integral = State("initial", width=ANY)
    held_own_rate = State(width=ANY)
    held_effort = State(width=ANY)

    def __init__(self, pid: Pid):
        super().__init__(pid.name, pid.values, pid.given)

    def sampled(self) -> bool:
        return False

    def instance_functions(self) -> dict[str, Equation]:
        return {"der": change_of_pid, "out": remembered_effort}


def change_of_pid(
    feedforward, target, measured, kp, ki, kd, lower, upper, filter_time, tracking_time, sample_time,
    held_own_integral, held_own_rate, held_effort,
):  # fmt: skip
    e, rate = target[0] - measured[0], target[1] - measured[1]
    wanted = pid_effort(feedforward, target, measured, held_own_integral, held_own_rate, kp, kd, filter_time)
    effort = limited(wanted, lower, upper)
    back = lag_share(sample_time, tracking_time)
    grown = sample_time * ki * e + back * (effort - wanted)
    return grown, lag_share(sample_time, filter_time) * (rate - held_own_rate), effort - held_effort


def remembered_effort(held_effort):
    return held_effort
