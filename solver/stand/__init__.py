"""A stand to drive a model from: an operator's devices, and runs that keep to the clock.

An operator drives ports that their block lists in `from_outside`: where no wire leads to them, `diagram/operated.py`
makes inputs of the netlist, so that the model stays pure. `stand/stand.py` writes them from `stand/evdev.py` before
each step, `stand/pace.py` keeps to the clock, `punctual.py` counts how late it is, `urgent.py` asks the system for
priority (without it a busy machine makes steps late, nothing else does); `engine/operator.py` brings them together
for a window.
"""
