"""One source, many numbers: entry points, compiled for floats, rewritten for lanes and duals."""
