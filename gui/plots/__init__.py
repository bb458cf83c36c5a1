"""Live plots and their export."""
