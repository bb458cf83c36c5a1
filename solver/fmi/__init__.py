"""Models where no Python is: FMUs (Functional Mock-up Interface 2.0 and 3.0), static libraries, modules of WebAssembly.

In: a `Diagram`. Out: files; nothing of Python is needed to run them.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""

from .export import export_fmu
from .library import export_library

__all__ = ["export_fmu", "export_library"]
