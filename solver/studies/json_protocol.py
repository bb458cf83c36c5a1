"""Protocol of a study in a process of its own, for a window: progress in lines of JSON.

The first line of the input is the order. When the input ends, the window wants no more, or is there no more: the study
ends and keeps the variants that are done.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from ...blocks.errors import LuffError
from .study_file import load
from .study_run import run
from .variant_outcome import VariantOutcome


def main() -> None:
    order = json.loads(sys.stdin.readline())
    unwanted = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        unwanted.set()

    threading.Thread(target=wait, daemon=True).start()
    told: list[list[str | float]] = []

    def look(outcomes: Sequence[VariantOutcome], _: VariantOutcome | None) -> bool:
        words = [[outcome.variant.name, outcome.status, round(outcome.share, 3)] for outcome in outcomes]
        if words != told:
            told[:] = words
            send_event(variants=words)
        return not unwanted.is_set()

    try:
        study = load(order["study"], allow_code=order["allow_code"], files=order["files"])
        outcomes = run(study, Path(order["output"]), progress=look)
    except LuffError as error:
        send_event(problems=[str(problem) for problem in error.problems])
        return
    send_event(ended=[[outcome.variant.name, outcome.status, outcome.message] for outcome in outcomes])


def send_event(**words: object) -> None:
    # a window that is gone hears nothing; the end of the input ends the study
    try:
        print(json.dumps(words), flush=True)
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # for what the interpreter writes at its end


if __name__ == "__main__":
    main()
