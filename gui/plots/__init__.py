"""Live plots and what they export."""
