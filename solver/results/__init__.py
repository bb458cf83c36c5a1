"""Results: signals by name as arrays, streamed to files, exported, reduced to figures and drawn."""
