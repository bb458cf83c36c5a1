"""Repairs that problems propose, each one step of undo: words and units, wires, delays in algebraic loops."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, cast

from ...blocks.errors import (
    Addition,
    Declaration,
    LoopCut,
    Missing,
    Move,
    OpenInput,
    OtherBlock,
    Place,
    Problem,
    Suggestion,
    TableOrFile,
)
from ...blocks.ports import SIGNAL
from ...blocks.text.raw_types import Raw
from ...solver.diagram.spelling_repair import Findings, repair
from ...solver.flatten.diagram import Diagram, check_text
from ..drawing.wire_nets import ends, ring_of
from ..theme.number_format import units_in_print
from ..theme.window_words import in_window
from .document import Document
from .element_assignment import fitting
from .undo_commands import Snapshot

DELAY = "unit_delay"
STEP = re.compile(r"\btry a step of ([\d.e+-]+) (s|ms)\b")  # of a warning


class Offer(NamedTuple):
    """Words of a button that mends a problem, its tip, what it does, the parameter that it creates, and where the
    entry moves."""

    text: str
    tip: str
    act: str = "use"  # the word that is proposed; or one of `repair_actions`
    creates: str = ""
    place: Place | None = None


def offers(problem: Problem) -> list[Offer]:
    """Mends of a problem, the likeliest first; none where only the user can."""
    return [*_of_fix(problem), *_removal(problem)]


def _of_fix(problem: Problem) -> list[Offer]:
    fix = problem.fix
    step = proposed_step(problem)
    if step:
        return [Offer(f"Use {step}", f"Set the step of the simulation to {step}", "step")]
    if isinstance(fix, Suggestion):
        near, found = units_in_print(fix.near), units_in_print(fix.found)
        use = Offer(f'Use "{near}"', f'Write "{near}" in place of "{found}"')
        new = [_creation(fix.declares)] if fix.declares else []
        return new if fix.near == f"={fix.declares}" else [use, *new]
    if isinstance(fix, Declaration):
        return [_creation(fix.name)]
    if isinstance(fix, OpenInput):
        tip = f"Wire {fix.port} to the output that fits, or choose one of several"
        return [Offer("Wire...", tip, "wire")]
    if isinstance(fix, OtherBlock):
        return [Offer(f"Go to {fix.block}", in_window(fix), "go")]
    if isinstance(fix, Missing):
        inside = problem.path.startswith("blocks.")
        return [Offer(f"Fill in {fix.name}", in_window(fix) or problem.message, "fill")] if inside else []
    if isinstance(fix, Move):
        return [
            Offer(place.words, f"Write {', '.join(place.entries)}", "move", place=place)
            for place in fix.places
        ]
    if isinstance(fix, LoopCut):
        tip = f"Cut the loop by a {DELAY}, which hands its input on one sample later"
        return [Offer("Insert a Delay", tip, "delay")]
    if isinstance(fix, Addition):
        return [Offer("Insert a Sum", f"Lead the wires of {problem.path} through a sum", "sum")]
    if isinstance(fix, TableOrFile):
        rows = Offer("Add Rows", "Begin the table in Properties", "rows")
        return [rows, Offer("Choose File...", "Take the rows of a file", "file")]
    return []


def _removal(problem: Problem) -> list[Offer]:
    """Mend by the removal of what nothing reads."""
    if not problem.spare:
        return []
    if problem.spare.endswith("]"):
        return [Offer("Remove Wire", "Remove this wire", "remove")]
    name = problem.spare.rpartition(".")[2]
    return [Offer(f"Remove {name}", f"Remove {name}, which nothing reads", "remove")]


def _creation(name: str) -> Offer:
    return Offer(
        f"Create Parameter {name}...", f"Declare {name} as a parameter of this diagram", "create", name
    )


def as_parameter(problem: Problem, name: str) -> Suggestion | None:
    """Suggestion that makes an expression of a bare name, once its parameter is created; None of other texts."""
    bare = (
        isinstance(problem.fix, Suggestion) and problem.fix.found == name and problem.fix.near.startswith("=")
    )
    return Suggestion(name, f"={name}", False) if bare else None


def proposed_step(problem: Problem) -> str:
    """Step of the simulation that a warning of a run advises, with its unit; empty without one."""
    found = STEP.search(str(problem))
    return f"{found[1]} {found[2]}" if found else ""


def use_step(document: Document, step: str) -> None:
    """Set the step of the simulation."""
    section = document.diagram.data.get("simulation")
    document.set_section("simulation", {**(section if isinstance(section, dict) else {}), "step": step})


def only_source(document: Document, reference: str) -> str:
    """Output that fits an open input and has no wire yet, if there is one alone; else empty."""
    used = document.used_ports()
    free = []
    for source in fitting(document, reference):
        block, port = document.split(source)
        own = block == document.split(reference)[0]  # a loop
        if source == f"{block}.{port}" and not own and port not in used.get(block, set()):
            free.append(source)
    return free[0] if len(free) == 1 else ""


def wire_to_cut(document: Document, problem: Problem) -> str:
    """Signal wire of an algebraic loop that leads back to the left, else its last one; empty without one here."""
    wires = []
    for text in ring_of(problem.message, document.diagram.connections, document.diagram.level):
        source, target = ends(text)
        block, port = document.split(source)
        declared = document.ports(block).get(port)
        if declared is not None and declared.kind == SIGNAL:
            wires.append((text, block, document.split(target)[0]))
    back = [text for text, source, target in wires if document.place(target)[0] <= document.place(source)[0]]
    return [*(text for text, _, _ in wires), *back][-1] if wires else ""


def apply_repair(document: Document, problem: Problem) -> bool:
    """Put the proposed word in place of the misspelt one; False where that does not end the problem."""
    own = document.diagram

    def check(text: str) -> Findings:
        return check_text(text, "", own.base or Path(), own.allow_code, own.files, own.path)

    text = own.to_yaml()
    findings = check(text)
    same = (one for one in findings.problems if (one.path, one.message) == (problem.path, problem.message))
    found = next(same, None)  # with its place in the text as it is now
    changed = repair(text, found, findings, check) if found is not None else None
    if changed is None:
        return False
    fresh = Diagram.from_yaml(changed, "", own.base or Path(), own.allow_code, own.files, own.path)
    data = fresh.snapshot()
    document.push(Snapshot(own, f"repair {problem.path.removeprefix('blocks.')}", lambda d: d.restore(data)))
    return True


def move_entry(document: Document, path: str, place: Place) -> None:
    """Write an entry of a block of this level at another place in the same block or group."""
    entry = path.removeprefix("blocks.")
    holder, _, key = entry.rpartition(".")
    with document.step(f"move {key}"):
        document.unset_value(entry)
        for where, raw in place.entries.items():
            document.set_value(f"{holder}.{where}", cast("Raw", raw))


def remove_spare(document: Document, path: str) -> bool:
    """Remove the entry or wire at a path of this level; False where there is none."""
    number = re.fullmatch(r"connect\[(\d+)\]", path)
    if number is None:
        before = document.undo.count()
        document.unset_value(path.removeprefix("blocks."))
        return document.undo.count() > before
    wires = document.diagram.data.get("connect")
    k = int(number[1])
    if not isinstance(wires, list) or not 0 <= k < len(wires):
        return False
    document.remove([], [str(wires[k])])
    return True
