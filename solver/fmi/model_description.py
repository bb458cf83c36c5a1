"""modelDescription.xml of FMI 2.0 and 3.0."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass

from ...blocks.text.quantity import BASE, unit

# kinds of variables, in the order of runtime.c
TIME, OUTPUT, INPUT, PARAMETER, CONSTANT, STATE, RATE, INDICATOR = KINDS = range(8)
CAUSALITY = ("independent", "output", "input", "parameter", "local", "local", "local", "local")
VARIABILITY = (
    "continuous", "continuous", "continuous", "tunable", "constant", "continuous", "continuous", "continuous"
)  # fmt: skip
INITIAL = {
    OUTPUT: "calculated", PARAMETER: "exact", CONSTANT: "exact", STATE: "exact", RATE: "calculated",
    INDICATOR: "calculated",
}  # fmt: skip


@dataclass
class Variable:
    """Variable of the model description; its value reference is its number in the list."""

    name: str
    kind: int
    unit: str = ""
    start: float | None = None
    doc: str = ""
    lower: float | None = None
    upper: float | None = None
    # number of the state that a rate belongs to, of the column that an output shows, of a switching function
    of: int = 0
    nominal: float | None = None
    inner: bool = False  # an output that the netlist does not list among its own: to look at, not to wire

    @property
    def causality(self) -> str:
        return "local" if self.inner else CAUSALITY[self.kind]


@dataclass
class Description:
    """Model description beside its variables."""

    name: str
    identifier: str
    token: str
    version: str  # of luff
    doc: str
    stop: float
    output_step: float
    step: float
    whole_steps: bool  # communication points lie on the steps of the method
    exchange: bool  # model exchange is offered beside co-simulation
    derivatives: bool  # and directional derivatives


def description(about: Description, variables: list[Variable], version: int) -> bytes:
    root = (_fmi_2_text if version == 2 else _fmi_3_text)(about, variables)
    ET.indent(root, " ")
    return ET.tostring(root, "utf-8", xml_declaration=True)


def _text(**attributes: object) -> dict[str, str]:
    """Attributes as XML writes them; those that are None are left out."""
    words = {True: "true", False: "false"}
    return {
        key: words[value]
        if isinstance(value, bool)
        else repr(value)
        if isinstance(value, float)
        else str(value)
        for key, value in attributes.items()
        if value is not None
    }


def _units(root: ET.Element, variables: Iterable[Variable]) -> None:
    names = sorted({variable.unit for variable in variables if variable.unit})
    if not names:
        return
    group = ET.SubElement(root, "UnitDefinitions")
    for name in names:
        entry = ET.SubElement(group, "Unit", name=name)
        known = unit(name)
        if all(power.denominator == 1 for power in known.dimension):
            powers = {base: str(power) for base, power in zip(BASE, known.dimension, strict=True) if power}
            factor = {} if known.factor == 1 else {"factor": repr(float(known.factor))}
            ET.SubElement(entry, "BaseUnit", {**powers, **factor})


def _fmi_2_text(about: Description, variables: list[Variable]) -> ET.Element:
    root = ET.Element(
        "fmiModelDescription",
        _text(
            fmiVersion="2.0", modelName=about.name, guid=about.token, description=about.doc or None,
            generationTool=f"luff {about.version}", variableNamingConvention="flat",
            numberOfEventIndicators=sum(one.kind == INDICATOR for one in variables),
        ),
    )  # fmt: skip
    own: dict[str, object] = {
        "modelIdentifier": about.identifier, "canNotUseMemoryManagementFunctions": True,
        "canGetAndSetFMUstate": True, "canSerializeFMUstate": True, "providesDirectionalDerivative": about.derivatives,
    }  # fmt: skip
    if about.exchange:
        ET.SubElement(root, "ModelExchange", _text(**own))
    ET.SubElement(
        root, "CoSimulation", _text(**own, canHandleVariableCommunicationStepSize=not about.whole_steps)
    )
    group = _group_of_variables(root, about, variables)
    for number, variable in enumerate(variables):
        entry = ET.SubElement(
            group,
            "ScalarVariable",
            _text(**_told_of(number, variable)),
        )
        ET.SubElement(
            entry, "Real", _real(variable, derivative=variable.of + 1 if variable.kind == RATE else None)
        )
    structure = ET.SubElement(root, "ModelStructure")
    for name, kinds in (("Outputs", {OUTPUT}), ("Derivatives", {RATE}), ("InitialUnknowns", {OUTPUT, RATE})):
        named = [
            number
            for number, variable in enumerate(variables, 1)
            if variable.kind in kinds and not variable.inner
        ]
        if named:
            group = ET.SubElement(structure, name)
            for number in named:
                ET.SubElement(group, "Unknown", index=str(number))
    return root


def _group_of_variables(root: ET.Element, about: Description, variables: list[Variable]) -> ET.Element:
    """Write what comes before the variables; the element that holds them."""
    _units(root, variables)
    ET.SubElement(ET.SubElement(root, "LogCategories"), "Category", name="error")
    _experiment(root, about)
    return ET.SubElement(root, "ModelVariables")


def _told_of(number: int, variable: Variable) -> dict[str, object]:
    """Attributes of a variable that both versions have, whatever its type."""
    return {
        "name": variable.name,
        "valueReference": number,
        "description": variable.doc or None,
        "causality": variable.causality,
        "variability": VARIABILITY[variable.kind],
        "initial": INITIAL.get(variable.kind),
    }


def _fmi_3_text(about: Description, variables: list[Variable]) -> ET.Element:
    root = ET.Element(
        "fmiModelDescription",
        _text(
            fmiVersion="3.0", modelName=about.name, instantiationToken=about.token,
            description=about.doc or None, generationTool=f"luff {about.version}",
            variableNamingConvention="flat",
        ),
    )  # fmt: skip
    own: dict[str, object] = {
        "modelIdentifier": about.identifier, "canGetAndSetFMUState": True, "canSerializeFMUState": True,
        "providesDirectionalDerivatives": about.derivatives,
    }  # fmt: skip
    if about.exchange:
        ET.SubElement(root, "ModelExchange", _text(**own, needsCompletedIntegratorStep=True))
    ET.SubElement(
        root,
        "CoSimulation",
        _text(
            **own, canHandleVariableCommunicationStepSize=not about.whole_steps,
            fixedInternalStepSize=about.step,
        ),
    )  # fmt: skip
    group = _group_of_variables(root, about, variables)
    for number, variable in enumerate(variables):
        ET.SubElement(
            group,
            "Float64",
            _text(
                **_told_of(number, variable),
                **_real(variable, derivative=variable.of if variable.kind == RATE else None),
            ),
        )  # fmt: skip
    structure = ET.SubElement(root, "ModelStructure")
    for name, kinds in (
        ("Output", {OUTPUT}), ("ContinuousStateDerivative", {RATE}), ("InitialUnknown", {OUTPUT, RATE}),
        ("EventIndicator", {INDICATOR}),
    ):  # fmt: skip
        for number, variable in enumerate(variables):
            if variable.kind in kinds and not variable.inner:
                ET.SubElement(structure, name, valueReference=str(number))
    return root


def _real(variable: Variable, derivative: int | None) -> dict[str, str]:
    return _text(
        unit=variable.unit or None, min=variable.lower, max=variable.upper, nominal=variable.nominal,
        start=variable.start, derivative=derivative,
    )  # fmt: skip


def _experiment(root: ET.Element, about: Description) -> None:
    ET.SubElement(
        root,
        "DefaultExperiment",
        _text(startTime=0.0, stopTime=float(about.stop), stepSize=float(about.output_step)),
    )
