"""LLVM optimisation pipeline of a module."""

from __future__ import annotations

from typing import Any

from llvmlite import binding


def run_passes(module: Any, machine: Any, level: int = 3, vectors: bool = True) -> None:
    """Run LLVM's pipeline; vectorisation changes no bit, as neither fastmath nor reassociation is allowed."""
    options: Any = binding.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = vectors
    passes: Any = binding.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
