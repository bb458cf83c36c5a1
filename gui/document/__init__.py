"""Diagram with its undo stack: every edit of the window is one command here."""
