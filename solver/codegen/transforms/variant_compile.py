"""Compilation of variants and bitcode from numba's LLVM text: rewritten for other numbers, or for other processors."""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import binding

from ..array_structs import fields_of, places_of
from ..code_model import object_of, target_machine
from ..jit import INTEGER, EntryPoint
from ..llvm_passes import run_passes
from ..target_cpu import compiled_for
from .dual_rewrite import dual_text, values_text
from .entry_point_variants import DIRECTIONS, InLanes, ValuesOnly, Variant
from .ir_cache import text_of
from .ir_parser import Function, UnknownInstruction, read_function
from .pointer_kinds import FLOATS, OTHERS, WORDS, Layout, known_pointers
from .simd_rewrite import lanes_text

OWN_INTEGERS = ("part",)  # integer arrays of each run: the partition of coordinates


def compile_variant(entry: Variant, portable: bool = False) -> tuple[bytes, list[str]]:
    """Object code of a variant and the symbols it needs; empty code and the reason where it cannot be rewritten.

    With `portable`, bitcode for the baseline processor of the family in place of object code.
    """
    source, machine = entry.source, _machine(portable)
    try:
        text = _rewritten(
            entry, read_function(_inlined_text(text_of(source), source.symbol, machine), source.symbol)
        )
    except UnknownInstruction as reason:
        label = getattr(entry.entry, "label", entry.entry.__name__)  # of a block's function, of a kernel
        return b"", [f"{label}: {reason}"]
    module, needed = _optimised(text, machine)
    return _bitcode(module, machine) if portable else object_of(module, machine), needed


def compile_bitcode(entry: EntryPoint) -> tuple[bytes, list[str]]:
    """Bitcode of an entry point for the baseline processor of the family, and the symbols it needs."""
    machine = _machine(least=True)
    module, needed = _optimised(text_of(entry), machine)
    return _bitcode(module, machine), needed


def _bitcode(module: Any, machine: Any) -> bytes:
    """Bitcode without internal names, a third of its size."""
    passes: Any = binding.create_new_module_pass_manager()
    passes.add_strip_symbols_pass()
    passes.run(
        module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=0))
    )
    return module.as_bitcode()


def _optimised(text: str, machine: Any) -> tuple[Any, list[str]]:
    """Optimised module of a text, and the symbols it needs."""
    module: Any = binding.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    run_passes(module, machine)
    return module, [
        each.name for each in module.functions if each.is_declaration and not each.name.startswith("llvm.")
    ]


def _rewritten(entry: Variant, function: Function) -> str:
    """LLVM text of a variant."""
    if isinstance(entry, InLanes):
        known = _known(function, entry.entry, OWN_INTEGERS)
        return lanes_text(function, entry.lanes, known, isinstance(entry.kinds[0], type))
    write = values_text if isinstance(entry, ValuesOnly) else dual_text
    return write(entry.symbol, function, DIRECTIONS, _known(function, entry.entry, ()))


@cache
def _machine(least: bool = False) -> Any:
    """Target machine: this processor, or the baseline of its family."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    triple = binding.get_process_triple()
    if least:
        family: Any = binding.Target.from_triple(triple)
        return family.create_target_machine(cpu="generic", opt=3)
    return target_machine(triple, *compiled_for())


def _inlined_text(source: str, symbol: str, machine: Any) -> str:
    """LLVM text of one function with its helpers inlined, not vectorised."""
    module = binding.parse_assembly(source)
    for each in module.functions:
        if not each.is_declaration and each.name != symbol:
            each.linkage = "internal"
            each.add_function_attribute("alwaysinline")
    run_passes(module, machine, 2, vectors=False)
    return str(module)


def _known(function: Function, entry: EntryPoint, own: tuple[str, ...]) -> dict[str, str]:
    """Kinds of the pointers from the arguments; `own` are integer arrays of each run."""
    tables: Layout = {}
    arrays: dict[int, str] = {}
    at = 0
    for kind in entry.kinds:
        if isinstance(kind, type):
            places = places_of(kind)
            tables[at] = {8 * places[name]: _content(name, each, own) for name, each in fields_of(kind)}
            at += 1
        elif kind in ("w", "a", INTEGER):
            arrays[at] = FLOATS if kind == "w" else OTHERS
            at += 1
        else:
            arrays[at] = FLOATS if kind[0] == "f" else OTHERS
            at += 1 + int(kind[1])
    return known_pointers(function, tables, arrays)


def _content(name: str, kind: str, own: tuple[str, ...]) -> str:
    """Kind of an array of a bundle."""
    if kind[0] == "f":
        return FLOATS
    return WORDS if name in own else OTHERS
