"""Bodies reduced from finite elements: elements, reduction, and what is left of a body."""
