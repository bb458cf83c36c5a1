"""What holds of a function's values: which pointers lead to floats, which values are still needed where."""

from __future__ import annotations

from .text import Function, Instruction, NotKnown

FLOATS, OTHERS, CONSTANTS = "floats", "others", "constants"  # the last: floats that are part of the code


def pointer_kinds(function: Function) -> dict[str, str]:
    """Whether each pointer leads to floats or to anything else; arrays are of one kind throughout."""
    parent: dict[str, str] = {}

    def top(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    told: dict[str, set[str]] = {}
    pairs: list[tuple[str, str]] = []
    constant: set[str] = set()
    for block in function.blocks:
        for one in block.instructions:
            pointers = [value for kind, value in one.operands if kind == "ptr" and value.startswith("%")]
            if one.kind == "ptr" and one.op in ("getelementptr", "phi", "select", "freeze"):
                pairs += [(one.result, pointer) for pointer in pointers]
            if one.kind == "ptr" and any(value.startswith("@") for _, value in one.operands):
                constant.add(one.result)
            kind = _told(one)
            if kind and (pointers or one.op == "alloca"):
                told.setdefault(one.result if one.op == "alloca" else pointers[-1], set()).add(kind)
            if one.op == "call" and "@llvm.mem" in one.word and len(pointers) == 2:
                pairs.append((pointers[0], pointers[1]))
    for a, b in pairs:
        parent[top(a)] = top(b)
    kinds: dict[str, set[str]] = {}
    for name, found in told.items():
        kinds.setdefault(top(name), set()).update(found)
    answer = {}
    tops = {top(name) for name in constant}
    for name, kind in function.kinds.items():
        if kind == "ptr":
            found = kinds.get(top(name), {OTHERS})
            if top(name) in tops:
                found = {CONSTANTS} if found == {FLOATS} else found
            if len(found) > 1:
                raise NotKnown(f"{name} leads to floats and to other numbers")
            answer[name] = next(iter(found))
    return answer


def _told(one: Instruction) -> str:
    """What an instruction says of the pointer that it goes through, its last operand."""
    if one.op == "load":
        return FLOATS if one.kind == "double" else OTHERS
    if one.op == "store":
        return FLOATS if one.operands[0][0] == "double" else OTHERS
    if one.op == "alloca":
        return FLOATS if "double" in one.word else OTHERS
    if one.op == "getelementptr" and "double" in one.word:
        return FLOATS
    if one.op == "getelementptr" and one.word == "i64":
        return OTHERS
    return ""


def live_after(function: Function) -> dict[str, set[str]]:
    """Values that are needed behind the end of each block."""
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
                    needed |= {
                        value
                        for (_, value), origin in zip(phi.operands, phi.labels, strict=True)
                        if origin == block.label and value.startswith("%")
                    }
            after[block.label] = needed
            here = live_before(block.instructions, needed)
            if here != before[block.label]:
                before[block.label] = here
                changed = True
    return after


def live_before(instructions: list[Instruction], after: set[str]) -> set[str]:
    """Values that are needed before these instructions, phis apart, which are needed on the edges."""
    needed = set(after)
    for one in reversed(instructions):
        needed.discard(one.result)
        if one.op != "phi":
            needed.update(one.used)
    return needed


def masks_of(function: Function) -> set[str]:
    """Truths that may differ from lane to lane: comparisons of floats, and what is made of them."""
    found: set[str] = set()
    grown = True
    while grown:
        grown = False
        for block in function.blocks:
            for one in block.instructions:
                if one.kind != "i1" or one.result in found:
                    continue
                if one.op == "fcmp" or (one.op in MASKED and any(value in found for value in one.used)):
                    found.add(one.result)
                    grown = True
    return found


MASKED = frozenset(("select", "and", "or", "xor", "freeze", "phi"))
