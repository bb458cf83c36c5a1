"""A run in a process of its own: what it is told, what it tells, and where its rows go."""
