"""Upper bounds of the floating-point operations of a library's step, by kernel, for any state and input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..codegen.libm_calls import OWN_SYMBOLS
from ..integrators import event_location, run_loop, substeps
from ..integrators.run_data import COUNT, EVERY, FILM, FIRST, LOCATE, NUMBERS, PARTED, QUIT, TAKEN, UNHELD
from ..kernels import joint_friction, position_projection
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..program.work_space import data_place
from ..simulation.instance import TAKEN as KEPT
from .worst_case_cost import Cost, Worst

if TYPE_CHECKING:
    from .exported_model import ExportedModel
    from .portable_code import Code

BASE, CODES = 1 << 32, 1 << 50  # addresses of the image's words, and of code, for whoever follows it
NEVER = np.iinfo(np.int64).max  # steps between rows that a run writes by itself
WRITTEN = (TAKEN, QUIT, UNHELD)  # entries of `number` that a run changes


def constant_words(model: ExportedModel) -> np.ndarray:
    """Places in the image that no step, no input and no offered parameter changes."""
    image, instance, program = model.image, model.instance, model.program
    known = np.arange(image.size) >= image.state
    bundles = [instance.model, instance.data, *instance.controllers]
    arrays = [getattr(one, name) for one in bundles if isinstance(one, Model) for name in KEPT]
    arrays += [array for one in bundles if isinstance(one, Data) for array in one if array.dtype == np.int64]
    for array in (*arrays, instance.params):
        at = image.put(array)
        known[at : at + array.size] = array.size > 0 or known[at]
    known[image.number : image.number + NUMBERS] = True
    known[[image.number + k for k in WRITTEN]] = False
    for reach in (reach for one in model.parameters for reach in one.reaches):
        known[model.word(reach.array, reach.place)] = False
    known[[image.w + program.sections.at(one.place) for one in model.inputs]] = False
    stops = np.any(program.model.row[:, f.COORDINATE + f.STOP_STIFFNESS])
    if not stops and not np.isin(program.model.element[:, f.E_KIND], (f.CONTACT, f.SUPPORT)).any():
        known[image.w + instance.sections.at(data_place("scalar", f.END_STOPS))] = True  # nothing strikes
    return known


def bounds_of(model: ExportedModel, code: Code) -> Cost:
    """Bound of a step that is not taken in parts, and its outputs."""
    from llvmlite import binding

    image, known = model.image, constant_words(model)
    words = image.numbers.copy()
    # a step behind which all sampled blocks are due
    periods = [max(1, round(one.period / model.settings.step)) for one in model.program.sampled]
    wanted = {FIRST: int(np.lcm.reduce([1, *periods])) - 1, COUNT: 1, EVERY: NEVER, FILM: 0, PARTED: 0}
    for place, value in wanted.items():
        words[image.number + place] = value
    fixed = {BASE + 8 * int(at): int(words[at]) for at in np.flatnonzero(known)}
    fixed |= {BASE + 8 * at: BASE + 8 * to for at, to in image.addresses}
    fixed |= {BASE + 8 * at: CODES + to for at, to in image.codes}
    names = {CODES + k: entry.symbol for k, entry in enumerate(image.functions)}
    # functions of mathematics count as such, and are not gone through
    kernels = {symbol: content for symbol, (_, content) in code.items() if symbol not in OWN_SYMBOLS}
    texts = {symbol: str(binding.parse_bitcode(content)) for symbol, content in kernels.items()}
    worst, cost = Worst(texts, fixed, names), Cost()
    run, mechanism, data = (BASE + 8 * at for at in (image.run, image.model, image.data))
    cost.add(worst.of(run_loop.advance.symbol, run, mechanism, data))
    cost.add(worst.of(run_loop.evaluate_outputs.symbol, run))
    return cost


def described(cost: Cost, names: Mapping[str, str]) -> list[str]:
    """Lines on the operations of each kernel in a step, under its name."""
    but = ", but for what has no bound" if cost.endless else ""
    lines = [
        f"Floating-point operations (+, -, *, /) in a step and its outputs: at most {cost.total}{but},",
        "whatever states, inputs and offered parameters are. Of these in each kernel, at most:",
    ]
    for symbol, (calls, operations, functions) in sorted(cost.kernels.items()):
        many = f"{operations} and {functions} functions of mathematics" if functions else f"{operations}"
        many = "no bound, by a loop without a limit," if symbol in cost.endless else many
        lines.append(f"{names[symbol]}: {many} in {'one call' if calls == 1 else f'{calls} calls'}")
    return lines


def rounds_of(model: ExportedModel) -> list[str]:
    """Lines on the limits that the bound counts with, few steps reaching them, and on what it leaves out."""
    told, rows, number = [], model.program.model.row, model.image.number
    if len(model.program.model.constraint):
        told.append(
            f"counted with all {position_projection.ITERATIONS} rounds of Newton's method "
            "that may close loops in an evaluation"
        )
    laws, loads = rows[:, f.FRICTION + f.F_LAW], rows[:, f.FRICTION + f.F_LOAD]
    if np.any((laws != f.FRICTIONLESS) & (loads < 0.0)):
        told.append(
            f"counted with all {joint_friction.ITERATIONS} rounds that may balance friction and reactions"
        )
    if model.image.numbers[number + LOCATE]:
        told.append(
            f"counted with {event_location.PARTS} changes in a step, each found in {event_location.TRIALS} trials"
        )
    if model.image.numbers[number + PARTED]:
        told.append(
            f"a step may be taken in up to {substeps.FINEST} parts: this is the bound of one that is not"
        )
    return told
