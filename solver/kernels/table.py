"""The kernels that generated code calls, as one argument; and the types of generated functions and steps."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..jit import f1, f2, types
from ..layout import DATA, KERNEL, MODEL, STATE_KERNEL

# entry points of the mechanism, in the order of the tuple `k`, with their signatures
SIGNATURES = {
    "kinematics": STATE_KERNEL,
    "dynamics": STATE_KERNEL,
    "sense_motion": KERNEL,
    "sense_acceleration": KERNEL,
    "reactions": KERNEL,
    "energies": KERNEL,
    "powers": KERNEL,
    "settle": KERNEL,
    "project": STATE_KERNEL,
    "hold": STATE_KERNEL,
    "track": STATE_KERNEL,
}
ENERGIES, SETTLE, PROJECT = (list(SIGNATURES).index(name) for name in ("energies", "settle", "project"))
KERNELS = types.Tuple(tuple(types.FunctionType(signature) for signature in SIGNATURES.values()))
f8, i8 = types.float64, types.int64
# work of drives, dissipation, friction and constraints: they ride behind the states of a moving model during a run
ENERGY_STATES = 4
# rhs(t, x, dx, p, mem, m, d, k) and outputs(t, x, y, p, mem, m, d, k)
EVALUATE = types.void(f8, f1, f1, f1, f1, MODEL, DATA, KERNELS)
# update(step, t, x, p, mem, m, d, k)
UPDATE = types.void(i8, f8, f1, f1, f1, MODEL, DATA, KERNELS)
EVALUATE_TYPE, UPDATE_TYPE = types.FunctionType(EVALUATE), types.FunctionType(UPDATE)
# step(rhs, t, h, x, work, p, mem, m, d, k): advances x by h
STEP = types.void(EVALUATE_TYPE, f8, f8, f1, f2, f1, f1, MODEL, DATA, KERNELS)
STEP_TYPE = types.FunctionType(STEP)


@cache
def kernels(closed: bool, friction: bool = False, inverse: bool = False) -> tuple[Any, ...]:
    """The kernels of trees, or of mechanisms with constraints, loaded from the cache or compiled."""
    from . import frames, newton_euler, tree

    found = {**vars(frames), **vars(newton_euler), **vars(tree)}
    found["hold"] = found["track"] = tree.project  # placeholders that nothing calls
    if inverse:
        from .inverse import hold, track

        found |= {"hold": hold, "track": track}
    if closed:
        from . import closure, multipliers

        for module in (closure, multipliers):
            found |= {name.removesuffix("_closed"): value for name, value in vars(module).items()}
    if friction and closed:
        from .closure_friction import dynamics_friction

        found["dynamics"] = dynamics_friction
    elif friction:
        from .friction import dynamics_friction

        found["dynamics"] = dynamics_friction
    return tuple(found[name] for name in SIGNATURES)
