"""`record` against `dataclass(frozen=True)`, of which it is a cheaper form."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from inspect import signature
from typing import Any

import pytest

from luff.blocks import multibody_parts
from luff.blocks.light_dataclass import mutable, record


def declared(decorator: Any) -> Any:
    class Pair:
        first: int
        second: tuple[float, ...] = (1.0, 2.0)
        note: list[int] = field(default_factory=list, compare=False)

    Pair.__qualname__ = "Pair"
    return decorator(Pair)


SLOW, FAST = declared(dataclass(frozen=True)), declared(record)


@pytest.mark.parametrize("cls", [SLOW, FAST])
def test_record_is_made_compared_hashed_and_shown_as_a_dataclass(cls: Any) -> None:
    one, same, other = cls(1), cls(first=1, note=[3]), cls(1, (2.0,))
    assert (one == same, one == other, one == (1, (1.0, 2.0))) == (True, False, False)
    assert hash(one) == hash(same) == hash((1, (1.0, 2.0)))
    assert repr(other) == "Pair(first=1, second=(2.0,), note=[])"
    assert replace(one, first=2) == cls(2)
    assert [each.name for each in fields(one)] == ["first", "second", "note"]
    assert one != (SLOW if cls is FAST else FAST)(1)


def test_mutable_is_set_and_made_as_a_dataclass_and_has_no_hash() -> None:
    for cls in (declared(dataclass), declared(mutable)):
        one = cls(1)
        one.first = 2
        assert one == cls(2) != cls(1)
        assert one.note is not cls(2).note
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)
        with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'first'"):
            cls()


def test_what_a_class_does_behind_its_init_is_done_for_subclasses_too() -> None:
    @record
    class Whole:
        part: int

        def __post_init__(self) -> None:
            if self.part < 0:
                raise ValueError(self.part)

    @record
    class Named(Whole):
        name: str = "none"

    assert (Named(1).name, Whole(2).part, Named(3, "a").part) == ("none", 2, 3)
    with pytest.raises(ValueError, match="-1"):
        Named(-1)


def test_fields_that_nobody_gives_are_set_and_not_asked_for() -> None:
    @mutable
    class Text:
        letters: str
        seen: list[int] | None = field(default=None, init=False)
        lines: list[str] = field(default_factory=list, init=False)
        size: int = field(init=False)

        def __post_init__(self) -> None:
            self.size = len(self.letters)

    one = Text("abc")
    assert (one.seen, one.lines, one.size) == (None, [], 3)
    assert [*signature(Text).parameters] == ["letters"]
    assert one.lines is not Text("abc").lines


def test_fields_are_known_and_compared_before_an_object_is_made() -> None:
    """As of one that comes from another process, whose `__init__` runs here never."""
    cls = declared(record)
    assert [one.name for one in fields(cls)] == ["first", "second", "note"]
    made = declared(record)
    one, same = made.__new__(made), made.__new__(made)
    for each in (one, same):
        each.__dict__ |= {"first": 1, "second": (), "note": []}
    assert one == same
    assert replace(one, first=2).first == 2


def test_methods_that_a_class_has_itself_stay() -> None:
    @record
    class Name:
        word: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Name) and self.word.lower() == other.word.lower()

        def __hash__(self) -> int:
            return hash(self.word.lower())

        def __repr__(self) -> str:
            return f"<{self.word}>"

    assert {Name("A"), Name("a")} == {Name("a")}
    assert repr(Name("A")) == "<A>"


def test_parts_with_other_content_differ() -> None:
    """Whether the parts of a block are as they were decides whether a live parameter needs a new program."""
    assert (
        multibody_parts.Limits(0.0, 1.0)
        == multibody_parts.Limits(0.0, 1.0)
        != multibody_parts.Limits(0.0, 2.0)
    )
    assert multibody_parts.StoredEnergy() != multibody_parts.EnergySensor()
    with pytest.raises(FrozenInstanceError):
        SLOW(1).first = 2  # a record leaves that to type checkers
