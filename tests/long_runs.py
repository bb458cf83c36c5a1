"""Which tests are of whole length (`long_runs.txt`): `make test` leaves them to `make test-long`."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

LIST = Path(__file__).with_suffix(".txt").read_text("utf-8")
# of a run: each test that was collected, as `matches` takes it
COLLECTED = pytest.StashKey[list[str]]()
SLOW = 20  # s of a test that is not listed: the machine's matter too, so that it is told and no failure


def _patterns(text: str) -> dict[str, re.Pattern[str]]:
    """By entry; each parameter is one, so that none stays in the list when it is gone."""
    patterns = {}
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for entry in re.split(r"\n+(?=\S)", lines.strip()):
        test, *words = entry.split(maxsplit=1)
        kind, parameters = re.findall(r"^(only|all but) (.+)|$", " ".join("".join(words).split()))[0]
        name, listed = re.escape(test), parameters.split(" | ")
        if kind == "only":
            patterns |= {f"{test}[{one}]": re.compile(rf"{name}\[{re.escape(one)}\]") for one in listed}
        elif kind:
            others = "|".join(map(re.escape, listed))
            patterns[entry] = re.compile(rf"{name}\[(?!({others})\]$).*\]")
        else:
            patterns[test] = re.compile(rf"{name}(\[.*\])?", re.DOTALL)
    return patterns


def matches(names: Iterable[str], text: str = LIST) -> dict[str, list[str]]:
    """Those of the names (`file::test[parameters]`, the file below tests/) that each entry of the list meets."""
    by_test: dict[str, list[str]] = {}
    for name in names:
        by_test.setdefault(name.partition("[")[0], []).append(name)
    return {
        entry: [name for name in by_test.get(re.split(r"[\[\s]", entry)[0], ()) if pattern.fullmatch(name)]
        for entry, pattern in _patterns(text).items()
    }


def told_as_slow(reports: Iterable[pytest.TestReport]) -> list[str]:
    """A line for each test of a run that grew."""
    took: Counter[str] = Counter()
    for report in reports:
        if "long" not in report.keywords:
            took[report.nodeid] += report.duration
    return [
        f"{name} took {seconds:.0f} s: make it shorter, or list it in tests/long_runs.txt"
        for name, seconds in took.most_common()
        if seconds > SLOW
    ]
