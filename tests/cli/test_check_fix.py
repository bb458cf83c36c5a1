"""`luff check --fix`, and the same repairs in the window: words that can mean one thing only."""

from __future__ import annotations

import json
import pickle
import random
import re
from pathlib import Path

import pytest

import luff
from luff.blocks.errors import Suggestion, did_you_mean
from luff.blocks.text.did_you_mean import one_edit_apart
from luff.gui.document.document import Document
from luff.gui.document.repairs import apply_repair
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.diagram.spelling_repair import Findings, repair
from luff.solver.flatten.diagram import check_text
from luff.tests.process import call

WRONG = """\
luff: 1
parameters: {payload: 3 kg}   # to be lifted
blocks:
  pin: {type: revolut, axis: y, initial: {positon: 1}}
  rod: {type: rigid_link, mas: =paylod, com: [1, 0, 0], inertia: [1, 1, 1]}
  load: {type: rigid_link, mass: =payload}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rd.frame_a, rod.frame_b -- load.frame_a]
simulaton: {stop: 1 s}
"""
RIGHT = """\
luff: 1
parameters: {payload: 3 kg}   # to be lifted
blocks:
  pin: {type: revolute, axis: y, initial: {position: 1}}
  rod: {type: rigid_link, mass: =payload, com: [1, 0, 0], inertia: [1, 1, 1]}
  load: {type: rigid_link, mass: =payload}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, rod.frame_b -- load.frame_a]
simulation: {stop: 1 s}
"""


def test_every_certain_word_is_put_right_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(WRONG)
    told = call("check", path.name, "--fix", cwd=tmp_path)
    assert path.read_text() == RIGHT
    assert len(re.findall("^fixed: ", told.stderr, re.MULTILINE)) == 6
    assert told.stdout == "m.yaml: fine\n"
    assert "fixed" not in call("check", path.name, "--fix", cwd=tmp_path).stderr
    record = json.loads(call("check", path.name, "--fix", "--json", cwd=tmp_path).stdout)
    assert record == {"status": "fine", "problems": [], "fixed": []}


def test_a_word_is_put_right_that_hides_other_mistakes_or_stands_twice(tmp_path: Path) -> None:
    """Nothing more is told of the blocks of a wire that cannot be followed: here that the pd has open inputs."""
    path = tmp_path / "m.yaml"
    path.write_text(
        "luff: 1\nblocks: {pin: {type: revolute, axis: y}, drive: {type: pd, kp: 1, kd: 1},\n"
        "  one: {type: gain}, two: {type: gain}}\n"
        "connect: [world.frame -- pin.frame_a, drive.effort -> pin.efort, pin.positon -> one.u, pin.positon -> two.u]\n"
    )
    right = path.read_text().replace("efort", "effort").replace("positon", "position")
    told = call("check", path.name, "--fix", cwd=tmp_path, code=1)
    assert path.read_text() == right
    assert len(re.findall("^fixed: ", told.stderr, re.MULTILINE)) == 3
    assert "drive.measured: missing wire" in told.stderr


def test_without_it_no_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(WRONG)
    call("check", path.name, cwd=tmp_path, code=1)
    assert path.read_text() == WRONG


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        # names that count: any may be meant
        ("pin_a: {type: gain}, pin_b: {type: gain}", "pin_c"),
        # the declaration may be what is wrong
        ("pin_a: {type: gain, k: 2}, pn_c: {type: constant}", "pin_c"),
        # far from all
        ("pin_a: {type: gearbox_of_two_stages}", "no block type"),
    ],
)
def test_what_may_mean_two_things_stays(wrong: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    text = f"luff: 1\nblocks: {{{wrong}}}\nconnect: [pin_c.y -> pin_a.u]\n"
    path.write_text(text)
    told = call("check", path.name, "--fix", cwd=tmp_path, code=1)
    assert path.read_text() == text
    assert words in told.stdout + told.stderr


def test_a_pipe_has_no_file_to_write(tmp_path: Path) -> None:
    done = call("check", "-", "--fix", cwd=tmp_path, code=1, stdin=None, input=RIGHT)
    assert "a netlist from a pipe has no file to write (give --fix the name of a file)" in done.stderr


def test_one_slip_is_one_edit_or_swap() -> None:
    """Against all words that one edit or swap makes of a word, and against words that two make."""
    word, letters = "mass", "amsx"
    near = {word[:k] + word[k + 1 :] for k in range(4)} | {
        word[:k] + letter + word[k + part :] for k in range(5) for letter in letters for part in (0, 1)
    }
    near |= {word[:k] + word[k + 1 : k + 2] + word[k : k + 1] + word[k + 2 :] for k in range(3)}
    for other in near:
        assert one_edit_apart(word, other), other
        assert one_edit_apart(other, word), other
    for one, other in (("link_1", "link_2"), ("frame_a", "frame_b"), ("x1", "x12")):
        assert not one_edit_apart(one, other)
    assert one_edit_apart("fram_a", "frame_a")
    for other in ("amsss", "ss", "masxxs", "ssam", "smsa"):
        assert not one_edit_apart(word, other), other
        assert not one_edit_apart(other, word), other


def test_a_suggestion_is_certain_only_where_one_word_is_near() -> None:
    for known, certain in ((["mass", "damping"], True), (["mass", "maps"], False), (["masses"], False)):
        found = did_you_mean("mas", known)
        assert isinstance(found, Suggestion)
        assert found.certain is certain
        assert pickle.loads(pickle.dumps(found)) == found


def test_a_letter_left_out_of_a_library_model_comes_back(tmp_path: Path, many: int, seed: int) -> None:
    """Keys, types and references at random: repaired to the same text, or left as they were and told."""
    rng = random.Random(seed)
    texts = {path: path.read_text("utf-8") for path in sorted(LIBRARY.glob("*.yaml"))}
    back = 0
    for _ in range(8 * many):
        path, text = rng.choice([*texts.items()])
        word = rng.choice([*re.finditer(r"(?<=type: )[a-z_]{5,}|\b[a-z_]{5,}(?=: )", text)])
        k = rng.randrange(word.start() + 1, word.end())
        wrong = tmp_path / path.name
        wrong.write_text(text[:k] + text[k + 1 :], "utf-8")
        call("check", wrong.name, "--fix", "-q", cwd=tmp_path, code=None)
        now = wrong.read_text("utf-8")
        assert now in (text, text[:k] + text[k + 1 :]), (seed, path.name, word.group())
        back += now == text
    print(back, "of", 8 * many)
    assert back > 0 or many == 1


def test_the_window_puts_a_word_right_in_one_step_of_undo(tmp_path: Path, qapp) -> None:
    text = WRONG.replace("simulaton", "simulation")
    document = Document(luff.Diagram.from_yaml(text), checked=False)
    document.check()
    said = [problem for problem in document.problems if isinstance(problem.fix, Suggestion)]
    assert len(said) == 3  # the type hides what is in it
    for problem in said:
        assert apply_repair(document, problem)
    document.check()
    assert all(apply_repair(document, problem) for problem in document.problems)
    assert document.diagram.to_yaml() == RIGHT
    for _ in range(document.undo.count()):
        document.undo.undo()
    assert document.diagram.to_yaml() == text


WIRED = """\
luff: 1
blocks:
  ref: {type: sine, amplitude: 1, frequency: 1 Hz}
  servo: {type: pd, kp: 20, kd: 5}
  rail: {type: prismatic, axis: x}
  body: {type: rigid_link, mass: 2 kg}
connect:
  - ref.trajectory -> servo.target
  - rail.trajectory -> servo.measured
  - servo.effort -> rail.effort
  - world.frame -- rail.frame_a
  - rail.frame_b -- body.frame_a
"""


@pytest.mark.parametrize(
    ("right", "wrong", "proposed"),
    [
        ("world.frame -- rail", "world.frame - rail", "--"),
        ("effort -> rail", "effort - rail", "->"),
        ("effort -> rail", "effort => rail", "->"),
        ("ref.trajectory ->", "ref.y ->", "ref.trajectory"),
    ],
)
def test_a_wire_takes_the_sign_and_the_output_that_fit(right: str, wrong: str, proposed: str) -> None:
    text = WIRED.replace(right, wrong)
    found = checked(text)
    (problem,) = found.problems
    assert isinstance(problem.fix, Suggestion)
    assert problem.fix.near == proposed
    assert repair(text, problem, found, checked) == WIRED


def test_no_sign_is_proposed_where_none_fits() -> None:
    problems = checked(WIRED.replace("effort -> rail", "nothing - rail")).problems
    assert [problem.path for problem in problems] == ["connect[2]"]
    assert not isinstance(problems[0].fix, Suggestion)


@pytest.mark.parametrize("name", ["payload", "paylod"])
def test_a_name_without_its_sign_is_taken_for_the_parameter(name: str) -> None:
    text = RIGHT.replace("mass: =payload}", f"mass: {name}}}")
    found = checked(text)
    (problem,) = found.problems
    assert isinstance(problem.fix, Suggestion)
    assert problem.fix.near == "=payload"
    assert repair(text, problem, found, checked) == RIGHT


def checked(text: str) -> Findings:
    return check_text(text, "", Path(), False, (), None)
