"""Variables of an FMU's modelDescription.xml; nothing of the FMU is run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import LuffError
from ..light_dataclass import record
from ..text.archives import ArchiveTooLarge, opened
from ..text.data_files import named_file
from ..text.safe_read import digest_of, read_once, shown

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

LARGEST = 50_000_000  # bytes of a description
# elements of a variable by what its values are
REALS = ("Real", "Float64")
INTEGERS = (
    "Integer",
    "Enumeration",
    "Int8",
    "UInt8",
    "Int16",
    "UInt16",
    "Int32",
    "UInt32",
    "Int64",
    "UInt64",
)
WIRED = ("input", "output")
MOST = 100_000  # elements of an array
KNOWN = (*REALS, "Float32", *INTEGERS, "Boolean")


def port_of(name: str) -> str:
    """The name of a variable as a port: `pin.effort` is pin_effort."""
    name = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "port"
    return name if not name[0].isdigit() else f"_{name}"


@record
class Variable:
    name: str
    reference: int
    kind: str  # name of its element
    causality: str
    variability: str
    unit: str
    start: float | None  # of all its elements, where they begin alike
    doc: str
    size: int = 1  # elements of an array, row after row

    @property
    def port(self) -> str:
        return port_of(self.name)


@record
class Rate:
    """A rate and the state that it belongs to."""

    reference: int
    state: Variable


@record
class Fmu:
    path: Path
    digest: str  # of all that it holds
    version: int  # 2 or 3
    token: str
    identifier: str  # of co-simulation, or of model exchange where it offers that alone
    variables: tuple[Variable, ...]
    unlike: tuple[str, ...] = ()  # names and kinds of inputs and outputs that no signal carries
    integrated: bool = False  # by its importer: it offers model exchange alone
    exchange: str = ""  # identifier of model exchange, where it offers that
    # of model exchange; FMI 2.0 has these numbers here, models of 3.0 tell theirs
    rates: tuple[Rate, ...] = ()
    indicators: int = 0
    completes: bool = False  # it wants to hear of each step
    derives: bool = False  # it provides directional derivatives

    def of(self, causality: str) -> list[Variable]:
        return [one for one in self.variables if one.causality == causality]


def find(folder: Path, name: str, files: tuple[Path, ...] = ()) -> Fmu:
    """An FMU that is named from `folder`, in which it lies, or in one of the folders `files`."""
    return read_once(_read_fmu, named_file(folder, name, files, "an FMU"), shown(name)).value


def _read_fmu(path: Path, name: str) -> Fmu:
    # few models hold an FMU, and all of them load this module
    import xml.etree.ElementTree as ET

    digest = digest_of(path)
    try:
        with opened(path) as archive:
            size = archive.getinfo("modelDescription.xml").file_size
            text = archive.read("modelDescription.xml") if size <= LARGEST else b""
    except ArchiveTooLarge as error:
        raise LuffError(f'"{name}" is not taken: {error}') from None
    except Exception:  # of zipfile and its ways of packing, over bytes that may be anything
        raise LuffError(f'"{name}" is not an FMU: it has no modelDescription.xml that can be read') from None
    if not text or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise LuffError(f'"{name}" is not an FMU: its description is too long, or has a document type')
    try:
        return _fmu(path, name, digest, ET.fromstring(text))
    except (ET.ParseError, ValueError, LookupError, TypeError) as error:
        raise LuffError(f'the modelDescription.xml of "{name}" cannot be read: {error}') from None


def _fmu(path: Path, name: str, digest: str, root: ET.Element) -> Fmu:
    version = root.get("fmiVersion", "")
    if version.partition(".")[0] not in ("2", "3"):
        raise LuffError(f'"{name}" has FMI {shown(version) or "without a version"}, expected 2 or 3')
    slave, model = root.find("CoSimulation"), root.find("ModelExchange")
    offered = slave if slave is not None else model
    if offered is None:
        raise LuffError(
            f'"{name}" offers neither co-simulation nor model exchange', fix="export it for co-simulation"
        )
    entries = root.findall("ModelVariables/*")
    sizes = {entry.get("valueReference", ""): entry.get("start", "") for entry in entries}
    read = [(entry, _variable(entry, sizes)) for entry in entries]
    says = model if model is not None else offered
    return Fmu(
        path,
        digest,
        int(version[0]),
        root.get("guid") or root.get("instantiationToken") or "",
        offered.get("modelIdentifier", ""),
        tuple(one for _, one in read if one is not None),
        tuple(_named(entry) for entry, one in read if one is None and entry.get("causality") in WIRED),
        slave is None,
        model.get("modelIdentifier", "") if model is not None else "",
        _rates(root, read),
        int(root.get("numberOfEventIndicators", "0")),
        says.get("needsCompletedIntegratorStep") == "true"
        if version[0] == "3"
        else says.get("completedIntegratorStepNotNeeded", "false") == "false",
        "true" in (says.get("providesDirectionalDerivative"), says.get("providesDirectionalDerivatives")),
    )


def _rates(root: ET.Element, read: Sequence[tuple[ET.Element, Variable | None]]) -> tuple[Rate, ...]:
    """Rates with their states: by the number of the variable in FMI 2.0, by its reference in 3.0."""
    third = {entry.get("valueReference", ""): (entry, one) for entry, one in read}
    second = {str(number): pair for number, pair in enumerate(read, 1)}
    found: list[Rate] = []
    for known, tag, key in (
        (second, "Derivatives/Unknown", "index"),
        (third, "ContinuousStateDerivative", "valueReference"),
    ):
        for unknown in root.findall(f"ModelStructure/{tag}"):
            entry, rate = known[unknown.get(key, "")]
            value = next((child for child in entry if child.tag in REALS), entry)
            state = known[value.get("derivative", "")][1]
            if rate is None or state is None:
                raise ValueError(f"{shown(entry.get('name', ''))} is no rate of a number")
            found.append(Rate(rate.reference, state))
    return tuple(found)


def _named(entry: ET.Element) -> str:
    """Name and type of a variable, `tick (Clock)`."""
    kind = entry[0].tag if entry.tag == "ScalarVariable" and len(entry) else entry.tag
    return f"{shown(entry.get('name', ''))} ({shown(kind)})"


def _variable(entry: ET.Element, sizes: Mapping[str, str]) -> Variable | None:
    """None for texts, binaries and clocks, which no signal carries, and for arrays without elements."""
    kind = entry.tag
    value = entry
    if kind == "ScalarVariable":
        value = next((child for child in entry if child.tag in KNOWN), entry)
        kind = value.tag
    size = _size(entry, sizes)
    if kind not in KNOWN or not size:
        return None
    starts = {_number(word) for word in (value.get("start") or "").split()}
    return Variable(
        entry.get("name", ""),
        int(entry.get("valueReference", "0")),
        kind,
        entry.get("causality", "local"),
        entry.get("variability", "continuous"),
        value.get("unit", ""),
        starts.pop() if len(starts) == 1 else None,
        entry.get("description", ""),
        size,
    )


def _number(word: str) -> float:
    return {"true": 1.0, "false": 0.0}[word] if word in ("true", "false") else float(word)


def _size(entry: ET.Element, sizes: Mapping[str, str]) -> int:
    """Elements of an array; a dimension is a number, or that of a structural parameter at the start."""
    size = 1
    for dimension in entry.findall("Dimension"):
        size *= int(dimension.get("start") or sizes[dimension.get("valueReference", "")])
    if not 0 <= size <= MOST:
        raise ValueError(f"{shown(entry.get('name', ''))} has {size} elements, expected at most {MOST}")
    return size
