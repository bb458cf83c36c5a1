"""`luff.read` gives back the objects that luff has written, and each says of itself what it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.process import call
from luff.tests.solver.tuning.cases import write

PENDULUM = Path(luff.__file__).parent / "library" / "templates" / "pendulum.yaml"
STUDY = "luff: 1\nname: lengths\nmodel: MODEL\nset: {simulation.stop: 0.1}\nvariants: {grid: {length: [1 m, 2 m]}}\n"


@pytest.mark.parametrize("suffix", [".npz", ".mat", ".json"])
def test_a_linear_model_comes_back_as_it_was(suffix: str, tmp_path: Path) -> None:
    sim = luff.compile(PENDULUM)
    for inputs in ([], ["pin.effort"]):
        lin = luff.linearise(sim, x="equilibrium", inputs=inputs)
        lin.save(tmp_path / f"lin{suffix}")
        again = luff.read(tmp_path / f"lin{suffix}")
        assert isinstance(again, luff.Linear)
        for name in ("A", "B", "C", "D", "x", "u", "y"):
            np.testing.assert_array_equal(getattr(again, name), getattr(lin, name))
        for name in ("state_names", "input_names", "output_names", "t", "error", "equilibrium"):
            assert getattr(again, name) == getattr(lin, name)
        assert again.stability == "stable"


def test_the_files_of_commands_are_read_by_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY.replace("MODEL", str(PENDULUM)))
    # each where the user would write it
    call("study", "study.yaml", "-q", "--jobs", "1", cwd=tmp_path)
    results = luff.read(tmp_path / "study.h5")
    assert list(results) == ["length = 1 m", "length = 2 m"]
    assert (
        repr(results) == "<StudyResult \"lengths\": 2 variants, 2 finished; 'length = 1 m', 'length = 2 m'>"
    )
    call("static", str(PENDULUM), "-o", "static.json", "-q", cwd=tmp_path)
    assert luff.read(tmp_path / "static.json")["positions"] == {
        "pin.position": np.pi / 3.0
    }  # given values are kept
    found = luff.fit(write(tmp_path, seed=1), tmp_path / "fit.json")
    again = luff.read(tmp_path / "fit.json")
    assert repr(again) == repr(found)
    assert again.parameters == found.parameters
    np.testing.assert_array_equal(again.correlation, found.correlation)


def test_an_optimum_comes_back_as_it_was(tmp_path: Path) -> None:
    from .tuning.test_optimise import HUNG, LIMIT, written

    found = luff.optimise(
        written(tmp_path, LIMIT.replace("METHOD", "local"), HUNG, "hung"), tmp_path / "best.json"
    )
    again = luff.read(tmp_path / "best.json")
    assert repr(again) == repr(found)
    assert again.requirements == found.requirements
    assert again.holds


@pytest.mark.parametrize("name", ["none.json", "none.h5", "none.npz", "none.mat", "none.csv", "none.txt"])
def test_a_file_that_is_not_there_is_one_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(luff.LuffError, match=name):
        luff.read(tmp_path / name)


@pytest.mark.parametrize("text", ["", "[1]", "{"])
def test_a_file_that_luff_has_not_written_is_one_clear_error(text: str, tmp_path: Path) -> None:
    for suffix in (".json", ".h5", ".npz", ".mat"):
        path = tmp_path / f"odd{suffix}"
        path.write_text(text)
        with pytest.raises(luff.LuffError, match=path.name):
            luff.read(path)


def test_what_a_script_holds_says_what_it_is() -> None:
    sim = luff.compile(PENDULUM)
    session = sim.start()
    session.advance(steps=20)
    assert repr(session) == '<Session "pendulum": running, t = 0.02 s of 10 s, rk4, steps of 0.001 s>'
    assert repr(session.snapshot()) == "<Snapshot: t = 0.02 s, 6 numbers of state>"
    lin = luff.linearise(sim, x="equilibrium", inputs=["pin.effort"], outputs=["pin.position"])
    assert repr(lin).startswith("<Linear: 2 states, 1 input, 1 output; the equilibrium at pin.position = ")
    assert repr(lin).endswith("is stable: everything decays>")
    w = np.sqrt(1.5 * 9.81)  # of m g l / 2 over m l^2 / 3
    modes = repr(luff.modes(sim, x="equilibrium"))
    assert modes.startswith(f"<Modes: 1 of 1 oscillate, {w:.4g} to {w:.4g} rad/s; the equilibrium at ")
    sim.set("pin.initial.position", "170 deg")
    stands = repr(luff.linearise(sim, x="equilibrium"))
    assert stands.endswith("is unstable: it would leave by itself>")
