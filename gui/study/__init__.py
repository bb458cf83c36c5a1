"""Studies in the window: parameters to vary, numbers to measure, the variants' table and figures."""
