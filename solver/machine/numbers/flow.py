"""What holds of a function's values: which pointers lead to floats, which values are still needed where."""

from __future__ import annotations

import re

from .text import Function, Instruction, NotKnown

FLOATS, OTHERS = "floats", "others"
CONSTANTS = "constants"  # floats that are part of the code
WORDS = "words"  # integers that each run has for itself


Layout = dict[int, dict[int, str]]  # of tables that arguments point to: what is behind the address at each byte


def seeds(function: Function, tables: Layout, arrays: dict[int, str]) -> dict[str, str]:
    """Pointers whose kind is known from the arguments: to tables, to what they list, to arrays."""
    known: dict[str, str] = {}
    origin: dict[str, tuple[int, int]] = {}  # pointers into tables: which, and how many bytes behind their beginning
    words: dict[str, str] = {}  # addresses that were read there
    which = {name: k for k, name in enumerate(function.arguments)}
    size = -1
    while size != len(known) + len(origin) + len(words):
        size = len(known) + len(origin) + len(words)
        for block in function.blocks:
            for one in block.instructions:
                _sow(one, tables, arrays, which, known, origin, words)
    return known


def _sow(
    one: Instruction,
    tables: Layout,
    arrays: dict[int, str],
    which: dict[str, int],
    known: dict[str, str],
    origin: dict[str, tuple[int, int]],
    words: dict[str, str],
) -> None:
    values = [value for _, value in one.operands]
    if one.op == "inttoptr" and values[0] in which:
        k = which[values[0]]
        if k in tables:
            known[one.result], origin[one.result] = OTHERS, (k, 0)
        elif k in arrays:
            known[one.result] = arrays[k]
    elif one.op == "inttoptr" and values[0] in words:
        known[one.result] = words[values[0]]
    elif one.op == "getelementptr" and values[0] in origin and re.fullmatch(r"\d+", values[1]):
        k, at = origin[values[0]]
        known[one.result] = OTHERS
        origin[one.result] = k, at + int(values[1]) * {"i8": 1, "i64": 8}[one.word]
    elif one.op == "load" and one.kind == "i64" and values[0] in origin:
        k, at = origin[values[0]]
        if at in tables[k]:
            words[one.result] = tables[k][at]
    elif one.op in ("phi", "select", "freeze"):
        for mapping in (origin, words):
            ways = {mapping[value] for value in values if value in mapping}
            if len(ways) == 1:
                mapping[one.result] = ways.pop()


def pointer_kinds(function: Function, known: dict[str, str]) -> dict[str, str]:
    """What each pointer leads to; arrays are of one kind throughout, and some are known (`seeds`)."""
    parent: dict[str, str] = {}

    def top(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    told: dict[str, set[str]] = {}
    pairs: list[tuple[str, str]] = []
    constant: set[str] = set()
    bases: set[str] = set()  # room of the function's own, answers of calls, and code
    for block in function.blocks:
        for one in block.instructions:
            pointers = [value for kind, value in one.operands if kind == "ptr" and value.startswith("%")]
            if one.kind == "ptr" and one.op in ("getelementptr", "phi", "select", "freeze"):
                pairs += [(one.result, pointer) for pointer in pointers]
            if one.kind == "ptr" and any(value.startswith("@") for _, value in one.operands):
                constant.add(one.result)
            if one.kind == "ptr" and one.op in ("alloca", "call"):
                bases.add(one.result)
            if one.op == "call" and one.word.startswith("%"):
                bases.add(one.word)
            kind = _told(one)
            if one.op == "call" and one.word.startswith("%"):
                told.setdefault(one.word, set()).add(OTHERS)
            if kind and (pointers or one.op in ("alloca", "call")):
                told.setdefault(one.result if one.op in ("alloca", "call") else pointers[-1], set()).add(kind)
            if one.op == "call" and "@llvm.mem" in one.word and len(pointers) == 2:
                pairs.append((pointers[0], pointers[1]))
    for a, b in pairs:
        parent[top(a)] = top(b)
    kinds: dict[str, set[str]] = {}
    for name, found in told.items():
        kinds.setdefault(top(name), set()).update(found)
    answer = {}
    tops = {top(name) for name in constant}
    anchored = {top(name) for name in (*known, *constant, *bases)}
    for name, kind in known.items():
        kinds.setdefault(top(name), set()).add(kind)
    for name, kind in function.kinds.items():
        if kind == "ptr":
            found = kinds.get(top(name), set())
            if top(name) in tops:
                found = {CONSTANTS} if found == {FLOATS} else found
            if top(name) not in anchored:
                raise NotKnown(f"{name} leads to nobody knows what")
            if found == {OTHERS, WORDS}:
                found = {WORDS}  # integers by what reads them, and of each run by where they stand
            if len(found) != 1:
                raise NotKnown(f"{name} leads to {' and '.join(sorted(found)) or 'nobody knows what'}")
            answer[name] = next(iter(found))
    return answer


def _told(one: Instruction) -> str:
    """What an instruction says of the pointer that it goes through, its last operand."""
    if one.op == "load":
        return FLOATS if one.kind == "double" else OTHERS
    if one.op == "store":
        return FLOATS if one.operands[0][0] == "double" else OTHERS
    if one.op == "call" and one.kind == "ptr":
        return OTHERS
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
