"""What everything in the window is drawn with: colours, icons, symbols, small widgets, the catalog of blocks."""
