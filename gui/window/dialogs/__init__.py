"""Menu dialogs."""
