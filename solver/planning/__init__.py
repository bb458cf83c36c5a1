"""Best motions: controls of a netlist for the least time or effort within limits.

`plan_file` reads, `plan_problem` makes cases of it, `transcription` a nonlinear program by collocation, which
`interior_point` solves; `switching_grid` moves the grid to the switches, `infeasibility` says what clashes, `flight`
runs the netlist under the planned controls, `active_limits` names what holds the motion back.
"""

from .motion_plan import Plan as Plan
from .planning import plan as plan
