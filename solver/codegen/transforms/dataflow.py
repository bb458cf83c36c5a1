"""Data-flow analyses of a function: liveness, and divergence between lanes."""

from __future__ import annotations

from .ir_parser import Function, Instruction
from .pointer_kinds import WORDS

MASKED = frozenset(("select", "and", "or", "xor", "freeze", "phi"))


def live_after(function: Function) -> dict[str, set[str]]:
    """Values live at the end of each block."""
    block_of = {block.label: block for block in function.blocks}
    before: dict[str, set[str]] = {block.label: set() for block in function.blocks}
    after: dict[str, set[str]] = {block.label: set() for block in function.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            needed: set[str] = set()
            for label in block.after:
                needed |= before[label]
                for phi in block_of[label].phis:
                    ways = zip(phi.operands, phi.labels, strict=True)
                    needed |= {value for (_, value), way in ways if way == block.label and value[0] == "%"}
            after[block.label] = needed
            here = live_before(block.instructions, needed)
            if here != before[block.label]:
                before[block.label] = here
                changed = True
    return after


def live_before(instructions: list[Instruction], after: set[str]) -> set[str]:
    """Values live before these instructions; operands of phis are live on their edges."""
    needed = set(after)
    for one in reversed(instructions):
        needed.discard(one.result)
        if one.op != "phi":
            needed.update(one.used)
    return needed


def lane_masks(function: Function) -> set[str]:
    """Truth values that may differ between lanes: comparisons of floats, and logic on them."""
    masks: set[str] = set()
    truths = [one for block in function.blocks for one in block.instructions if one.kind == "i1"]
    size = -1
    while size != len(masks):
        size = len(masks)
        for one in truths:
            if one.op == "fcmp" or (one.op in MASKED and any(value in masks for value in one.used)):
                masks.add(one.result)
    return masks


def leaves_group(function: Function, kinds: dict[str, str]) -> bool:
    """True if no single lane can continue the function: it writes integers or calls code by address."""
    instructions = [one for block in function.blocks for one in block.instructions]
    own = {one.result for one in instructions if one.op == "alloca"}
    for one in instructions:
        if one.op == "store" and one.operands[0][0] != "double":
            pointer = one.operands[1][1]
            if pointer not in own and kinds.get(pointer) != WORDS:
                return True
        if one.op == "call" and one.word.startswith("%"):
            return True
    return False
