"""A target that jumps, or a lever, as a trajectory within limits of speed, acceleration and jerk.

A plan has seven phases of constant jerk: three that bring the speed to that of the travel with no acceleration left,
the travel, and three that stop. How far a plan goes grows with the speed of its travel, so that this one follows by
halving; where even the greatest speed does not go far enough, the travel takes its time. A plan that begins while it
brakes may have no travel: it brakes a little less, then stops. See Kroeger and Wahl (2010),
"Online trajectory generation", IEEE Transactions on Robotics 26 (1), for the problem.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block
from ..block_states import Memory
from ..params import Choice
from ..ports import ANY, TRAJECTORY, In, Out
from ..signal_params import PerElement

PHASES = 7
HALVINGS = 100
# entries of a plan: what it was made for, where it began, then durations and jerks of the phases
GOAL, TOP, HARD, JERK, MADE, BEGUN, VALUE, RATE, ACCELERATION, DURATIONS = range(10)
JERKS = DURATIONS + PHASES
ENTRIES = JERKS + PHASES


def speed_change(v, a, goal, hard, jerk):
    """Durations and first jerk of the phases from speed v and acceleration a to another speed without acceleration.

    The second has no jerk, the third the contrary of `way` times the jerk.
    """
    way = 1.0 if goal >= v + 0.5 * a * abs(a) / jerk else -1.0
    a_0, change = way * a, way * (goal - v)
    peak = min(math.sqrt(max(jerk * change + 0.5 * a_0 * a_0, 0.0)), hard)
    first, third = abs(peak - a_0) / jerk, peak / jerk
    rest = change - 0.5 * (a_0 + peak) * first - 0.5 * peak * third
    second = rest / peak if peak >= hard and rest > 0.0 else 0.0
    return first, second, third, way * jerk if peak >= a_0 else -way * jerk, -way * jerk


def after(p, v, a, j, t):
    """Value, rate and acceleration after a time of constant jerk."""
    return p + t * (v + t * (0.5 * a + t * j / 6.0)), v + t * (a + 0.5 * t * j), a + t * j


def speed_change_distance(v, a, goal, hard, jerk):
    """Distance that a change of speed to `goal` covers."""
    first, second, third, j_1, j_3 = speed_change(v, a, goal, hard, jerk)
    p, v, a = after(0.0, v, a, j_1, first)
    p, v, a = after(p, v, a, 0.0, second)
    p, v, a = after(p, v, a, j_3, third)
    return p


def distance_without_cruise(v, a, travel, hard, jerk):
    """Distance of a plan whose phase at travel speed lasts no time."""
    return speed_change_distance(v, a, travel, hard, jerk) + speed_change_distance(
        travel, 0.0, 0.0, hard, jerk
    )


def plan_phases(plan, k, v, a, goal, hard, jerk):
    """Write the three phases of a change of speed, from phase k on."""
    first, second, third, j_1, j_3 = speed_change(v, a, goal, hard, jerk)
    plan[DURATIONS + k], plan[DURATIONS + k + 1], plan[DURATIONS + k + 2] = first, second, third
    plan[JERKS + k], plan[JERKS + k + 1], plan[JERKS + k + 2] = j_1, 0.0, j_3


def distance_after_easing_brake(v, a, lasts, hard, jerk):
    """Distance of a plan that first lessens the braking for a time, and then stops."""
    p, v, a = after(0.0, v, a, jerk, lasts)
    return p + speed_change_distance(v, a, 0.0, hard, jerk)


def plan_distance(plan):
    """A plan from where it begins to a standstill at its goal."""
    top, hard, jerk = plan[TOP], plan[HARD], plan[JERK]
    way = plan[GOAL] - plan[VALUE]
    # seen from where it goes: stopping at once does not go as far as the goal
    side = 1.0 if way >= speed_change_distance(plan[RATE], plan[ACCELERATION], 0.0, hard, jerk) else -1.0
    v, a, way = side * plan[RATE], side * plan[ACCELERATION], side * way
    level = v + 0.5 * a * abs(a) / jerk  # the speed where the acceleration has gone
    for k in range(PHASES):
        plan[DURATIONS + k], plan[JERKS + k] = 0.0, 0.0
    if a < 0.0 < level and distance_without_cruise(v, a, level, hard, jerk) > way:
        # it brakes already, and a little less will do
        low, high = 0.0, -a / jerk
        for _ in range(HALVINGS):
            lasts = 0.5 * (low + high)
            if distance_after_easing_brake(v, a, lasts, hard, jerk) < way:
                low = lasts
            else:
                high = lasts
        plan[DURATIONS], plan[JERKS] = high, jerk
        _, v, a = after(0.0, v, a, jerk, high)
        plan_phases(plan, 4, v, a, 0.0, hard, jerk)
    else:
        low, travel = max(level, 0.0), top
        goes = distance_without_cruise(v, a, top, hard, jerk)
        if goes <= way:
            plan[DURATIONS + 3] = (way - goes) / top
        else:
            high = max(top, low)
            for _ in range(HALVINGS):
                travel = 0.5 * (low + high)
                if distance_without_cruise(v, a, travel, hard, jerk) < way:
                    low = travel
                else:
                    high = travel
        plan_phases(plan, 0, v, a, travel, hard, jerk)
        plan_phases(plan, 4, travel, 0.0, 0.0, hard, jerk)
    for k in range(PHASES):
        plan[JERKS + k] *= side


def plan_values(plan, t, rests):
    """Value, rate and acceleration of a plan at a time; a plan that rests stays at its goal."""
    p, v, a, left = plan[VALUE], plan[RATE], plan[ACCELERATION], t - plan[BEGUN]
    for k in range(PHASES):
        lasts = plan[DURATIONS + k]
        if left < lasts:
            return after(p, v, a, plan[JERKS + k], left)
        p, v, a = after(p, v, a, plan[JERKS + k], lasts)
        left -= lasts
    if rests > 0.0 and plan[MADE] > 0.0:
        return plan[GOAL], 0.0, 0.0
    return p + v * left, v, 0.0


def replan(plan, t, u, speed, acceleration, jerk, rests, initial):
    """Plan anew from where the plan so far is, where there is something new to plan for."""
    if (
        plan[MADE] > 0.0
        and plan[GOAL] == u
        and plan[TOP] == speed
        and plan[HARD] == acceleration
        and plan[JERK] == jerk
    ):
        return
    p, v, a = initial, 0.0, 0.0
    if plan[MADE] > 0.0:
        p, v, a = plan_values(plan, t, rests)
    plan[GOAL], plan[TOP], plan[HARD], plan[JERK], plan[MADE] = u, speed, acceleration, jerk, 1.0
    plan[BEGUN], plan[VALUE], plan[RATE], plan[ACCELERATION] = t, p, v, a
    if rests > 0.0:
        plan_distance(plan)
    else:
        for k in range(3, PHASES):
            plan[DURATIONS + k], plan[JERKS + k] = 0.0, 0.0
        plan_phases(plan, 0, v, a, min(max(u, -speed), speed), acceleration, jerk)


class TrajectoryLimiter(Block):
    """A target u, or a speed, as a trajectory: in the least time, within limits of speed, acceleration and jerk.

    It looks at u once a step, and plans anew where u or a limit has changed, from where it is. What it gives is the
    plan itself: exact however long the step is.
    """

    family = "planning"
    u = In(ANY, doc="where to go; with `of: speed` how fast to go")
    y = Out(ANY, kind=TRAJECTORY)
    of = Choice("value", ["value", "speed"], doc="what u is: the value to reach, or the speed")
    speed = PerElement(1.0, gt=0, doc="greatest speed, per second")
    acceleration = PerElement(1.0, gt=0, doc="greatest acceleration, per second squared")
    jerk = PerElement(10.0, gt=0, doc="greatest jerk, per second cubed")
    initial = PerElement(0.0, doc="y at the start")
    derived_names = ("rests",)
    plan = Memory(size=ENTRIES, doc="what is planned for, where the plan began, its phases")

    def unit_laws(self) -> Iterable[str]:
        target = "u = y" if self.of == "value" else "u = y/s"
        return (target, "speed = y/s", "acceleration = y/s/s", "jerk = y/s/s/s", "initial = y")

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"rests": (float(self.of == "value"),)}

    def out(t, initial, rests, plan):
        if plan[MADE] == 0.0:
            return initial, 0.0, 0.0
        return plan_values(plan, t, rests[0])

    def update(t, u, speed, acceleration, jerk, initial, rests, plan):
        replan(plan, t, u, speed, acceleration, jerk, rests[0], initial)
