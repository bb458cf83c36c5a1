"""Environment of a machine: sea and wind."""
