"""Docks around the canvas."""
