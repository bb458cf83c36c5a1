"""Entries of `record:` that name no output of any block."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from ...blocks.errors import Problem, did_you_mean
from ..results.recorded_run import matching

PART = re.compile(r"\[\d+\]|\.(rate|acceleration)$")  # of a signal: one number of a port


def unrecordable(
    record: Sequence[object], names: Sequence[str] | None, wrong: Collection[str]
) -> Iterator[Problem]:
    """Find entries of `record:` that match no signal; silent about blocks with mistakes (`wrong`).

    `names`: all signals, None if they are not known.
    """
    for k, glob in enumerate(record):
        if not isinstance(glob, str):
            fix = 'names of signals, with * for "any"'
            yield Problem(f"found {glob!r}, expected text", f"record[{k}]", fix)
        elif (
            names is not None
            and glob != "*"
            and not (matching(glob, names) or matching(PART.sub("", glob), names))
        ):
            head = re.split(r"[*?\[]", glob)[0]
            if not any(f"{name}.".startswith(head) or head.startswith(f"{name}.") for name in wrong):
                yield no_signal_problem(glob, k, names)


def no_signal_problem(glob: str, k: int, names: Iterable[str]) -> Problem:
    return Problem(f'no signal matches "{glob}"', f"record[{k}]", did_you_mean(glob, names))
