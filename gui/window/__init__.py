"""Main window: its parts, menus and their actions."""
