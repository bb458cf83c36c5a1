"""Persistent window data: recent files, autosaves of unsaved work, locks."""
