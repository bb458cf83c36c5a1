"""What chance draws for tests: the same in every process, and something else when a search asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TEST = """\
{imports}
from hypothesis import given, strategies as st
seen = []

@given(st.text(max_size=20), st.integers(0, 10**6), st.floats(-10, 10))
def test_draws(word, number, share):
    seen.append((word, number, share))

def test_tells(seed):
    print("SEEN", seed, hash(tuple(map(repr, seen))))
"""
MODULES = "import luff.blocks, luff.solver.flatten.flatten, luff.solver.diagram.netlist_document"


def drawn(folder: Path, imports: str = "", *words: str) -> str:
    """What a test of hypothesis draws in a process where these modules are loaded."""
    shutil.copy(Path(__file__).parent / "conftest.py", folder)
    (folder / "test_draws.py").write_text(TEST.format(imports=imports))
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", *words, "test_draws.py"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "0"}
    )
    assert done.returncode == 0, done.stdout
    return next(line for line in done.stdout.splitlines() if "SEEN" in line)


def test_examples_hang_neither_on_the_moment_nor_on_what_is_loaded(tmp_path: Path) -> None:
    providers = pytest.importorskip("hypothesis.internal.conjecture.providers")
    if not hasattr(providers, "_get_local_constants"):
        pytest.skip("this hypothesis takes what modules hold from elsewhere, or not at all")
    first = drawn(tmp_path)
    assert drawn(tmp_path, MODULES) == first


def test_a_search_draws_others_which_its_seed_gives_again(tmp_path: Path) -> None:
    seven = drawn(tmp_path, MODULES, "--hypothesis-seed=7")
    assert drawn(tmp_path, "", "--hypothesis-seed=7") == seven
    eight = drawn(tmp_path, "", "--hypothesis-seed=8")
    assert (seven.split()[1], eight.split()[1]) == ("7", "8")
    assert eight.split()[2] != seven.split()[2]
