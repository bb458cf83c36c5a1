"""`luff schema`: a JSON Schema of netlists, made from the registered blocks, for editors that complete and check."""

from __future__ import annotations

import inspect
import math

from ...blocks.block import Block
from ...blocks.netlist_inputs import ENTRY
from ...blocks.params import REQUIRED, Choice, Either, Names, Param, Struct, Sub
from ...blocks.registry import registered
from ...blocks.signal_params import PerElement
from ..netlist.section_structure import FILES, NOTES, SUBSYSTEM, VERSION, WIRES
from .composite_types import library
from .dashboard_section import DASHBOARD
from .enabled import KEY
from .run_settings import INITIAL, PLOTS, SIMULATION
from .view_section import VIEW

Schema = dict[str, object]

_NAME = r"[A-Za-z_]\w*"
_PORT = rf"{_NAME}(\.{_NAME})+"
_PICK = r"(\[\d+(:\d+)?\])?"
_TEXT: Schema = {"type": "string"}
_EFFECT: Schema = {"type": "boolean", "description": "false takes the block and its wires out of the model"}
_TRIPLE_AXIS: Schema = {
    "description": "an axis: x, y, z, -x, -y, -z or three numbers",
    "anyOf": [
        {"enum": ["x", "y", "z", "-x", "-y", "-z"]},
        {"type": "array", "items": {"$ref": "#/$defs/quantity"}, "minItems": 3, "maxItems": 3},
    ],
}
_QUANTITY: Schema = {
    "description": "a number (SI), a quantity like 6 m, or an expression like =l1/2",
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*(=|[+-]?(\d|\.\d))"}],
}
_ONE, _MORE = {"$ref": "#/$defs/quantity"}, {"type": "array", "items": {"$ref": "#/$defs/quantity"}}


_PAIR = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_NOTES: Schema = {
    "description": "comments and coloured areas",
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "text": _TEXT,
            "at": _PAIR,
            "size": _PAIR,
            "colour": {"enum": ["blue", "green", "orange", "violet", "teal", "grey"]},
            "holds": {"type": "boolean"},
        },
        "required": ["at"],
    },
}


def schema() -> Schema:
    """The schema of a netlist, as plain data ready for JSON."""
    types = {name: cls for name, cls in sorted(registered().items()) if name != "world"}
    definitions: Schema = {
        "quantity": _QUANTITY,
        "axis": _TRIPLE_AXIS,
        "world": _block("world", registered()["world"]),
    }
    definitions |= {f"block_{name}": _block(name, cls) for name, cls in types.items()}
    sections = _sections(list(types))
    definitions |= {
        "blocks": sections["blocks"],
        "subsystem": {
            "description": "a subsystem in place; it knows the parameters and blocks around it",
            "type": "object",
            "required": ["blocks"],
            "additionalProperties": False,
            "properties": {name: sections[name] for name in SUBSYSTEM}
            | {"blocks": {"$ref": "#/$defs/blocks"}},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "luff netlist",
        "type": "object",
        "required": ["luff"],
        "additionalProperties": False,
        "properties": sections | {"blocks": {"$ref": "#/$defs/blocks"}},
        "$defs": definitions,
    }


def _sections(types: list[str]) -> Schema:
    place = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3}
    corners = {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}
    way: Schema = {"anyOf": [corners, {"const": "labels"}]}
    wire = rf"^\s*{_PORT}{_PICK}\s*(--|->)\s*{_PORT}{_PICK}\s*$"
    sections: dict[str, tuple[str, Schema]] = {
        "luff": ("format version", {"const": VERSION}),
        "name": ("what the model is called", _TEXT),
        "doc": ("what it is, and where its numbers come from", _TEXT),
        "icon": ("symbol on the card where it is a block: a block type's, or drawn by commands", _TEXT),
        "parameters": ("numbers by name, for expressions", _map({"$ref": "#/$defs/quantity"})),
        "blocks": ("blocks by name", _blocks(types)),
        "connect": (
            "a.b -- c.d joins frames, hydraulic ports or shafts, a.y -> b.u carries a signal",
            {"type": "array", "items": {"type": "string", "pattern": wire}},
        ),
        "ports": (
            "ports of the netlist when it is used as a block",
            _map({"type": "string", "pattern": rf"^{_PORT}$"}),
        ),
        "inputs": ("signals from outside, by name: inputs.name", _map(_nullable(_struct(ENTRY)))),
        "outputs": (
            "signals for scripts, by name",
            _map({"type": "string", "pattern": rf"^{_PORT}{_PICK}$"}),
        ),
        "initial": (INITIAL.doc, _param(INITIAL)),
        "simulation": (SIMULATION.doc, _param(SIMULATION)),
        "assert": (
            "conditions that hold at the end of each step, or the run has failed",
            {"type": "array", "items": {"type": "string", "pattern": r"\S\s+(above|below)\s+\S"}},
        ),
        "record": ("signals to record; * stands for anything", {"type": "array", "items": _TEXT}),
        "plots": (PLOTS.doc, _param(PLOTS)),
        "dashboard": (DASHBOARD.doc, _param(DASHBOARD)),
        "view": (VIEW.doc, _param(VIEW)),
        "layout": (
            "places on the canvas: [x, y] or [x, y, rotation]",
            {
                "type": "object",
                "properties": {WIRES: _map(way), NOTES: _NOTES},
                "additionalProperties": place,
            },
        ),
    }
    # an empty section, such as `connect:` with nothing below, is as good as none
    return {
        name: {"description": doc, **entry}
        if name == "luff"
        else {"description": doc, "anyOf": [entry, {"type": "null"}]}
        for name, (doc, entry) in sections.items()
    }


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _map(values: Schema) -> Schema:
    return {
        "type": "object",
        "propertyNames": {"pattern": rf"^({_NAME}|.*\s.*)$"},
        "additionalProperties": values,
    }


def _blocks(types: list[str]) -> Schema:
    named = {"enum": [*types, *sorted(library())]}
    file = {"type": "string", "pattern": r"\.ya?ml$", "description": "another netlist, by its path from here"}
    choose = [
        {
            "if": {"properties": {"type": {"const": name}}},
            "then": {"$ref": f"#/$defs/block_{name}"},
        }
        for name in types
    ]
    any_block = {
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"description": "kind of block", "anyOf": [named, file, {"$ref": "#/$defs/subsystem"}]},
            KEY: _EFFECT,
        },
        "allOf": choose,
    }
    files = {"type": "array", "items": _TEXT, "description": "Python files with blocks; run only if allowed"}
    return {
        "type": "object",
        "propertyNames": {"pattern": rf"^{_NAME}$"},
        "properties": {FILES: files, "world": {"$ref": "#/$defs/world"}},
        "additionalProperties": any_block,
    }


def _block(name: str, cls: type[Block]) -> Schema:
    own: Schema = {"type": {"const": name}}
    entry = _struct(cls.params, own if name == "world" else {**own, KEY: _EFFECT})
    return {**entry, "description": inspect.cleandoc(cls.__doc__ or "")}


def _struct(params: dict[str, Param], first: Schema | None = None) -> Schema:
    entry: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {**(first or {}), **{name: _described(param) for name, param in params.items()}},
    }
    required = [name for name, param in params.items() if param.required]
    return {**entry, "required": required} if required else entry


def _described(param: Param) -> Schema:
    unit = f" [{param.unit}]" if param.unit else ""
    entry = {"description": f"{param.doc}{unit}", **_param(param)}
    default = _plain(param.default)
    return entry if default is REQUIRED else {**entry, "default": default}


def _plain(default: object) -> object:
    if isinstance(default, tuple):
        return [_plain(item) for item in default]
    if isinstance(default, float) and not math.isfinite(default):
        return str(default)
    return default


def _param(param: Param) -> Schema:
    if isinstance(param, Either):
        return {"anyOf": [_param(option) for option in param.options]}
    if isinstance(param, PerElement):
        return {"anyOf": [_ONE, _MORE, *([{"type": "null"}] if param.optional else [])]}
    if isinstance(param, Sub):
        struct: type[Struct] = param.struct
        one = _struct(struct.params)
        return {"struct list": {"type": "array", "items": one}, "struct map": _map(one)}.get(param.kind, one)
    if isinstance(param, Choice):
        return {"enum": list(param.choices)}
    if isinstance(param, Names):
        return {
            "type": "array",
            "items": {"enum": list(param.choices)} if param.choices else _TEXT,
            "uniqueItems": True,
        }
    turn = [{"$ref": "#/$defs/axis"}, {"$ref": "#/$defs/quantity"}]
    kinds: dict[str, Schema] = {
        "flag": {"type": "boolean"},
        "text": _TEXT,
        "axis": {"$ref": "#/$defs/axis"},
        "rotations": {
            "type": "array",
            "items": {"type": "array", "prefixItems": turn, "minItems": 2, "maxItems": 2},
        },
        "number map": _map({"$ref": "#/$defs/quantity"}),
        "value map": _map({"type": ["number", "string"]}),
    }
    return kinds.get(param.kind) or _numbers(param, param.shape)


def _numbers(param: Param, shape: tuple[int | None, ...]) -> Schema:
    if shape:
        entry: Schema = {"type": "array", "items": _numbers(param, shape[1:])}
        return entry if shape[0] is None else {**entry, "minItems": shape[0], "maxItems": shape[0]}
    bounds = {
        "minimum": param.ge,
        "exclusiveMinimum": param.gt,
        "maximum": param.le,
        "exclusiveMaximum": param.lt,
    }
    limits = {name: bound for name, bound in bounds.items() if math.isfinite(bound)}
    if not limits and param.kind == "number":
        return {"$ref": "#/$defs/quantity"}
    number = {"type": "integer" if param.kind == "integer" else "number", **limits}
    return {"anyOf": [number, {"type": "string", "pattern": _QUANTITY["anyOf"][1]["pattern"]}]}
