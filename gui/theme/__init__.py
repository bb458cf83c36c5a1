"""Appearance shared by the window: colours, icons, symbols, small widgets, and the block catalogue."""
