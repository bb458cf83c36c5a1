"""`export_ssp`: a diagram of FMUs as a file of System Structure and Parameterization 1.0, which other programs run."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ...blocks.errors import LuffError, Problem
from ...blocks.foreign.fmu_block import FmuBlock
from ...blocks.mechanics.bodies import World
from ...blocks.netlist_inputs import Inputs
from ...blocks.text.atomic_write import write_whole
from ...blocks.text.quantity import BASE, unit
from ..flatten.diagram import Diagram
from ..flatten.flatten import Flat, PortRef, flatten
from ..simulation.script_values import parameter_changes
from .unique_names import UniqueNames

NAMESPACES = {
    "ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription",
    "ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
}
STAMP = (2020, 1, 1, 0, 0, 0)  # of the files inside: equal diagrams make equal files
STRUCTURE = "SystemStructure.ssd"


def export_ssp(
    diagram: Diagram | str | Path,
    path: str | Path,
    *,
    set: Mapping[str, object] | None = None,
    **overrides: object,
) -> Path:
    """Write a diagram of FMUs as a file of System Structure and Parameterization (SSP 1.0).

    Parameters
    ----------
    diagram : Diagram or str or Path
        A diagram or a netlist file; each block is an `fmu`.
    path : str or Path
        The .ssp file to write: FMUs, connections and start values.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **overrides : object
        Parameters in place of the netlist's.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LuffError
        A block is no FMU, or is connected by an array.

    Examples
    --------
    >>> import luff
    >>> try:
    ...     luff.export_ssp("library/templates/pendulum.yaml", "pendulum.ssp")
    ... except luff.LuffError as error:
    ...     print(error.problems[0].message)
    found a block revolute, and an SSP holds FMUs alone
    """
    path = Path(path)
    source = diagram if isinstance(diagram, Diagram) else Diagram.load(diagram)
    flat = flatten(source, parameter_changes(set, overrides))
    _only_fmus(flat)
    write_whole(path, System(flat).packed())
    return path


def _only_fmus(flat: Flat) -> None:
    blocks = {name: block for name, block in flat.blocks.items() if not isinstance(block, World | Inputs)}
    for name, block in blocks.items():
        if not isinstance(block, FmuBlock):
            message = f"found a block {block.type_name}, and an SSP holds FMUs alone"
            fix = "export that part as an FMU of its own, and put it here as a block fmu"
            raise LuffError(flat.located(Problem(message, name, fix)))
        arrays = [
            one.name for one in block.fmu.variables if one.size > 1 and one.causality in ("input", "output")
        ]
        if arrays:
            message = f"found the array {arrays[0]}, which SSP 1.0 does not connect"
            raise LuffError(flat.located(Problem(message, name)))
    if not blocks:
        raise LuffError("found no block fmu, expected one at least", path="export")


class System:
    """Archive of an SSP: elements, files and connections."""

    def __init__(self, flat: Flat):
        self.flat = flat
        self.fmus = {name: block for name, block in flat.blocks.items() if isinstance(block, FmuBlock)}
        names = UniqueNames()
        self.elements = {name: names.take(name) for name in self.fmus}
        files = UniqueNames()
        self.files: dict[str, str] = {}  # place in the archive, by the digest of an FMU
        for block in self.fmus.values():
            if block.fmu.digest not in self.files:
                self.files[block.fmu.digest] = f"resources/{files.take(block.fmu.path.stem)}.fmu"
        self.units: set[str] = set()

    def packed(self) -> bytes:
        """Bytes of the zip archive; equal diagrams make equal bytes."""
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            contents = {STRUCTURE: self.description()}
            for block in self.fmus.values():
                contents[self.files[block.fmu.digest]] = block.fmu.path.read_bytes()
            for name, content in contents.items():
                entry = zipfile.ZipInfo(name, STAMP)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content)
        return made.getvalue()

    def description(self) -> bytes:
        """SystemStructure.ssd: components, connectors, connections, start values."""
        from ...version import __version__

        flat = self.flat
        for name in flat.output_elements:
            fix = "name a whole signal in outputs:"
            raise LuffError(
                Problem("an element of a vector is no end of a connection in SSP", f"outputs.{name}", fix)
            )
        spaces = {f"xmlns:{prefix}": address for prefix, address in NAMESPACES.items()}
        name = flat.name or "system"
        about = {"version": "1.0", "name": name, "generationTool": f"luff {__version__}"}
        root = ET.Element("ssd:SystemStructureDescription", {**spaces, **about})
        system = ET.SubElement(root, "ssd:System", name=name)
        if flat.doc:
            system.set("description", " ".join(flat.doc.split()))
        self._outer(system)
        elements = ET.SubElement(system, "ssd:Elements")
        for own, block in self.fmus.items():
            self._component(elements, own, block)
        self._connections(system)
        self._units(root)
        experiment = {"startTime": "0.0", "stopTime": repr(float(flat.simulation.stop))}
        ET.SubElement(root, "ssd:DefaultExperiment", experiment)
        ET.indent(root, " ")
        return ET.tostring(root, "utf-8", xml_declaration=True)

    def _outer(self, system: ET.Element) -> None:
        inputs = [block for block in self.flat.blocks.values() if isinstance(block, Inputs)]
        given = [(name, "input", entry.unit) for block in inputs for name, entry in block.entries.items()]
        given += [(name, "output", "") for name in self.flat.outputs]
        if given:
            group = ET.SubElement(system, "ssd:Connectors")
            for name, kind, own in given:
                self._connector(group, name, kind, own)

    def _connector(self, group: ET.Element, name: str, kind: str, own: str, real: bool = True) -> None:
        made = ET.SubElement(group, "ssd:Connector", name=name, kind=kind)
        if real:
            known = own and _whole(own)
            self.units |= {own} if known else set()
            ET.SubElement(made, "ssc:Real", {"unit": own} if known else {})

    def _component(self, elements: ET.Element, own: str, block: FmuBlock) -> None:
        made = ET.SubElement(
            elements, "ssd:Component", name=self.elements[own], source=self.files[block.fmu.digest],
            type="application/x-fmu-sharedlibrary",
            implementation="ModelExchange" if block.fmu.integrated else "CoSimulation",
        )  # fmt: skip
        inputs, outputs = block.port_variables()
        if inputs or outputs:
            group = ET.SubElement(made, "ssd:Connectors")
            for one in (*inputs, *outputs):
                self._connector(group, one.name, one.causality, one.unit, one.kind in ("Real", "Float64"))
        if block.start:
            bindings = ET.SubElement(made, "ssd:ParameterBindings")
            values = ET.SubElement(ET.SubElement(bindings, "ssd:ParameterBinding"), "ssd:ParameterValues")
            held = ET.SubElement(values, "ssv:ParameterSet", version="1.0", name="start")
            parameters = ET.SubElement(held, "ssv:Parameters")
            for setting in block.start:
                entry = ET.SubElement(parameters, "ssv:Parameter", name=setting.name)
                ET.SubElement(entry, "ssv:Real", value=repr(float(setting.value)))

    def _connections(self, system: ET.Element) -> None:
        ends = [(self._end(wire.source), self._end(wire.target)) for wire in self.flat.wires]
        ends += [(self._end(source), ("", name)) for name, source in self.flat.outputs.items()]
        if not ends:
            return
        group = ET.SubElement(system, "ssd:Connections")
        for (element, connector), (to, into) in dict.fromkeys(ends):
            entry = ET.SubElement(group, "ssd:Connection")
            for key, value in (("startElement", element), ("endElement", to)):
                if value:
                    entry.set(key, value)
            entry.set("startConnector", connector)
            entry.set("endConnector", into)

    def _end(self, ref: PortRef) -> tuple[str, str]:
        """Element and connector; of the system itself there is no element."""
        name, port = ref.block, ref.port
        block = self.fmus.get(name)
        if block is None:
            return "", port
        inputs, outputs = block.port_variables()
        return self.elements[name], next(one.name for one in (*inputs, *outputs) if one.port == port)

    def _units(self, root: ET.Element) -> None:
        if not self.units:
            return
        group = ET.SubElement(root, "ssd:Units")
        for name in sorted(self.units):
            entry, known = ET.SubElement(group, "ssc:Unit", name=name), unit(name)
            powers = {base: str(power) for base, power in zip(BASE, known.dimension, strict=True) if power}
            factor = {} if known.factor == 1 else {"factor": repr(float(known.factor))}
            ET.SubElement(entry, "ssc:BaseUnit", {**powers, **factor})


def _whole(name: str) -> bool:
    """True if luff knows the unit and its powers are whole numbers."""
    try:
        return all(power.denominator == 1 for power in unit(name).dimension)
    except LuffError:
        return False


def in_archive(name: str) -> str:
    """A relative address as a place in the archive; empty where it leads out of it."""
    path = PurePosixPath(name)
    return "" if path.is_absolute() or ".." in path.parts or ":" in name else str(path)
