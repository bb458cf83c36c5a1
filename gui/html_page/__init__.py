"""Standalone HTML page of a model: `export_page`."""

from .page import export_page as export_page
