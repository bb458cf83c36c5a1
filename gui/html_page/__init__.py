"""A model as a page that any browser runs: `export_page`."""

from .page import export_page as export_page
