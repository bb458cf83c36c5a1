"""Commands that end while other processes work for them: those end too, and say nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from luff.tests.conftest import about_compiling
from luff.tests.process import INTERRUPTIBLE, PATIENCE, luff_command, wait_for
from luff.tests.test_planted_programs import BLOCK, MODEL

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")

STUDY = "luff: 1\nmodel: ./model.yaml\nvariants: {list: {one: {c.value: 1}, two: {c.value: 2}}}\n"
ENDLESS = "luff: 1\nblocks: {c: {type: constant}}\nsimulation: {stop: 1e9 s, output_step: 1e6 s}\n"


def children(number: int) -> list[int]:
    """Of a process, by all of its threads."""
    found: list[int] = []
    for path in Path(f"/proc/{number}/task").glob("*/children"):
        found += map(int, path.read_text().split())
    return found


def descendants(number: int) -> list[int]:
    own = children(number)
    return [*own, *(inner for one in own for inner in descendants(one))]


def imports_compiler(number: int) -> bool:
    try:
        return "llvmlite" in Path(f"/proc/{number}/maps").read_text()
    except OSError:
        return False


@about_compiling
@pytest.mark.parametrize("words", [("run", "model.yaml"), ("study", "study.yaml", "-j", "1")])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_end_while_compiling_is_silent(
    words: tuple[str, ...], number: signal.Signals, tmp_path: Path
) -> None:
    name = "x" + uuid.uuid4().hex[:8]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "fresh.py").write_text(BLOCK.format(name=name))
    (tmp_path / "model.yaml").write_text(MODEL.format(name=name))
    (tmp_path / "study.yaml").write_text(STUDY)
    command = luff_command(*words, "--allow-code", "-q", *(("-o", "a.h5") if words[0] == "run" else ()))
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, **INTERRUPTIBLE
    ) as process:
        # that which compiles has loaded its compiler, and is at its work or before it
        wait_for(lambda: any(imports_compiler(one) for one in descendants(process.pid)), process)
        process.send_signal(number)
        said = process.communicate(timeout=PATIENCE)[1]  # to the end of the last that could say something
    assert "Traceback" not in said
    assert "BrokenPipe" not in said
    assert "Exception" not in said


@pytest.mark.parametrize("module", ["luff.solver.studies.study_worker", "luff.solver.studies.json_protocol"])
def test_worker_whose_reader_is_gone_says_nothing(module: str, tmp_path: Path) -> None:
    from luff.solver.codegen.python_subprocess import python_words

    (tmp_path / "model.yaml").write_text(ENDLESS)
    reader, writer = os.pipe()
    with subprocess.Popen(
        python_words(module),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(writer)
        os.close(reader)
        said = process.communicate(
            "{}\n" if module.endswith("worker") else order(tmp_path), timeout=PATIENCE
        )[1]
    assert said == ""


def order(folder: Path) -> str:
    (folder / "study.yaml").write_text("luff: 1\nmodel: ./none.yaml\n")
    return f'{{"study": "{folder}/study.yaml", "output": "a.h5", "allow_code": false, "files": []}}\n'
