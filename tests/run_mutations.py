"""Mutation testing by command: make each change of `mutations.py`, run the tests that should notice, say if none did.

    python -m luff.tests.run_mutations [WORDS]...     only mutations with this number, or this word in their file's name

Each is made in a copy of the sources in a temporary folder, as plain Python (NUMBA_DISABLE_JIT=1): nothing is compiled,
and a change of a kernel costs seconds. It forks, and so needs Linux or macOS.
"""

from __future__ import annotations

import importlib
import os
import resource
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from luff.tests.mutation import Mutation
from luff.tests.mutations import MECHANICS
from luff.tests.mutations_of_blocks import BLOCKS
from luff.tests.mutations_of_files import FILES
from luff.tests.mutations_of_integrators import INTEGRATORS
from luff.tests.mutations_of_results import RESULTS

MUTATIONS = [*MECHANICS, *INTEGRATORS, *BLOCKS, *FILES, *RESULTS]
ROOT = Path(__file__).resolve().parents[1]
# imported once for all
HEAVY = (
    "numba",
    "scipy.integrate",
    "scipy.spatial",
    "scipy.linalg",
    "h5py",
    "yaml",
    "pint",
    "sympy",
    "pytest",
)
HEAVY += ("typer.testing", "PySide6.QtWidgets", "PySide6.QtTest", "pyqtgraph")
LIMIT = 25  # s of processor time, after which a mutation that hangs counts as killed
# by the clock, for one that waits for what never comes; long, for other work may take the processor
WAITING = 24 * LIMIT


def change(text: str, mutation: Mutation) -> str:
    """The text with one place changed; nothing where the list and the sources no longer fit."""
    place = -1
    for _ in range(mutation.at + 1):
        place = text.find(mutation.old, place + 1)
        if place < 0:
            return ""
    return text[:place] + mutation.new + text[place + len(mutation.old) :]


def copy_of_sources(to: Path) -> Path:
    package = to / "luff"
    shutil.copytree(
        ROOT, package, ignore=shutil.ignore_patterns(".venv", "build", ".git", "__pycache__", "*.egg-info")
    )
    return package


def run(package: str, arguments: list[str], told: str) -> None:
    """In a process of its own, which leads a group: pytest over the copy, what it says in a file."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    handle = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    for name in [name for name in sys.modules if name.partition(".")[0] == "luff"]:
        del sys.modules[name]
    sys.path.insert(0, str(Path(package).parent))
    os.chdir(package)
    import pytest

    code = int(pytest.main(["-qx", "-p", "no:cacheprovider", "--tb=no", "--assert=plain", *arguments]))
    sys.stdout.flush()
    os._exit(code)


def end_group(leader: int) -> None:
    """End what still runs of a test: itself, and processes that it has started and not ended."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def first_failure(package: Path, tests: tuple[str, ...]) -> str:
    """The test that fails first, or nothing."""
    told = package.parent / "told.txt"
    for each in tests:
        file, _, words = each.partition(" -k ")
        arguments = [file, "-k", words] if words else [file]
        process = get_context("fork").Process(target=run, args=(str(package), arguments, str(told)))
        process.start()
        process.join(WAITING)
        assert process.pid
        end_group(process.pid)
        process.join()
        if process.exitcode is not None and process.exitcode < 0:
            return f"{file} (hangs)"
        if process.exitcode != 0:
            failed = [line for line in told.read_text().splitlines() if line.startswith("FAILED ")]
            return failed[0][7:].partition(" - ")[0] if failed else file
    return ""


@cache
def sound(package: Path, test: str) -> bool:
    """Whether a test passes where nothing is changed."""
    return not first_failure(package, (test.removesuffix(" (hangs)"),))


def main(words: list[str]) -> int:
    chosen = [
        (number, mutation)
        for number, mutation in enumerate(MUTATIONS)
        if not words or any(word in mutation.file or word == str(number) for word in words)
    ]
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "QT_QPA_PLATFORM": "offscreen", "MPLBACKEND": "Agg"}
    # a change may keep the size and the date of a file, and conftest.py leaves bytecode alone that has its own folder
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "none"}
    sys.dont_write_bytecode = True
    for name in HEAVY:
        importlib.import_module(name)
    survived = 0
    with tempfile.TemporaryDirectory(prefix="luff-mutate-") as folder:
        package = copy_of_sources(Path(folder))
        for number, mutation in chosen:
            file = package / mutation.file
            original = file.read_text()
            changed = change(original, mutation)
            if not changed:
                print(
                    f"{number:3} gone      {mutation.file}: {mutation.old!r} is not there any more",
                    flush=True,
                )
                survived += 1
                continue
            file.write_text(changed)
            by = first_failure(package, mutation.tests)
            file.write_text(original)
            found = "SURVIVED" if not by else "killed" if sound(package, by) else "UNSOUND"
            survived += found != "killed"
            told = f"{mutation.file}: {mutation.old!r} -> {mutation.new!r}"
            print(f"{number:3} {found:9} {told}  {by}", flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} killed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
