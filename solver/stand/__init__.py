"""A stand to drive a model from: an operator's devices, and runs that keep to the clock."""
