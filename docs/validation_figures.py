"""Figures of the page on validation."""
