"""Dialogs of the menus."""
