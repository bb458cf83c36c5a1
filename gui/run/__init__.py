"""Background runs: the run's thread and process, its commands, and the rows kept for display."""
