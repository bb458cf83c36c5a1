"""What a run says of itself reaches scripts: `result.remarks`, and Python warnings of a class of their own."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import luff
from luff.tests.process import call

# a mass on a spring that 3 ms do not follow: 1000 rad/s
STIFF = """luff: 1
blocks:
  rail: {type: prismatic, axis: x, stiffness: 1e6, initial: {position: 0.01}}
  cart: {type: rigid_link, mass: 1}
connect: [world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a]
simulation: {stop: 0.3, step: 2.5e-3, method: implicit}
plots: [{y: [rail.nowhere]}]
"""


@pytest.fixture
def stiff(tmp_path: Path) -> Path:
    path = tmp_path / "stiff.yaml"
    path.write_text(STIFF)
    return path


def test_remarks_of_model_and_run_are_in_the_result_and_warned_of_once(stiff: Path) -> None:
    sim = luff.compile(stiff)
    with pytest.warns(luff.ModelWarning) as told:
        result = sim.run()
    messages = [remark.message for remark in result.remarks]
    assert any('"rail.nowhere"' in message for message in messages)
    assert any("too long for this run with implicit" in message for message in messages)
    assert len(told) == len(result.remarks) == 2
    assert all(one.filename == __file__ for one in told)  # at the line that asked for the run
    assert f"{stiff}:7:9" in str(told[0].message)
    assert [remark.mark is not None for remark in result.remarks] == [True, True]
    assert repr(result).endswith("2 warnings>")


def test_remarks_of_the_api_are_those_of_the_command_line(stiff: Path, tmp_path: Path) -> None:
    err = call("run", stiff.name, cwd=tmp_path).stderr
    with pytest.warns(luff.ModelWarning):
        result = luff.compile(stiff).run()
    for remark in result.remarks:
        assert str(remark).replace(f"{tmp_path}/", "") in err


@pytest.mark.parametrize("suffix", [".h5", ".npz", ".mat"])
def test_remarks_go_with_the_file(stiff: Path, tmp_path: Path, suffix: str) -> None:
    with pytest.warns(luff.ModelWarning):
        result = luff.compile(stiff).run()
    result.save(tmp_path / f"out{suffix}")
    assert [*luff.read(tmp_path / f"out{suffix}").remarks] == result.remarks


def test_streamed_file_has_the_remarks(stiff: Path, tmp_path: Path) -> None:
    with pytest.warns(luff.ModelWarning):
        luff.compile(stiff).run(output=tmp_path / "out.h5")
    assert len(luff.read(tmp_path / "out.h5").remarks) == 2


def test_run_that_nothing_is_to_be_said_of_is_silent(stiff: Path) -> None:
    stiff.write_text(STIFF.replace("1e6", "1").replace("plots: [{y: [rail.nowhere]}]", ""))
    with warnings.catch_warnings():
        warnings.simplefilter("error", luff.ModelWarning)
        assert luff.compile(stiff).run().remarks == []


# one period of a force: the slide stands still at both ends, and the drive has done no work in all
THERE_AND_BACK = """luff: 1
blocks:
  slide: {type: prismatic, axis: x}
  body: {type: rigid_link, mass: 2 kg}
  push: {type: sine, amplitude: 3, frequency: 1 Hz}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a, push.y -> slide.effort]
simulation: {stop: 1 s, step: 10 ms}
"""


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_energies_balance_in_a_run_from_rest_to_rest(method: str) -> None:
    result = luff.compile(luff.loads(THERE_AND_BACK)).run(method=method)
    assert list(result.remarks) == []
    balance = result.quality["energy"]
    # v = a/w (1 - cos w t) with a = 3/2 m/s^2, w = 2 pi /s: at most (2 a/w)^2 = 0.228 J, in the middle
    most = (2 * 1.5 / (2 * math.pi)) ** 2
    assert max(abs(balance["drives"]), balance["end"]["kinetic"]) < 1e-6 * most
    # of the largest met at 21 instants, one of which is the middle: what is left is no more than that
    assert balance["relative_residual"] == pytest.approx(abs(balance["residual"]) / most, rel=0.05)


def test_class_of_warnings_costs_no_import_of_the_solver() -> None:
    code = "import sys, luff; luff.ModelWarning; print('numpy' in sys.modules, 'luff.solver' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
