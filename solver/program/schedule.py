"""Topological order of operations; a cycle is an algebraic loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ...blocks import CompileError
from ...blocks.errors import LoopCut
from ..codegen.source_functions import Function
from .operations import Key, Operation

# operation being visited, its remaining edges, and the key by which it was wanted, if not needed
Visit = tuple[Operation, list[tuple[Key, bool]], Key | None]


def makers(operations: Sequence[Operation]) -> dict[Key, Operation]:
    """Operation that makes each key."""
    maker: dict[Key, Operation] = {}
    for position, operation in enumerate(operations):
        operation.order = position
        for key in operation.makes:
            maker[key] = operation
    return maker


def schedule(operations: Sequence[Operation], goals: Iterable[Key]) -> list[Operation]:
    """The operations that the goals need, in an order that computes before it uses.

    What an operation wants comes first where that closes no ring: where it does, the operation sees what was there.
    """
    return scheduled(makers(operations), goals)


def scheduled(maker: Mapping[Key, Operation], goals: Iterable[Key]) -> list[Operation]:
    """Operations that the goals need, each behind all that it reads; CompileError names an algebraic loop."""
    done: dict[int, int] = {}  # id -> 1 under way, 2 done
    result: list[Operation] = []
    given_up: set[tuple[int, Key]] = set()  # wants that would close a ring

    for goal in goals:
        first = maker.get(goal)
        if first is None or done.get(id(first)):
            continue
        # depth first without recursion: chains of blocks may be longer than Python's stack
        stack: list[Visit] = [(first, _edges(first), None)]
        done[id(first)] = 1
        while stack:
            operation, todo, _ = stack[-1]
            if not todo:
                stack.pop()
                done[id(operation)] = 2
                result.append(operation)
                continue
            key, hard = todo.pop()
            there = maker.get(key)
            if there is None or done.get(id(there)) == 2 or (id(operation), key) in given_up:
                continue
            if done.get(id(there)) == 1:
                if hard:
                    _open_ring(stack, there, done, given_up)
                continue
            done[id(there)] = 1
            stack.append((there, _edges(there), None if hard else key))
    return result


def _open_ring(
    stack: list[Visit], entry: Operation, done: dict[int, int], given_up: set[tuple[int, Key]]
) -> None:
    """Drop the last optional dependency in a ring of operations and go back to it; CompileError if all are needed."""
    begin = next(k for k, visit in enumerate(stack) if visit[0] is entry)
    for k in range(len(stack) - 1, begin, -1):
        wanted = stack[k][2]
        if wanted is not None:
            given_up.add((id(stack[k - 1][0]), wanted))
            for operation, _, _ in stack[k:]:
                done[id(operation)] = 0
            del stack[k:]
            return
    if len(stack) - 1 == begin:
        raise CompileError(f"algebraic loop: {entry.label} feeds itself", path=entry.label, fix=_FIX)
    _ring([operation for operation, _, _ in stack[begin:]])


def _edges(operation: Operation) -> list[tuple[Key, bool]]:
    """Needs and wants of an operation, in the order of the stack."""
    # popped from the end: needs first, in their order
    return [(key, False) for key in reversed(operation.wants)] + [
        (key, True) for key in reversed(operation.needs)
    ]


_FIX = LoopCut("break it with a state: first-order lag (transfer_function), delay or zero_order_hold")


def _ring(ring: list[Operation]) -> None:
    """CompileError of an algebraic loop."""
    # a block has operations of its own one after the other
    names = [name for name, _ in groupby(operation.label for operation in ring) if name]
    raise CompileError(
        "algebraic loop: " + " <- ".join([*names, names[0]]) if names else "algebraic loop",
        # place in the netlist: the mechanism has none
        path=next((name for name in names if name != "mechanism"), ""),
        fix=_FIX,
    )


def grouped_by_code(ordered: Sequence[Operation]) -> list[Operation]:
    """Reorder operations so that those with equal code are adjacent where dependences allow; kernels keep their
    order.
    """
    maker = {key: operation for operation in ordered for key in operation.makes}
    level: dict[int, int] = {}
    kinds: dict[int, int] = {}
    barrier = 0
    for operation in ordered:
        before = (maker.get(key) for key in (*operation.needs, *operation.wants))
        own = 1 + max(
            (
                level.get(id(operation_before), 0)
                for operation_before in before
                if operation_before is not None
            ),
            default=0,
        )
        if operation.code is not None and not isinstance(operation.code, Function):
            own = barrier = max(own, barrier + 1)
        level[id(operation)] = own
        kinds.setdefault(id(operation.code), len(kinds))
    return sorted(ordered, key=lambda operation: (level[id(operation)], kinds[id(operation.code)]))
