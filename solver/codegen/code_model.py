"""Code that is loaded into a process: how it finds its constants, and the functions that it calls.

On x86-64 under Linux all that belongs to an object lies together (llvmlite's memory manager reserves room for it at
once), so that an instruction finds a constant by its distance. By default code and constants may lie anywhere: each
constant needs its address in front of it, ten bytes of code and a register. What is called may lie far in either case;
its address is read from a table beside the code. On other systems it is as numba does it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding

# also those that LLVM adds
CALLS_BY_TABLE = '!llvm.module.flags = !{!0}\n!0 = !{i32 7, !"RtLibUseGOT", i32 1}\n'


def link_constants(triple: str) -> bool:
    return triple.startswith("x86_64") and "linux" in triple


def target_machine(triple: str, processor: str, features: str) -> Any:
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
    """Object code of a module that is optimised already."""
    if link_constants(machine.triple):
        for function in module.functions:
            if function.is_declaration and not function.name.startswith("llvm."):
                function.add_function_attribute("nonlazybind")  # a stub of the loader's would find no room
        words = binding.parse_assembly(CALLS_BY_TABLE)
        words.triple, words.data_layout = module.triple, module.data_layout
        module.link_in(words)
    return machine.emit_object(module)


def engine() -> Any:
    """A loader without code."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    near = True if link_constants(machine.triple) else None  # None: where numba uses that manager too
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine, use_lmm=near)
