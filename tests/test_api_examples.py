"""Public names of luff: docstrings with numpydoc sections that hold what the signature says, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import luff

from .conftest import hours_as_plain_python

ROOT = Path(luff.__file__).resolve().parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
OBJECTS = {name: getattr(luff, name) for name in luff.__all__}
SECTIONS = ("Parameters", "Returns", "Raises", "Examples")


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public functions, and methods of public classes."""
    for name, thing in OBJECTS.items():
        if inspect.isfunction(thing):
            yield name, thing
        for owner in inspect.getmro(thing) if inspect.isclass(thing) else ():
            for key, member in vars(owner).items():
                method = getattr(member, "__func__", member)  # of a class method
                if owner.__module__.startswith("luff") and key[0] != "_" and inspect.isfunction(method):
                    yield f"{owner.__name__}.{key}", method


def sections(text: str) -> dict[str, str]:
    """Bodies of the numpydoc sections, by their titles."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


FUNCTIONS = dict(functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_has_each_parameter_and_what_is_returned(name: str) -> None:
    function = FUNCTIONS[name]
    text = inspect.getdoc(function) or ""
    assert text, "has no docstring"
    found = sections(text)
    assert [title for title in SECTIONS if title in found] == [*found], "sections in numpydoc's order"
    heads = re.findall(r"^(\S[^:\n]*?)(?: :.*)?$", found.get("Parameters", ""), re.MULTILINE)
    told = [one.strip().lstrip("*") for head in heads for one in head.split(",")]
    taken = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
    assert told == taken
    silent = inspect.signature(function).return_annotation in ("None", inspect.Signature.empty)
    assert silent or "Returns" in found


def test_rules_of_docstrings_cover_the_modules_of_public_names() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    ((kept, left),) = rules["per-file-ignores"].items()
    owners = [owner for thing in OBJECTS.values() for owner in getattr(thing, "__mro__", [thing])]
    names = {inspect.getmodule(owner).__name__ for owner in owners}
    files = {Path(sys.modules[name].__file__).resolve() for name in names if name.startswith("luff.")}
    assert left == ["D"]
    assert {*kept.strip("!{}").split(",")} == {file.relative_to(ROOT).as_posix() for file in files}


@hours_as_plain_python
@pytest.mark.usefixtures("methods")
@pytest.mark.parametrize("name", OBJECTS)
def test_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(OBJECTS[name]) or ""
    example = sections(text).get("Examples", "")
    elsewhere = re.fullmatch(r"\s*See `luff\.(\w+)`\.\s*", example)
    assert (elsewhere is not None and elsewhere[1] in OBJECTS) or ">>> import luff" in example
    test = doctest.DocTestParser().get_doctest(text, {}, f"luff.{name}", None, 0)
    lines: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=lines.append)
    assert not lines, "".join(lines)
    assert not os.listdir(tmp_path), "an example leaves files behind"
