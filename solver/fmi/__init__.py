"""Models as FMUs (Functional Mock-up Interface 2.0 and 3.0) that run without Python.

In: a `Simulation`. Out: an FMU; nothing of Python is needed to run it.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""

from .export import export_fmu

__all__ = ["export_fmu"]
