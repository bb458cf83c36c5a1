"""Repair of misspelt words in a netlist's text, from the suggestions of its problems.

A repair counts only if the problem is gone and no other one has come: but for those that the mistake has hidden, in the
same block or section, or at blocks of which nothing was told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from ...blocks.errors import Problem, Suggestion
from ...blocks.light_dataclass import record
from ..netlist import read_netlist

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
DECLARING = {"parameters", "blocks", "inputs", "outputs", "ports", "states", "constants", "frames"}


def _hides_none(path: str) -> bool:
    return False


@record
class Findings:
    """Problems of a text, whether they keep back others at the block of a path, and units that follow from wires.

    The units are those of elements of ports and parameters: block, name, number.
    """

    problems: Sequence[Problem]
    hide: Callable[[str], bool] = _hides_none
    units: Mapping[tuple[str, str, int], str] = field(default_factory=dict)


Check = Callable[[str], Findings]


def suggestion(problem: Problem) -> Suggestion | None:
    """Word that a problem proposes in place of another one."""
    return problem.fix if isinstance(problem.fix, Suggestion) else None


def corrected_text(text: str, problem: Problem) -> str | None:
    """Text with the proposed word at the problem's place; None where the misspelt one does not stand there."""
    meant, mark = suggestion(problem), problem.mark
    lines = text.splitlines(keepends=True)
    if meant is None or mark is None or not 0 < mark.line <= len(lines):
        return None
    line = lines[mark.line - 1]
    word = re.compile(rf"(?<!\w){re.escape(meant.found)}(?!\w)")
    found = word.search(line, mark.column - 1) or word.search(line)  # a wire's source stands before its mark
    found = found or _same_number(meant.found, line, mark.column - 1)
    if found is None:
        return None
    lines[mark.line - 1] = line[: found.start()] + meant.near + line[found.end() :]
    return "".join(lines)


def _same_number(word: str, line: str, start: int) -> re.Match[str] | None:
    """Number at a place, written otherwise than as the word: `-1e3` for `-1000.0`."""
    found = NUMBER.match(line, start)
    return found if found and NUMBER.fullmatch(word) and float(found[0]) == float(word) else None


def repair(text: str, problem: Problem, found: Findings, check: Check) -> str | None:
    """Text without one of its problems and without new ones elsewhere; None if its suggestion does not lead there."""
    changed = corrected_text(text, problem)
    if changed is None:
        return None
    before, after = _problem_counts(found.problems), _problem_counts(check(changed).problems)
    (own,) = _problem_counts([problem])
    meant = suggestion(problem)
    hidden = {_first_name(problem.path), meant.near if meant else ""}
    new = {said for said in after - before if _first_name(said[1]) not in hidden and not found.hide(said[1])}
    return changed if after[own] < before[own] and not new else None


def repair_all(text: str, check: Check) -> tuple[str, list[Problem]]:
    """Text with every certain repair made, and the problems that went."""
    done: list[Problem] = []
    while True:
        found = check(text)
        for problem in found.problems:
            meant = suggestion(problem)
            certain = meant is not None and meant.certain and not _may_be_declared_wrong(text, meant.near)
            changed = repair(text, problem, found, check) if certain else None
            if changed is not None:
                text = changed
                done.append(problem)
                break
        else:
            return text, done


def _may_be_declared_wrong(text: str, name: str) -> bool:
    """True for a name that the netlist itself declares, and uses nowhere: the slip may be there."""
    used = len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text))
    return used == 1 and name in declared(read_netlist(text).data)


def declared(raw: object, within: str = "") -> set[str]:
    """Names that a netlist gives to its parts: keys of these sections, wherever they stand."""
    names: set[str] = set()
    if isinstance(raw, dict):
        names |= {str(key) for key in raw} if within in DECLARING else set()
        for key, value in raw.items():
            names |= declared(value, str(key))
    elif isinstance(raw, list):
        names |= {item for item in raw if isinstance(item, str)} if within in DECLARING else set()
        for item in raw:
            names |= declared(item, within)
    return names


def _first_name(path: str) -> str:
    """Block or section that a path begins with."""
    return re.split(r"[.\[]", path.removeprefix("blocks."), maxsplit=1)[0]


def _problem_counts(problems: Iterable[Problem]) -> Counter[tuple[str, str, str]]:
    """Problems by what they say of what, without their places, which a repair may move."""
    return Counter((problem.severity, problem.path, problem.message) for problem in problems)
