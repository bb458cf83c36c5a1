"""`luff modes` and `luff linearize`: what they print, write and refuse."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from luff.tests.cli.test_commands import call
from luff.tests.shared.netlists import SHAPED_PENDULUM

W = math.sqrt(9.81 / 0.7)
ZETA = 0.14 / (2 * 2 * 0.49 * W)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pendulum.yaml").write_text(SHAPED_PENDULUM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_modes_say_how_to_tune_a_shaper(here: Path) -> None:
    found = json.loads(call("modes", "pendulum.yaml", "--json").stdout)
    assert found["modes"][0]["frequency"] == pytest.approx(W, rel=1e-8)
    assert found["modes"][0]["frequency_hz"] == pytest.approx(W / (2 * math.pi), rel=1e-8)
    assert found["modes"][0]["damping"] == pytest.approx(ZETA, rel=1e-7)
    last = call("modes", "pendulum.yaml").stdout.splitlines()[-1]
    assert last.startswith("shaper is tuned to mode 1 by --set ")
    # what it says can be typed, and changes nothing of the mode
    words = last[last.index("--set") :].split()
    assert call("modes", "pendulum.yaml", *words).stdout.splitlines()[-1] == last
    assert f"--set shaper.frequency={W:.7g}"[:30] in last


def test_modes_at_the_initial_state(here: Path) -> None:
    found = json.loads(call("modes", "pendulum.yaml", "--at", "initial", "--json").stdout)
    # at 60 deg gravity's gradient is half of that at rest
    assert found["modes"][0]["frequency"] == pytest.approx(W * math.sqrt(0.5), rel=1e-8)


@pytest.mark.parametrize("suffix", ["npz", "mat", "json"])
def test_linearize_writes_files(here: Path, suffix: str) -> None:
    done = call(
        "linearize",
        "pendulum.yaml",
        "--from",
        "e.y",
        "--to",
        "pin.position",
        "--output",
        f"a.{suffix}",
        "--quiet",
    )
    assert done.stdout == ""
    assert (here / f"a.{suffix}").stat().st_size > 0


def test_linearize_prints_and_gives_json(here: Path) -> None:
    arguments = ("linearize", "pendulum.yaml", "--from", "pin.effort", "--to", "pin.position")
    text = call(*arguments).stdout
    assert "inputs: pin.effort\n" in text
    found = json.loads(call(*arguments, "--json").stdout)
    np.testing.assert_allclose(found["A"], [[0, 1], [-(W**2), -2 * ZETA * W]], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found["B"], [[0], [1 / (2 * 0.49)]], rtol=1e-8)
    assert found["C"] == [[1.0, 0.0]]


def test_mistakes_end_the_command(here: Path) -> None:
    done = call("linearize", "pendulum.yaml", "--from", "pin.efort", code=1)
    assert 'did you mean "pin.effort"?' in done.stderr
    done = call("linearize", "pendulum.yaml", "-o", "a.xlsx", code=2)
    assert 'found "a.xlsx", expected a file: .npz, .mat, .json' in done.stderr
    call("modes", "pendulum.yaml", "--at", "noon", code=2)


def test_an_output_is_a_file_and_signals_have_other_words(here: Path) -> None:
    """`--output` is a file in every command; a signal there, or `--input`, is told what to write."""
    for command in ("linearize", "lqr", "kalman"):
        done = call(command, "pendulum.yaml", "--output", "pin.position=3 deg", code=2)
        assert '--output: found "pin.position=3 deg", expected a file: ' in done.stderr
        assert "--to names signals" in done.stderr
        done = call(command, "pendulum.yaml", "--input", "pin.effort", code=2)
        assert "ports are named by" in done.stderr
    call(
        "lqr",
        "pendulum.yaml",
        "--from",
        "pin.effort=5 N*m",
        "--to",
        "pin.position=2 deg",
        "--output",
        "k.json",
    )
    assert (here / "k.json").is_file()
