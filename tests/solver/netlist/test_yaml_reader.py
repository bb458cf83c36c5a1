"""The reader takes YAML 1.2, keeps every place, and refuses what could do harm, each with one clear line."""

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from luff.blocks import NetlistError
from luff.solver.netlist import read_netlist, read_text, read_value, same_data, yaml_reader

# YAML 1.2.2, chapter 10.3.2: the core schema
CORE = {
    "1e5": 1e5,
    "on": "on",
    "yes": "yes",
    "1:30": "1:30",
    "0o17": 15,
    "0x1F": 31,
    "0777": 777,
    "+12": 12,
    "-.5": -0.5,
    "5.": 5.0,
    ".inf": math.inf,
    "-.INF": -math.inf,
    "~": None,
    "null": None,
    "": None,
    "True": True,
    "1_000": "1_000",
    "0b11": "0b11",
    "2001-01-01": "2001-01-01",
    "=l1/2": "=l1/2",
    "=": "=",
    "nan": "nan",
    "'1'": "1",
    '"a\\tb"': "a\tb",
    "!!str 5": "5",
    "!!float 5": 5.0,
    "a.out[0] -> b.in[2]": "a.out[0] -> b.in[2]",
    "-x": "-x",
}


@pytest.mark.parametrize("text", CORE)
def test_read_follows_the_core_schema(text: str) -> None:
    document = read_netlist(f"a: {text}\n")
    assert document.problems == []
    assert same_data(document.data, {"a": CORE[text]})


def test_read_knows_nan() -> None:
    assert math.isnan(read_netlist("a: .nan").data["a"])


REFUSED = {
    "a: 1\nb: 2\na: 3\n": '3:1: "a" is here twice, the first time in line 1',
    "x: {b: 1, b: 2}": '1:11: "b" is here twice',
    "a: !foo 3": "1:4: the tag !foo is not part of the format",
    "a: !!python/object:os.system 3": "1:4: the tag !!python/object:os.system is not part",
    "a: !!int x": "1:4: the tag !!int is not part of the format",
    "a: &x [*x]": "1:8: the alias *x contains itself",
    "a: *y": "1:4: the alias *y has no anchor",
    "b: &b {c: 1}\na:\n  <<: *b\n": "3:3: merge keys (<<) are not part of the format",
    "1: 2": "1:1: found 1 as a name, expected text",
    "[1, 2]: 2": "1:1: found [1, 2] as a name, expected text",
    "a: 1\n---\nb: 2\n": "2:1: a second document starts here",
    "": "1:1: the netlist is empty",
    "# only this\n": "1:1: the netlist is empty",
    "a: \x01": "1:4: the sign U+0001 may not stand in a YAML file",
    "a:\n\t- b": "2:1: not YAML",
    "a: [1, 2": "not YAML",
    "a: 'open": "not YAML",
    "a: b: c": "1:5: not YAML",
    "a: " + "9" * 5000: "1:4: found a number of 5000 digits",
    "a: 0x" + "f" * 5000: "1:4: found a number of 5002 digits",
}


@pytest.mark.parametrize("text", REFUSED)
def test_read_refuses(text: str) -> None:
    document = read_netlist(text, "f.yaml")
    assert REFUSED[text] in "\n".join(map(str, document.problems))
    assert all(str(problem).startswith("f.yaml:") for problem in document.problems)


def test_read_says_that_a_tab_is_one() -> None:
    assert "a tab stands here: indent with spaces" in str(read_netlist("a:\n\tb: 1").problems[0])


@pytest.mark.parametrize("sign", ["[", "{a: ", "- ", "[{a: ", "&x [", "!!seq ["])
def test_read_refuses_deep_nesting_before_it_costs(sign: str) -> None:
    text = sign * (10_000_000 // len(sign))
    document = read_netlist(text)
    assert len(document.problems) == 1
    assert "more than 60 levels of nesting" in document.problems[0].message


def test_read_refuses_deep_nesting_by_aliases() -> None:
    text = "a0: &a0 [1]\n" + "".join(f"a{k}: &a{k} [*a{k - 1}]\n" for k in range(1, 5000))
    assert "levels of nesting, counting what aliases stand for" in read_netlist(text).problems[0].message


def test_read_refuses_an_alias_bomb() -> None:
    nine = lambda k: ", ".join([f"*a{k}"] * 9)  # noqa: E731
    text = "a0: &a0 [x, x, x]\n" + "".join(f"a{k}: &a{k} [{nine(k - 1)}]\n" for k in range(1, 40))
    document = read_netlist(text)
    assert "entries, counting what aliases stand for" in document.problems[0].message


def test_read_shares_nothing_between_aliases() -> None:
    data = read_netlist("a: &x {m: 1}\nb: *x\n").data
    data["a"]["m"] = 2
    assert data["b"] == {"m": 1}


def test_read_lists_all_that_is_wrong() -> None:
    text = "a: 1\na: 2\nb: !x 3\n5: 6\nc: [1\n"
    assert [problem.mark.line for problem in read_netlist(text).problems if problem.mark] == [2, 3, 4, 6]


def test_mark_finds_values_and_names() -> None:
    document = read_netlist(
        "luff: 1\nblocks:\n  king:\n    mass: 10 t\n    at: [0, 0,\n      =l1]\n  a: {b: }\nconnect:\n- x -- y\n"
    )
    place = lambda path, key=False: tuple(document.mark(path, key) or ())[1:]  # noqa: E731
    assert place("blocks.king.mass") == (4, 11)
    assert place("blocks.king.mass", True) == (4, 5)
    assert place("blocks.king.at[2]") == (6, 7)
    assert place("blocks.king") == (3, 3)
    assert place("blocks.a.b") == (7, 7)
    assert place("connect[0]") == (9, 3)
    # what is not there is looked for where it would be
    assert place("blocks.king.com") == (3, 3)


def test_document_marks_agree_with_mark() -> None:
    document = read_netlist(
        "blocks:\n  king: {mass: 10 t, frames: {a: {at: [1, 2]}}}\n  b:\n    c: 1\nconnect: [x, y]\n"
    )
    marks = dict(document.marks())
    assert set(marks) >= {"blocks.king.frames.a.at", "blocks.b.c", "connect[1]"}
    assert all(document.mark(path) == mark for path, mark in marks.items())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a: 1\nb: \xff\xfe\n", ":2:4: found the byte 0xff, which is not UTF-8 text"),
        ("a: ü".encode("latin-1"), ":1:4: found the byte 0xfc"),
        ("a: 1".encode("utf-16"), ":1:1: found UTF-16 text, expected UTF-8"),
        (b"\x89HDF\r\n\x1a\n\0", r"an HDF5 file, expected a netlist .*Open Result"),
        (b"\x7fELF\x02\0\0", "not a text file, expected a netlist"),
    ],
)
def test_read_text_refuses_what_is_no_utf8_text(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(NetlistError, match=expected):
        read_text(path)


def test_read_text_suggests_a_neighbour(tmp_path: Path) -> None:
    (tmp_path / "crane.yaml").write_text("luff: 1")
    with pytest.raises(NetlistError, match=r'no file .*crane\.yml \(did you mean "crane\.yaml"'):
        read_text(tmp_path / "crane.yml")


def test_read_text_refuses_a_folder(tmp_path: Path) -> None:
    with pytest.raises(NetlistError, match="is a folder, expected a netlist"):
        read_text(tmp_path)


def test_read_value_reads_what_a_command_line_gives() -> None:
    assert read_value("[0, 0, 1]") == [0, 0, 1]
    assert read_value("9 t") == "9 t"
    assert read_value("true") is True
    assert read_value("[1, 2") == "[1, 2"


@given(st.text(max_size=60))
def test_read_never_fails_without_a_problem(text: str) -> None:
    document = read_netlist(text)
    assert document.problems or document.root is not None


structure = st.recursive(
    st.sampled_from(["1", "x", "'q'", "2 m", "=a*b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=10,
)


@given(structure)
def test_both_yaml_parsers_give_the_same_tree(data: Any) -> None:
    """libyaml where PyYAML has it, its pure Python twin elsewhere: the same values and the same places."""
    text = yaml.safe_dump({"r": data}, default_flow_style=None)
    fast, marks = read_netlist(text), dict(read_netlist(text).marks())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_reader, "_LOADER", yaml.SafeLoader)
        slow = read_netlist(text)
        assert same_data(slow.data, fast.data)
        assert dict(slow.marks()) == marks
