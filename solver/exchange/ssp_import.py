"""Systems of FMUs (System Structure and Parameterization 1.0) as netlists: a block `fmu` for each component.

Systems inside of systems are taken apart; their connectors are followed to the components. Nothing of an FMU is run.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import yaml

from ...blocks.errors import LuffError
from ...blocks.foreign.fmu_description import port_of
from ...blocks.text.archives import opened
from ...blocks.text.safe_read import shown
from .located_xml import Element, parse
from .robot_tree import ImportNote
from .ssp_export import STRUCTURE, in_archive
from .unique_names import UniqueNames, printable_text

FMU = "application/x-fmu-sharedlibrary"
STEP = "10 ms"  # SSP says none
End = tuple[
    tuple[str, ...], str
]  # of a connection: names of the systems down to an element, and its connector


@dataclass
class SspWire:
    """Source of an input, with factor and offset on the way."""

    start: End
    factor: float = 1.0
    offset: float = 0.0


@dataclass
class SspPackage:
    """A system under way to a netlist."""

    archive: zipfile.ZipFile
    file: str
    notes: list[ImportNote] = field(default_factory=list)
    components: dict[tuple[str, ...], Element] = field(default_factory=dict)
    wires: dict[End, SspWire] = field(default_factory=dict)  # by their end
    values: dict[tuple[str, ...], dict[str, float]] = field(
        default_factory=dict
    )  # of components, at the start

    def content(self, name: str) -> bytes:
        try:
            return self.archive.read(name)
        except Exception:  # of zipfile and its ways of packing, over bytes that may be anything
            raise LuffError(f"{shown(name)} cannot be read out of it", path=self.file) from None

    def note(self, what: str, why: str, name: str) -> None:
        self.notes.append(ImportNote(what, why, shown(name)))


def read_ssp(path: Path, folder: str) -> tuple[str, list[ImportNote], dict[str, bytes]]:
    """The netlist, what it does not say as the source does, and the FMUs, which it looks for in `folder`."""
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(opened(path))
        except (OSError, zipfile.BadZipFile):
            raise LuffError("not an SSP: it is not an archive that can be read", path=str(path)) from None
        package = SspPackage(archive, str(path))
        root = parse(package.content(STRUCTURE), f"{path}:{STRUCTURE}")
        _without_prefixes(root)
        if not root.get("version").startswith("1."):
            raise root.fail(f'version: found "{root.get("version")}", expected 1.0')
        system = root.first("System")
        if system is None:
            raise root.fail("has no System")
        _walk(package, system, ())
        files = _files(package, folder)
        data = _netlist(package, root, system, files)
        contents = {name: package.content(source) for source, name in files.items()}
    head = "".join(f"# {printable_text(line)}\n" for line in (f"from {path.name}",))
    return (
        head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120),
        package.notes,
        contents,
    )


def _without_prefixes(element: Element) -> None:
    element.tag = element.tag.rpartition(":")[2]
    for child in element.children:
        _without_prefixes(child)


# --- the structure ----------------------------------------------------------------------------------------------------


def _walk(package: SspPackage, system: Element, path: tuple[str, ...]) -> None:
    for group in system.all("Elements"):
        for child in group.children:
            _element(package, child, (*path, child.required("name")))
    for group in system.all("Connections"):
        for one in group.all("Connection"):
            _connection(package, one, path)
    _bindings(package, system, path)


def _element(package: SspPackage, element: Element, own: tuple[str, ...]) -> None:
    if element.tag == "System":
        _walk(package, element, own)
    elif element.tag == "Component" and element.get("type", FMU) == FMU:
        package.components[own] = element
        _bindings(package, element, own)
    else:
        package.note(element.tag, "is not an FMU", ".".join(own))


def _connection(package: SspPackage, one: Element, path: tuple[str, ...]) -> None:
    ends = []
    for side in ("start", "end"):
        element = one.get(f"{side}Element")
        ends.append(((*path, element) if element else path, one.required(f"{side}Connector")))
    wire = SspWire(ends[0])
    for child in one.children:
        if child.tag == "LinearTransformation":
            wire.factor, wire.offset = child.number("factor", 1.0), child.number("offset")
        elif child.tag.endswith("Transformation"):
            package.note(
                child.tag, "a signal of luff is a number as it is", ".".join((*ends[1][0], ends[1][1]))
            )
    package.wires[ends[1]] = wire


def _bindings(package: SspPackage, element: Element, path: tuple[str, ...]) -> None:
    """Values, given here or in a file of the archive; a name is a variable's, behind those of elements."""
    for group in element.all("ParameterBindings"):
        for binding in group.all("ParameterBinding"):
            if binding.first("ParameterMapping") is not None:
                package.note("ParameterMapping", "its values are taken as they are named", ".".join(path))
            for name, value in _parameters(package, binding):
                _give(package, path, binding.get("prefix") + name, value)


def _parameters(package: SspPackage, binding: Element) -> Iterator[tuple[str, float]]:
    held = binding
    if binding.get("source"):
        source = in_archive(binding.get("source"))
        held = parse(package.content(source), f"{package.file}:{source}")
        _without_prefixes(held)
    for parameter in _all(held, "Parameter"):
        for kind in parameter.children:
            if kind.tag in ("Real", "Integer", "Enumeration", "Boolean") and kind.get("value"):
                words = {"true": 1.0, "false": 0.0}
                text = kind.get("value")
                yield parameter.required("name"), words[text] if text in words else kind.number("value")
            else:
                package.note(f"value ({kind.tag})", "a value of luff is a number", parameter.name)


def _all(element: Element, tag: str) -> Iterator[Element]:
    for child in element.children:
        if child.tag == tag:
            yield child
        else:
            yield from _all(child, tag)


def _give(package: SspPackage, path: tuple[str, ...], name: str, value: float) -> None:
    """Set a start value; values of outer systems come later and win."""
    if path in package.components:
        package.values.setdefault(path, {})[name] = value
        return
    fits = [own for own in package.components if name.startswith(".".join(own[len(path) :]) + ".")]
    fits = [own for own in fits if own[: len(path)] == path]
    if not fits:
        package.note("value", "no component has such a variable", ".".join((*path, name)))
        return
    own = max(fits, key=len)
    package.values.setdefault(own, {})[name.removeprefix(".".join(own[len(path) :]) + ".")] = value


def _origin(package: SspPackage, end: End) -> SspWire | None:
    """Source of an input through systems in between: an output of a component, or an input of the whole."""
    factor, offset = 1.0, 0.0
    for _ in range(len(package.wires) + 1):
        wire = package.wires.get(end)
        if wire is None:
            return None
        # what was collected so far acts behind this wire
        factor, offset = factor * wire.factor, factor * wire.offset + offset
        end = wire.start
        if end[0] in package.components or not end[0]:
            return SspWire(end, factor, offset)
    raise LuffError(f"connections go in a circle at {shown(end[1])}", path=package.file)


# --- the netlist ------------------------------------------------------------------------------------------------------


def _files(package: SspPackage, folder: str) -> dict[str, str]:
    """Names of the FMUs' files, by their places in the archive."""
    names, files = UniqueNames(), {}
    for element in package.components.values():
        source = in_archive(element.required("source"))
        if not source or not source.lower().endswith(".fmu"):
            fix = "expected an .fmu inside of the archive"
            raise element.fail(f'source: found "{element.get("source")}"', fix)
        if source not in files:
            files[source] = f"{folder}/{names.take(PurePosixPath(source).stem)}.fmu"
    return files


class SspWiring:
    """Blocks and connections of the netlist that is being made."""

    def __init__(self, package: SspPackage, files: dict[str, str]):
        self.package, self.names = package, UniqueNames()
        self.called = {own: self.names.take("_".join(own)) for own in package.components}
        self.connect: list[str] = []
        self.blocks: dict[str, dict[str, object]] = {}
        for own, element in package.components.items():
            block: dict[str, object] = {"type": "fmu", "file": files[in_archive(element.required("source"))]}
            block["step"] = STEP
            if own in package.values:
                block["start"] = [
                    {"name": name, "value": value} for name, value in package.values[own].items()
                ]
            self.blocks[self.called[own]] = block

    def fed(self, end: End, name: str) -> str:
        """The signal that feeds an input, by way of a block where it is changed; empty where none does."""
        wire = _origin(self.package, end)
        if wire is None:
            return ""
        own, connector = wire.start
        start = f"{self.called[own] if own else 'inputs'}.{port_of(connector)}"
        if (wire.factor, wire.offset) == (1.0, 0.0):
            return start
        between = self.names.take(name)
        expr = f"{wire.factor!r}*u + {wire.offset!r}"
        self.blocks[between] = {"type": "expression", "inputs": ["u"], "expr": expr}
        self.connect.append(f"{start} -> {between}.u")
        return f"{between}.y"

    def join(self) -> None:
        for own, element in self.package.components.items():
            for one in _connectors(element, "input"):
                port = f"{self.called[own]}.{port_of(one.name)}"
                source = self.fed((own, one.name), port.replace(".", "_"))
                if source:
                    self.connect.append(f"{source} -> {port}")


def _netlist(package: SspPackage, root: Element, system: Element, files: dict[str, str]) -> dict[str, object]:
    wiring = SspWiring(package, files)
    wiring.join()
    inputs: dict[str, object] = {port_of(one.name): {} for one in _connectors(system, "input")}
    outputs = {
        port_of(one.name): wiring.fed(((), one.name), port_of(one.name))
        for one in _connectors(system, "output")
    }
    experiment = root.first("DefaultExperiment")
    stop = experiment.number("stopTime", 1.0) if experiment is not None else 1.0
    package.note("steps", f"SSP says none: FMUs are stepped every {STEP}", "")
    data = {
        "luff": 1,
        "name": root.name or "system",
        "doc": system.get("description"),
        "inputs": inputs,
        "outputs": {name: source for name, source in outputs.items() if source},
        "blocks": wiring.blocks,
        "connect": wiring.connect,
        "simulation": {"stop": stop, "step": STEP},
    }
    return {key: value for key, value in data.items() if value}


def _connectors(element: Element, kind: str) -> Iterator[Element]:
    for group in element.all("Connectors"):
        yield from (one for one in group.all("Connector") if one.get("kind") == kind)
