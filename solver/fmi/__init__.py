"""Models as FMUs (Functional Mock-up Interface 2.0 and 3.0) that run without Python."""

from .export import export_fmu

__all__ = ["export_fmu"]
