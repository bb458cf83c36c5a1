"""What an FMU says of itself: the variables of its modelDescription.xml. Nothing of the FMU is run for it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import dataclass
from pathlib import Path

from ..errors import LuffError
from ..text.files import named_file
from ..text.reading import digest_of, read_once, shown

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
KNOWN = (*REALS, "Float32", *INTEGERS, "Boolean")


@dataclass(frozen=True)
class Variable:
    name: str
    reference: int
    kind: str  # name of its element
    causality: str
    variability: str
    unit: str
    start: float | None
    doc: str

    @property
    def port(self) -> str:
        """Its name as a port: `pin.effort` is pin_effort."""
        name = re.sub(r"\W+", "_", self.name, flags=re.ASCII).strip("_") or "port"
        return name if not name[0].isdigit() else f"_{name}"


@dataclass(frozen=True)
class Fmu:
    path: Path
    digest: str  # of all that it holds
    version: int  # 2 or 3
    token: str
    identifier: str  # of co-simulation, or of model exchange where it offers that alone
    variables: tuple[Variable, ...]
    integrated: bool = False  # by its importer: it offers model exchange alone
    # of model exchange; numbers of FMI 2.0, models of 3.0 tell theirs
    states: int = 0
    indicators: int = 0
    completes: bool = False  # it wants to hear of each step

    def of(self, causality: str) -> list[Variable]:
        return [one for one in self.variables if one.causality == causality]


def find(folder: Path, name: str, files: tuple[Path, ...] = ()) -> Fmu:
    """An FMU that is named from `folder`, in which it lies, or in one of the folders `files`."""
    return read_once(_read, named_file(folder, name, files, "an FMU"), shown(name)).value


def _read(path: Path, name: str) -> Fmu:
    digest = digest_of(path)
    try:
        with zipfile.ZipFile(path) as archive:
            size = archive.getinfo("modelDescription.xml").file_size
            text = archive.read("modelDescription.xml") if size <= LARGEST else b""
    except Exception:  # of zipfile and its ways of packing, over bytes that may be anything
        raise LuffError(f'"{name}" is no FMU: it has no modelDescription.xml that can be read') from None
    if not text or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise LuffError(f'"{name}" is no FMU: its description is too long, or has a document type')
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
    group = root.find("ModelVariables")
    variables = (
        [] if group is None else [variable for entry in group if (variable := _variable(entry)) is not None]
    )
    return Fmu(
        path,
        digest,
        int(version[0]),
        root.get("guid") or root.get("instantiationToken") or "",
        offered.get("modelIdentifier", ""),
        tuple(variables),
        slave is None,
        len(root.findall("ModelStructure/Derivatives/Unknown")),
        int(root.get("numberOfEventIndicators", "0")),
        offered.get("needsCompletedIntegratorStep") == "true"
        if version[0] == "3"
        else offered.get("completedIntegratorStepNotNeeded", "false") == "false",
    )


def _variable(entry: ET.Element) -> Variable | None:
    """None for texts, binaries, clocks and arrays, which no signal carries."""
    kind = entry.tag
    value = entry
    if kind == "ScalarVariable":
        value = next((child for child in entry if child.tag in KNOWN), entry)
        kind = value.tag
    if kind not in KNOWN or entry.find("Dimension") is not None:
        return None
    start = value.get("start")
    return Variable(
        entry.get("name", ""),
        int(entry.get("valueReference", "0")),
        kind,
        entry.get("causality", "local"),
        entry.get("variability", "continuous"),
        value.get("unit", ""),
        None
        if start is None
        else {"true": 1.0, "false": 0.0}.get(start) or float(start.replace("false", "0")),
        entry.get("description", ""),
    )
