"""An edit changes the lines of what was edited and no other; every document survives being written and read."""

import difflib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from luff.solver.netlist import read_netlist, same_data, yaml_writer
from luff.solver.netlist.text_patch import _Patch, patched_text

TEXT = """\
# a crane
luff: 1
name: crane   # its name
parameters:
  l1: 6 m   # length
blocks:
  # turns everything
  slew:  {type: revolute, axis: z, initial: {position: 30 deg}}

  king:
    type: rigid_link   # a link
    mass: 10 t         # heavy
    com: [0, 0, =d1]
  last: {type: gain}   # the end
connect:
  # wires
  - a.b -- c.d  # first
  - c.d -- e.f
  - 'g.h -> i.j[0]'
plots:
- title: "Slew"
  y: [slew.position]
- {title: Luff, y: [x.y]}
doc: |
  two
  lines

layout: {king: [120, 40]}
"""


def changed(text: str, edit: Callable[[Any], Any]) -> list[str]:
    """The lines that an edit removes (-) and adds (+)."""
    document = read_netlist(text)
    data = document.data
    edit(data)
    new = patched_text(document, data)
    assert same_data(read_netlist(new).data, data)
    lines = difflib.ndiff(text.splitlines(), new.splitlines())
    return [line[0] + line[2:] for line in lines if line[0] in "+-"]


def put(*path: Any) -> Callable[[Any], Any]:
    """Set an entry: put("a", "b", value)."""

    def edit(data: Any) -> None:
        for step in path[:-2]:
            data = data[step]
        data[path[-2]] = path[-1]

    return edit


def drop(*path: Any) -> Callable[[Any], Any]:
    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        del data[path[-1]]

    return edit


CASES: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "a value keeps its comment": (
        put("blocks", "king", "mass", "9 t"),
        ["-    mass: 10 t         # heavy", "+    mass: 9 t         # heavy"],
    ),
    "one number in brackets": (
        put("blocks", "king", "com", 1, 1.5),
        ["-    com: [0, 0, =d1]", "+    com: [0, 1.5, =d1]"],
    ),
    "an entry more in brackets": (
        put("blocks", "last", "k", 2),
        ["-  last: {type: gain}   # the end", "+  last: {type: gain, k: 2}   # the end"],
    ),
    "an entry less in brackets": (
        drop("blocks", "slew", "axis"),
        [
            "-  slew:  {type: revolute, axis: z, initial: {position: 30 deg}}",
            "+  slew:  {type: revolute, initial: {position: 30 deg}}",
        ],
    ),
    "a new block": (
        put("blocks", "new", {"type": "gain", "k": 1e-5}),
        ["+  new: {type: gain, k: 1.0e-05}"],
    ),
    "a long new block": (
        put("blocks", "new", {"type": "sum", "signs": "+" * 60, "unit": "N*m", "doc": "x" * 20}),
        ["+  new:", "+    type: sum", f"+    signs: {'+' * 60}", "+    unit: N*m", f"+    doc: {'x' * 20}"],
    ),
    "a block less": (
        drop("blocks", "king"),
        [
            "-  king:",
            "-    type: rigid_link   # a link",
            "-    mass: 10 t         # heavy",
            "-    com: [0, 0, =d1]",
        ],
    ),
    "a wire less": (drop("connect", 0), ["-  - a.b -- c.d  # first"]),
    "a wire in the middle": (lambda data: data["connect"].insert(1, "q.r -- s.t"), ["+  - q.r -- s.t"]),
    "a wire first": (lambda data: data["connect"].insert(0, "q.r -- s.t"), ["+  - q.r -- s.t"]),
    "quotes stay": (
        put("connect", 2, "x.y -> z.w[1]"),
        ["-  - 'g.h -> i.j[0]'", "+  - 'x.y -> z.w[1]'"],
    ),
    "a compact item": (put("plots", 0, "title", "S"), ['-- title: "Slew"', '+- title: "S"']),
    "an entry in a compact item": (put("plots", 0, "x", "a.b"), ["+  x: a.b"]),
    "a place on the canvas": (
        put("layout", "king", [130, 40]),
        ["-layout: {king: [120, 40]}", "+layout: {king: [130, 40]}"],
    ),
    "a text of several lines": (
        put("doc", "new\nlines\n"),
        ["-  two", "+  new"],
    ),
    "a section more": (put("record", ["*"]), ["+record: ['*']".replace("'", '"')]),
    "nothing left": (
        put("connect", []),
        ["-connect:", "+connect: []", "-  - a.b -- c.d  # first", "-  - c.d -- e.f", "-  - 'g.h -> i.j[0]'"],
    ),
    "a scalar becomes a mapping": (
        put("blocks", "king", "mass", {"a": 1}),
        ["-    mass: 10 t         # heavy", "+    mass: {a: 1}         # heavy"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_patched_changes_only_the_lines_of_the_edit(name: str) -> None:
    edit, expected = CASES[name]
    assert sorted(changed(TEXT, edit)) == sorted(expected)


def test_patched_renames_a_key_in_its_place() -> None:
    def rename(data: Any) -> None:
        data["blocks"] = {("boom" if key == "king" else key): value for key, value in data["blocks"].items()}

    assert changed(TEXT, rename) == ["-  king:", "+  boom:"]


def test_patched_keeps_windows_line_ends() -> None:
    text = TEXT.replace("\n", "\r\n")
    document = read_netlist(text)
    data = document.data
    data["blocks"]["new"] = {"type": "gain"}
    del data["connect"][0]
    data["doc"] = "other\nlines"
    new = patched_text(document, data)
    assert new.count("\n") == new.count("\r\n")
    assert same_data(read_netlist(new).data, data)


def test_patched_writes_an_alias_out_when_its_anchor_changes() -> None:
    text = "luff: 1\na: &x {m: 1, k: 2}\nb: *x\nc: *x\n"
    document = read_netlist(text)
    data = document.data
    data["a"]["m"] = 5
    new = patched_text(document, data)
    assert same_data(read_netlist(new).data, data)
    assert new.startswith("luff: 1\na: &x {m: 5, k: 2}\n")


def test_patched_keeps_an_alias_while_its_anchor_stands() -> None:
    document = read_netlist("luff: 1\na: &x {m: 1, k: 2}\nb: *x\n")
    data = document.data
    data["luff"] = 2
    assert patched_text(document, data) == "luff: 2\na: &x {m: 1, k: 2}\nb: *x\n"


def test_patched_without_a_line_end_at_the_end() -> None:
    assert changed("luff: 1\na:\n  b: 1", put("a", "c", 2)) == ["+  c: 2"]
    assert changed("luff: 1\na: 1\nb: 2", drop("b")) == ["-b: 2"]


names = st.text("abcxyz_", min_size=1, max_size=4)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["1", "1e5", "on", "~", "a: b", "- x", "#", "x #y", "=l/2", "6 m", "1:30", "a\nb", "|", "'", '"']
    ),
    st.sampled_from(
        ["null", "0x1F", ".inf", "two\nlines\n", " lead", "trail ", "\ttab", "a.b -- c.d", "[", "*", "&a"]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(names, values, min_size=1, max_size=5)


def encodable(raw: Any) -> bool:
    try:
        repr(raw).encode()
        "".join(map(str, _texts(raw))).encode()
    except UnicodeEncodeError:
        return False
    return True


def _texts(raw: Any) -> list[Any]:
    if isinstance(raw, dict):
        return [text for item in raw.items() for part in item for text in _texts(part)]
    return [text for part in raw for text in _texts(part)] if isinstance(raw, list) else [raw]


@given(documents.filter(encodable))
def test_document_written_reads_back_equal(data: dict[str, Any]) -> None:
    document = read_netlist(yaml_writer.document(data))
    assert not document.problems
    # a new document puts the sections into their order
    assert same_data({key: document.data[key] for key in data}, data)


@given(documents.filter(encodable), documents.filter(encodable))
def test_patched_says_what_is_wanted_from_any_start(old: dict[str, Any], new: dict[str, Any]) -> None:
    document = read_netlist(yaml_writer.document(old))
    assert same_data(read_netlist(patched_text(document, new)).data, new)
    assert patched_text(document, document.data) == document.text


LONG = list(range(40))  # too much for one line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"x": {"a": {"b": LONG, "c": 2}}, "y": 3}, {"x": {"a": None, "d": 4}, "y": 3}),
        ({"x": [[1, {"a": 2, "b": 3, "c": LONG}]]}, {"x": [[1], 4]}),
        ({"x": {"a": {"b": LONG}}, "y": 3}, {"x": {"a": {"b": LONG, "c": 2}, "d": 4}, "y": 3}),
    ],
    ids=["a block becomes a word", "the last of a list goes", "both grow"],
)
def test_what_follows_an_entry_that_changes_at_its_end(before: dict[str, Any], after: dict[str, Any]) -> None:
    text = _Patch(read_netlist(yaml_writer.document(before)), 99, False).apply(after)
    assert text is not None
    assert same_data(read_netlist(text).data, after)


@given(st.data())
def test_one_change_needs_no_fallback(data: st.DataObject) -> None:
    """Splicing entry by entry is enough for a single change anywhere."""
    raw = data.draw(documents.filter(encodable))
    document = read_netlist(yaml_writer.document(raw))
    wanted = document.data
    place: Any = wanted
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        below = place[key]
        if not isinstance(below, dict | list) or not below or data.draw(st.booleans()):
            break
        place = below
    place[key] = data.draw(values.filter(encodable))
    text = _Patch(document, 99, False).apply(wanted)
    assert text is not None
    assert same_data(read_netlist(text).data, wanted)


@given(documents.filter(encodable), documents.filter(encodable), st.data())
def test_patched_copes_with_text_written_by_others(old: Any, new: Any, data: st.DataObject) -> None:
    text = yaml.safe_dump(
        old,
        default_flow_style=data.draw(st.sampled_from([None, True, False])),
        indent=data.draw(st.sampled_from([2, 4, 7])),
        width=data.draw(st.sampled_from([10, 80])),
        allow_unicode=data.draw(st.booleans()),
        line_break=data.draw(st.sampled_from(["\n", "\r\n"])),
    )
    document = read_netlist(text)
    if not document.problems:
        assert same_data(read_netlist(patched_text(document, new)).data, new)
        assert isinstance(document.data, dict)
        merged = {**document.data, **new}
        assert same_data(read_netlist(patched_text(document, merged)).data, merged)


@pytest.mark.parametrize(
    "text", ["?0", ":a", "- a", "a #b", "a: b", "on", "1", "1e5", "", " a", "a,b", "[x]", "*a", "%"]
)
def test_texts_that_need_quotes_get_them(text: str) -> None:
    assert yaml_writer.flow([text])[1] in "'\""


@pytest.mark.parametrize(
    "text", ["=l1/2", "6 m", "-9.81 m/s^2", "-x", "y", "./boom.yaml", "10 kN/m", "slew.position"]
)
def test_texts_that_need_no_quotes_get_none(text: str) -> None:
    assert yaml_writer.flow([text]) == f"[{text}]"
