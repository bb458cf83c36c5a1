"""Studies in the window: varied parameters, measured numbers, table and figures of the variants."""
