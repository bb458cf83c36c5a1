"""What outlives a window: recent files, copies of unsaved work, locks."""
