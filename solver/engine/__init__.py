"""A run in a process of its own: what it is told, what it tells, and where its rows go.

A window takes no steps: painting holds the interpreter for tens of milliseconds. It sends its simulation to a process
(`engine/engine.py`, one is kept ready) whose one thread listens, steps and tells (`live.py`, words: `words.py`, over
pipes: `channel.py`); there is no other thread whose hold of an interpreter could make a step late. Beside the clock
rows wait for a listener, never a step (`heard`). `gui/run/worker.py` keeps what it hears; a process that ends unasked
is told, and its result file is whole up to then.
"""
