"""Code model and relocation of code loaded into a process: access to its constants and to the functions it calls.

On x86-64 Linux all sections of an object lie together (llvmlite's memory manager reserves room for them at once), so
that constants are addressed relative to the instruction. The default JIT model allows any distance: each constant needs
its 64-bit address, ten bytes of code and a register. Callees may lie far away in either case; their addresses are read
from a table beside the code (GOT). On other systems numba's model is used.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding

# calls by the GOT, also those that LLVM adds
CALLS_BY_TABLE = '!llvm.module.flags = !{!0}\n!0 = !{i32 7, !"RtLibUseGOT", i32 1}\n'


def link_constants(triple: str) -> bool:
    """True if constants can be addressed relative to the code: x86-64 Linux."""
    return triple.startswith("x86_64") and "linux" in triple


def target_machine(triple: str, processor: str, features: str) -> Any:
    """LLVM target machine for code loaded into a process."""
    near, target = link_constants(triple), binding.Target.from_triple(triple)
    apart = "static" if triple.startswith("x86") else "default"  # as in numba's `JITCPUCodegen`
    return target.create_target_machine(
        cpu=processor,
        features=features,
        opt=3,
        reloc="pic" if near else apart,
        codemodel="default" if near else "jitdefault",
        jit=True,
    )


def object_of(module: Any, machine: Any) -> bytes:
    """Object code of an optimised module."""
    if link_constants(machine.triple):
        for function in module.functions:
            if function.is_declaration and not function.name.startswith("llvm."):
                function.add_function_attribute("nonlazybind")  # a stub of the loader's would find no room
        words = binding.parse_assembly(CALLS_BY_TABLE)
        words.triple, words.data_layout = module.triple, module.data_layout
        module.link_in(words)
    return machine.emit_object(module)


def engine() -> Any:
    """MCJIT execution engine without code."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    near = True if link_constants(machine.triple) else None  # None: where numba uses that manager too
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine, use_lmm=near)
