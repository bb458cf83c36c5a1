"""The main window: its parts, menus and what they order."""
