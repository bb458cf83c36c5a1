"""Factors of a standard from a file: each number with its source, the whole with its edition.

Which numbers hold is the engineer's to say: luff claims conformity with no standard, and what it is given is printed
with where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.params import Integer, Names, Param, Scope, Struct, Text, fail
from ...blocks.text.data_files import named_file
from ..netlist import read_whole
from ..netlist.library_paths import LIBRARY, library_path
from ..studies.sections import MapOf, placed_in, read_record, records, words

Entry = TypeVar("Entry")
USUAL = LIBRARY / "factors" / "iso8686_1.yaml"


def _number(raw: object, scope: Scope, path: str) -> float:
    value = scope.number(raw, "")
    if not value > 0.0:
        raise fail(path, f"found {value:g}, expected > 0")
    return value


class HoistingClass(Struct):
    """Entry of `hoisting:`; constants of phi_2 = phi_2min + beta_2 v_h."""

    beta = Param(unit="s/m", ge=0, doc="beta_2")
    least = MapOf(_number, "a mapping from drive classes to phi_2min", doc="phi_2min by drive class")
    source = Names(follows=False, doc="keys of `sources:`")


class DriveClass(Struct):
    """Entry of `drives:`; the hoisting speed v_h that counts, as shares of two speeds."""

    of_speed = Param(0.0, ge=0, doc="of the steady hoisting speed")
    of_creep = Param(0.0, ge=0, doc="of the creep speed")
    source = Names(follows=False, doc="keys of `sources:`")


class StandardFactor(Struct):
    """Entry of `factors:`."""

    value = Param(gt=0, doc="the number")
    doc = Text("", doc="what it is for")
    source = Names(follows=False, doc="keys of `sources:`")


class PartialFactors(Struct):
    """Entry of `partial:`; partial factors gamma_p of a combination."""

    factors = MapOf(_number, "a mapping from loads to factors, {hoist_load: 1.34}", doc="gamma_p by load")
    source = Names(follows=False, doc="keys of `sources:`")


class FactorFile(Struct):
    """A whole file of factors."""

    luff = Integer(ge=1, le=1, doc="version of the format")
    name = Text(doc="the standard")
    edition = Text(doc="its edition")
    check = Text("compare each number with the edition that you work with", doc="what the reader has to do")
    sources = MapOf(
        words, "a mapping from keys to where numbers come from", doc="where numbers come from, by key"
    )
    hoisting = records(HoistingClass, {}, doc="constants of phi_2 by hoisting class")
    drives = records(DriveClass, {}, doc="hoisting speeds that count, by drive class")
    factors = records(StandardFactor, {}, doc="further factors by name")
    partial = records(PartialFactors, {}, doc="partial factors by combination")
    left_out = Names((), follows=False, doc="what the file does not have")


@dataclass(frozen=True)
class Sourced:
    """A number, and where it comes from."""

    value: float
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Standard:
    """Factors of a standard; what is not in its file is a LuffError that says so."""

    file: FactorFile
    text: str  # of the file

    def title(self) -> str:
        """Standard, edition, and that it has to be checked."""
        return f"{self.file.name} ({self.file.edition}): {self.file.check}"

    def phi_2(self, hoisting_class: str, drive_class: str) -> tuple[float, Sourced]:
        """phi_2min, and beta_2 [s/m] with the sources of both."""
        one = self._of(self.file.hoisting, hoisting_class, "hoisting")
        least = self._of(one.least, drive_class, f"hoisting.{hoisting_class}.least")
        return least, Sourced(one.beta, self._sources(one))

    def hoisting_speed(self, drive_class: str, speed: float, creep: float) -> Sourced:
        """v_h [m/s] that counts for combinations A and B."""
        one = self._of(self.file.drives, drive_class, "drives")
        return Sourced(one.of_speed * speed + one.of_creep * creep, self._sources(one))

    def factor(self, name: str) -> Sourced:
        one = self._of(self.file.factors, name, "factors")
        return Sourced(one.value, self._sources(one))

    def partial(self, combination: str, load: str) -> Sourced:
        """gamma_p of a load in a combination."""
        one = self._of(self.file.partial, combination, "partial")
        return Sourced(self._of(one.factors, load, f"partial.{combination}"), self._sources(one))

    def _of(self, entries: Mapping[str, Entry], key: str, where: str) -> Entry:
        if key not in entries:
            fix = did_you_mean(key, entries) or "add it to a file of your own, with its source"
            raise LuffError(Problem(f'{self.file.name}: found no "{key}" in {where}', fix=fix))
        return entries[key]

    def _sources(self, one: HoistingClass | DriveClass | StandardFactor | PartialFactors) -> tuple[str, ...]:
        return tuple(self.file.sources[key] for key in one.source)


@cache
def usual_standard() -> Standard:
    """Factors that come with luff."""
    return read_factors(USUAL)


def standard_named(name: str, folder: Path, files: Iterable[Path] = ()) -> Standard:
    """Factors of a file that is named from a folder; those that come with luff where none is named."""
    if not name:
        return usual_standard()
    named = str(library_path(name, folder))
    try:
        path = named_file(folder, named, (LIBRARY, *files), "a file of factors", "assessment")
    except LuffError as error:
        raise LuffError(problem.at(path="standard") for problem in error.problems) from None
    return read_factors(path)


def read_factors(path: Path) -> Standard:
    """Read a file of factors, with every mistake at its place."""
    document = read_whole(path)
    with placed_in(document):
        if not isinstance(document.data, dict):
            raise LuffError(Problem("found no entries, expected `luff: 1`, `name:`, `edition:`, `sources:`"))
        file = read_record(FactorFile, document.data, "a file of factors")
        for kind in ("hoisting", "drives", "factors", "partial"):
            for name, one in getattr(file, kind).items():
                _check_sources(f"{kind}.{name}", one.source, file.sources)
    return Standard(file, document.text)


def _check_sources(path: str, keys: Iterable[str], known: dict[str, str]) -> None:
    if not keys:
        raise LuffError(Problem("found no source", path, "say where the numbers come from"))
    for key in keys:
        if key not in known:
            fix = did_you_mean(key, known)
            raise LuffError(Problem(f'found no source "{key}"', f"{path}.source", fix))
