"""What `docs/versions.md` promises of netlists with `luff: 1`, and says of licences.

`python -m luff.tests.test_public_api` writes the list anew: when the format is given another number, or before a
release.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import luff
from luff.blocks import LuffError
from luff.solver.diagram.block_reference import describe_block, families, param_rows

ROOT = Path(luff.__file__).resolve().parent
LIST = ROOT / "tests" / "data" / "luff_1.txt"


def promised() -> Iterator[str]:
    """Every name that a netlist may use, with what it stands for where it is left out."""
    for type_name in sorted(name for members in families().values() for name in members):
        about = describe_block(type_name)
        for port in about["ports"]:
            yield f"{type_name} . {port['name']} {port['direction'] or port['kind']}"
        for name, default, unit, *_ in param_rows(about["parameters"]):
            yield f"{type_name} : {name} = {default} [{unit}]"


def test_blocks_keep_names_and_defaults() -> None:
    gone = set(LIST.read_text("utf-8").splitlines()) - set(promised())
    assert not gone, "netlists of `luff: 1` may say so: " + "; ".join(sorted(gone))


def test_what_is_new_has_a_default() -> None:
    """Of a block or a group that was there, a parameter that must be given would break every netlist with it."""
    kept = set(LIST.read_text("utf-8").splitlines())
    known = {group_of(line) for line in kept}
    new = [line for line in promised() if line not in kept and group_of(line) in known]
    assert not [line for line in new if "= required" in line]


def group_of(line: str) -> str:
    """The block, or the group of parameters in it."""
    block, _, name = line.split()[:3]
    return f"{block}.{name.rpartition('.')[0]}"


def test_newer_format_is_refused_with_what_to_do() -> None:
    with pytest.raises(LuffError, match="install a newer luff"):
        luff.loads("luff: 2\nblocks: {c: {type: constant}}\n")


def test_licences_name_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = dict.fromkeys(map(_name, project["dependencies"]), "always")
    wanted |= {_name(one): f"`{extra}`" for extra, asked in extras.items() if extra != "dev" for one in asked}
    text = (ROOT / "docs" / "versions.md").read_text("utf-8")
    assert dict(re.findall(r"^\| ([\w.-]+) \| .+ \| (always|`\w+`) \|$", text, re.MULTILINE)) == wanted


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement)[0]


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in promised()), "utf-8")
