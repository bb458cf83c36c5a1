"""Runs that are driven and come to an end from outside: what was computed and what was done by hand are there."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import luff
from luff.solver.simulation.operator_log import OperatorLog, OperatorRecorder
from luff.solver.simulation.operator_log_file import OperatorLogFile, surviving_log
from luff.tests.process import INTERRUPTIBLE, PATIENCE, luff_command
from luff.tests.solver.realtime.test_operator_stand import SLIDE, Pipe, pipe, simulation

__all__ = ["pipe"]
TEXT = SLIDE.replace(", TIMEOUT", "")
LINES = 20  # of what was done, before the end


def drive_until_kept(pipe: Pipe, partial: Path, process: subprocess.Popen[str]) -> None:
    """Move a lever until so many lines of it are in a file that can be read at every look."""
    deadline, k = time.monotonic() + PATIENCE, 0
    while not partial.exists() or len(luff.read(partial).time) < LINES:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        k += 1
        pipe.axis(0, k % 100 / 100)
        time.sleep(0.01)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_run_that_is_ended_leaves_its_rows_and_a_drive_that_gives_them_again(
    number: signal.Signals, pipe: Pipe, tmp_path: Path
) -> None:
    (tmp_path / "slide.yaml").write_text(TEXT)
    words = (
        "--stop",
        600,
        "--realtime",
        "--joystick",
        pipe.path,
        "--keep",
        "drive.csv",
        "-o",
        "one.h5",
        "-q",
    )
    partial = tmp_path / "drive.partial.h5"
    with subprocess.Popen(
        luff_command("run", "slide.yaml", *words),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        **INTERRUPTIBLE,
    ) as process:
        try:
            drive_until_kept(pipe, partial, process)
            process.send_signal(number)
            said = process.communicate(timeout=PATIENCE)[1]
        finally:
            process.kill()
    killed = number == signal.SIGKILL
    assert process.returncode == (-number if killed else 3)
    assert "Traceback" not in said
    assert partial.exists() is killed
    kept = partial if killed else tmp_path / "drive.csv"
    assert len(OperatorLog.read(kept).times) >= LINES
    driven = luff.read(tmp_path / "one.h5")
    assert driven.status == "interrupted"
    again = luff.compile(luff.loads(TEXT)).run(replay=kept, stop=float(driven.time[-1]))
    assert again.table.tobytes() == driven.table.tobytes()


def test_drive_is_in_its_file_up_to_the_last_step_also_where_a_parameter_comes_late(tmp_path: Path) -> None:
    sim = simulation()
    session = sim.start()
    record = OperatorRecorder(session)
    file = OperatorLogFile(tmp_path, "drive", record)
    for k in range(60):
        session.give({"levers_u": [k % 7 / 10, 0.0]})
        record.note()
        if k in (20, 45):
            sim.set("slide.damping", 3.0 + k)
            record.note_set("slide.damping", 3.0 + k)
        session.advance(steps=1 + k % 3)
        if k % 4 == 0:
            file.write()
    file.write()
    path = surviving_log(tmp_path)
    assert path is not None
    assert [*tmp_path.iterdir()] == [path]  # the one without the parameter is gone
    kept, whole = OperatorLog.read(path), record.drive()
    assert kept.names == whole.names
    assert kept.values.tobytes() == whole.values.tobytes()
    assert kept.times.tobytes() == whole.times.tobytes()
    file.remove()
    assert not [*tmp_path.iterdir()]
