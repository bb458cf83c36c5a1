"""Random mutations of netlists, checked as `luff check` does: no traceback, no hang, no error without a place.

`python -m luff.tests.fuzz 20000 --seed 1` checks as many, prints each one that fails, and ends with a count.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import luff
from luff.blocks.errors import Problem
from luff.cli.check_and_info import netlist_problems

LIBRARY = Path(luff.__file__).resolve().parent / "library"
HANG = 120  # seconds of one check; the slowest sound model takes a few

HOSTILE = [
    *(
        "0",
        "-0",
        "-1",
        "1e308",
        "-1e308",
        "1e-320",
        "1e400",
        ".inf",
        "-.inf",
        ".nan",
        "0x10",
        "0o17",
        "1_000",
        "007",
    ),
    *(
        "99999999999999999999",
        "200000",
        "1e9",
        "1e-9",
        "true",
        "null",
        "~",
        "yes",
        "off",
        "''",
        "[]",
        "{}",
        "[[]]",
    ),
    *(
        "[0]",
        "[0, 0, 0]",
        "[1, 2, 3, 4]",
        "[[1]]",
        "[0, 0, 1]",
        "[1000000, 0]",
        "{a: 1}",
        "{type: 1}",
        "[a]",
        "[a.b]",
    ),
    *(
        "=1/0",
        "=1e300*1e300",
        "=nothing",
        "=(",
        "=",
        "==",
        "=pi",
        "=-1",
        "1m",
        "1/m",
        "1 kg*m^2/s^2",
        "1 m^-1000",
        "5%",
    ),
    *(
        "-40 degC",
        "nan",
        "inf",
        '"a\\0b"',
        '"\\ud800"',
        "../..",
        "./x.yaml",
        "./mutated.yaml",
        "/etc/passwd",
        "~/x",
    ),
    *(
        "*",
        "&",
        "!",
        "%",
        "@",
        "|",
        ">",
        "?",
        ":",
        "-",
        "--",
        "->",
        "<-",
        "*x",
        "&x",
        "<<",
        "!!python/object:os.system",
    ),
    *(
        "a.b",
        "a..b",
        "a.b[0]",
        "a.b[-1]",
        "a.b[0:99999]",
        "world",
        "world.frame",
        "revolute",
        "rigid_link",
        "gain",
        "sum",
    ),
    *(
        "table",
        "expression",
        "path",
        "programmed_constraint",
        "x",
        "y",
        "z",
        "é",
        "中",
        "\u202e",
        "\U0001f600",
        "\x7f",
    ),
]
TOKENS = [
    *HOSTILE,
    *(
        ":",
        "- ",
        "  ",
        "\t",
        "\n",
        "#",
        "'",
        '"',
        "[",
        "]",
        "{",
        "}",
        ",",
        "=",
        "|\n",
        "---\n",
        "\x00",
        "\ufeff",
    ),
]


def models() -> list[Path]:
    """Every netlist of the library; studies and files of factors are none."""
    found = sorted(path for path in LIBRARY.rglob("*.yaml") if path.parent.name != "factors")
    return [path for path in found if "\nmodel:" not in path.read_text(encoding="utf-8")]


def drop(text: str, pick: random.Random) -> str:
    rows = text.split("\n")
    at = pick.randrange(len(rows))
    return "\n".join(rows[:at] + rows[at + pick.choice([1, 1, 1, 2, 5]) :])


def double(text: str, pick: random.Random) -> str:
    rows = text.split("\n")
    at = pick.randrange(len(rows))
    return "\n".join(rows[: at + 1] + rows[at : at + 1] * pick.choice([1, 1, 50]) + rows[at + 1 :])


def swap(text: str, pick: random.Random) -> str:
    rows = text.split("\n")
    a, b = pick.randrange(len(rows)), pick.randrange(len(rows))
    rows[a], rows[b] = rows[b], rows[a]
    return "\n".join(rows)


def indent(text: str, pick: random.Random) -> str:
    rows = text.split("\n")
    at = pick.randrange(len(rows))
    rows[at] = rows[at][2:] if pick.random() < 0.5 else "  " + rows[at]
    return "\n".join(rows)


def value(text: str, pick: random.Random) -> str:
    """A value becomes a hostile one."""
    spots = list(re.finditer(r"(?<=[:,\[] )[^,\]}\n#:]+|(?<=: )[^\n#]+", text))
    return _put(text, pick, spots, pick.choice(HOSTILE)) if spots else text


def number(text: str, pick: random.Random) -> str:
    spots = list(re.finditer(r"-?\d+\.?\d*(?:e-?\d+)?", text))
    return _put(text, pick, spots, pick.choice(["0", "-1", "1e30", "-1e-30", "7", "1e5"])) if spots else text


def word(text: str, pick: random.Random) -> str:
    """A name becomes another name of the text, or loses a letter."""
    spots = list(re.finditer(r"[A-Za-z_]\w*", text))
    if not spots:
        return text
    other = pick.choice(spots).group()
    return _put(text, pick, spots, other if pick.random() < 0.7 else other[1:] or "x")


def token(text: str, pick: random.Random) -> str:
    at = pick.randrange(len(text) + 1)
    return text[:at] + pick.choice(TOKENS) + text[at:]


def letters(text: str, pick: random.Random) -> str:
    at = pick.randrange(len(text) + 1)
    return text[:at] + chr(pick.choice([0, 9, 34, 58, 91, 123, 127, 0x85, 0x2028, 0xFEFF])) + text[at + 1 :]


def cut(text: str, pick: random.Random) -> str:
    a, b = sorted(pick.randrange(len(text) + 1) for _ in range(2))
    return text[:a] + text[b:] if pick.random() < 0.5 else text[:b]


def _put(text: str, pick: random.Random, spots: list[re.Match[str]], new: str) -> str:
    spot = pick.choice(spots)
    return text[: spot.start()] + new + text[spot.end() :]


WAYS: list[Callable[[str, random.Random], str]] = [
    *(drop, double, swap, indent, token, letters, cut),
    *(value, value, value, number, number, word, word, word),
]


def mutated(text: str, pick: random.Random) -> bytes:
    for _ in range(pick.choice([1, 1, 1, 2, 3])):
        text = pick.choice(WAYS)(text, pick) or "\n"
    found = text.encode("utf-8", "surrogatepass")
    if pick.random() < 0.03:
        at = pick.randrange(len(found))
        found = found[:at] + bytes([pick.randrange(256)]) + found[at + 1 :]
    return found


class Hang(Exception):
    """A check that does not end."""


def _ring(number: int, frame: object) -> None:
    raise Hang(f"longer than {HANG} s")


def fault(path: Path) -> str:
    """What is wrong with how `luff check` takes this file; empty if nothing is."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _ring)
        signal.alarm(HANG)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = netlist_problems(path, allow_code=False, files=())
    except Exception:
        return traceback.format_exc()
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)
    lost = [str(problem) for problem in found if problem.severity == "error" and not _placed(problem, path)]
    return "\n".join(f"without a place: {line}" for line in lost)


def _placed(problem: Problem, path: Path) -> bool:
    """A line of a file; or the name of a file that is none at all."""
    return problem.mark is not None or str(path) in problem.message


def cases(count: int, seed: int, folder: Path) -> tuple[int, list[tuple[int, str]]]:
    """Check so many mutations of all models in turn; how many were checked, and what failed."""
    paths, failed, done = models(), [], 0
    texts = [path.read_text(encoding="utf-8") for path in paths]
    for path in paths:  # what models name as types
        (folder / path.name).write_bytes(path.read_bytes())
    file = folder / "mutated.yaml"
    for k in range(count):
        pick = random.Random(f"{seed}/{k}")
        file.write_bytes(mutated(texts[k % len(texts)], pick))
        told = fault(file)
        done += 1
        if told:
            failed.append((k, told))
            kept = folder / f"failed-{seed}-{k}.yaml"
            kept.write_bytes(file.read_bytes())
    return done, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options = parser.parse_args()
    began = time.perf_counter()
    folder = Path(tempfile.mkdtemp(prefix="luff-fuzz-"))
    done, failed = cases(options.count, options.seed, folder)
    for k, told in failed:
        print(f"== mutation {k} of seed {options.seed}, kept in {folder}\n{told}")
    print(f"{done} mutations of {len(models())} models, seed {options.seed}: {len(failed)} failed, ", end="")
    print(f"in {time.perf_counter() - began:.0f} s")
    return bool(failed)


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.exit(main())
