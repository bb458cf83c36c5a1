"""A process that runs variants one after the other: orders come as lines of JSON, and so do answers.

It is a new interpreter (`machine/aside.py`), rather than forked from whoever asks for a study: a script needs no
`if __name__ == "__main__":`, and a death of the process takes one variant with it.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

from ...blocks.errors import LuffError, RunError
from ...blocks.text.reading import noting
from ..flat.opening import Diagram
from ..result.recorded import DESCRIPTION
from ..result.result import Result
from ..run.by_hand import DoneByHand, Replay
from ..run.session import Session
from ..run.simulation import Simulation
from . import parts
from .identity import content_when_first_asked, drive_digest, fingerprint
from .orders import Answer, ModelOrder, Order

EVERY = 0.2  # seconds between two words on progress


def main() -> None:
    # whatever a block prints must not come between the answers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(**words: object) -> None:
        answers.write(json.dumps(words) + "\n")

    try:
        say(ready=True)
        for line in sys.stdin:
            order: ModelOrder = json.loads(line)
            say(**run(order, partial(made, order), lambda share: say(share=share)))
    except BrokenPipeError:  # whoever gave the orders is gone, and so is the wish for results
        os._exit(1)


def run(order: Order, model: Callable[[], Simulation], tell: Callable[[float], None]) -> Answer:
    """Run one variant into a file of its own; says how it ended."""
    began = time.perf_counter()
    told, until = began, math.inf
    limit = order["limit"]

    def progress(session: Session) -> bool:
        nonlocal told, until
        now = time.perf_counter()
        if now - told > EVERY:
            told = now
            tell(session.progress)
        # from its first steps on: a model that this machine has not seen yet is compiled before them
        if limit is not None:
            until = min(until, now + limit)
        return now < until

    status, message, result, session = "finished", "", None, None
    try:
        sim = unchanged(model, order)
        session = sim.start()
        replay = Replay(session, DoneByHand.read(order["replay"]), sim.set) if order["replay"] else None
        result = sim.record(session, progress=progress, go=replay.advance if replay else None)
        message = result.message
        if result.status == "cancelled":
            status, message = "failed", f"stopped at t = {result.time[-1]:g} s: it took more than {limit:g} s"
    except LuffError as error:
        # mistakes in what the study changed have a place in the model's file that would mislead
        status, message = "failed", "; ".join(str(problem.at()) for problem in error.problems)
        result = getattr(error, "result", None)
    except Exception as error:  # of a block's own code: one variant's mishap is not the study's
        status, message = "failed", f"{type(error).__name__}: {error}"
    if result is not None:
        try:
            parts.write_part(kept(result, order["record"]), Path(order["output"]))
        except LuffError as error:
            status, message, result = "failed", str(error), None
    spent = time.perf_counter() - began
    refuted = session is not None and session.refuted
    return {
        "status": status,
        "message": message,
        "seconds": spent,
        "saved": result is not None,
        "refuted": refuted,
    }


def unchanged(model: Callable[[], Simulation], order: Order) -> Simulation:
    """The model of a variant, if it and all that it reads are what they were when the study began."""
    with noting() as files:
        sim = model()
        now = fingerprint(
            sim.program.flat, [*order["record"], *drive_digest(order["replay"])], content_when_first_asked
        )
    if now != order["hash"] or files.changed:
        raise RunError(
            "the model, a file that it reads, or luff itself has changed since the study began",
            fix="run the study again",
        )
    return sim


def made(order: ModelOrder) -> Simulation:
    """The model of a variant."""
    path = Path(order["model"])
    stamp = path.stat() if path.is_file() else None
    seen = (stamp.st_mtime_ns, stamp.st_size) if stamp else None
    return Simulation(_read_diagram(path, order["allow_code"], tuple(order["files"]), seen), order["changes"])


@lru_cache(1)
def _read_diagram(path: Path, allow_code: bool, files: tuple[str, ...], seen: object) -> Diagram:
    """The netlist that all variants share, for as long as its file stays as it is."""
    return Diagram.load(path, allow_code, files)


def kept(result: Result, patterns: list[str]) -> Result:
    """The result with the columns that are asked for; signals that a variant does not have are passed over."""
    if patterns == ["*"]:
        return result
    wanted = []
    for pattern in patterns:
        try:
            wanted += result.match(pattern)
        except LuffError:
            continue
    columns = [column for column in result.columns if column in set(wanted)]
    picked = [result.columns.index(column) for column in columns]
    about = {name: getattr(result, name) for name in DESCRIPTION}
    units = {column: result.units[column] for column in columns}
    return Result(result.time, columns, result.table[:, picked], units, **about)


if __name__ == "__main__":
    main()
