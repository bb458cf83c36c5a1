"""Order operations so that everything is computed before it is used; a ring is an algebraic loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...blocks import CompileError
from ..machine.functions import Function
from .operations import Key, Operation


def schedule(operations: Sequence[Operation], goals: Iterable[Key]) -> list[Operation]:
    """The operations that the goals need, in an order that computes before it uses."""
    maker: dict[Key, Operation] = {}
    for position, operation in enumerate(operations):
        operation.order = position
        for key in operation.makes:
            maker[key] = operation
    done: dict[int, int] = {}  # id -> 1 under way, 2 done
    result: list[Operation] = []

    for goal in goals:
        first = maker.get(goal)
        if first is None or done.get(id(first)):
            continue
        # depth first without recursion: chains of blocks may be longer than Python's stack
        stack: list[tuple[Operation, list[tuple[Key, bool]]]] = [(first, _edges(first))]
        done[id(first)] = 1
        while stack:
            operation, todo = stack[-1]
            if not todo:
                stack.pop()
                done[id(operation)] = 2
                result.append(operation)
                continue
            key, hard = todo.pop()
            there = maker.get(key)
            if there is None or done.get(id(there)) == 2:
                continue
            if done.get(id(there)) == 1:
                if hard and there is not operation:
                    _ring([s for s, _ in stack], there)
                elif hard:
                    raise CompileError(
                        f"algebraic loop: {operation.label} feeds itself", path=operation.label, fix=_FIX
                    )
                continue
            done[id(there)] = 1
            stack.append((there, _edges(there)))
    return result


def _edges(operation: Operation) -> list[tuple[Key, bool]]:
    # popped from the end: hard needs first, in their order
    return [(key, False) for key in reversed(operation.wants)] + [
        (key, True) for key in reversed(operation.needs)
    ]


_FIX = "break it with a state: first-order lag (transfer_function), delay or zero_order_hold"


def _ring(path: list[Operation], entry: Operation) -> None:
    ring = path[[id(s) for s in path].index(id(entry)) :]
    names = [s.label for s in ring if s.label]
    raise CompileError(
        "algebraic loop: " + " <- ".join([*names, names[0]]) if names else "algebraic loop",
        # a place in the netlist: the mechanism as a whole has none
        path=next((name for name in names if name != "mechanism"), ""),
        fix=_FIX,
    )


def grouped(ordered: Sequence[Operation]) -> list[Operation]:
    """The same operations in an order that puts those with equal code side by side, where they do not need each other.

    Kernels keep their order.
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
