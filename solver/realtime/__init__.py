"""A stand to drive a model from: an operator's devices, and runs that keep to the clock.

An operator drives ports that their block lists in `from_outside`: where no wire leads to them,
`diagram/implicit_inputs.py` makes inputs of the netlist, so that the model stays pure. `realtime/operator_stand.py`
writes them from `realtime/evdev.py` before each step, `realtime/wall_clock.py` keeps to the clock, `jitter.py` counts
how late it is, `rt_priority.py` asks the system for priority (without it a busy machine makes steps late, nothing else
does); `realtime/recorded_operator.py` brings them together for a window.

Other programs drive a run through `doors.py` (OPC UA, MQTT), each with a thread of its own and a mailbox of newest
values.

A run in a process of its own: what it is told, what it tells, and where its rows go.

A window takes no steps: painting holds the interpreter for tens of milliseconds. It sends its simulation to a process
(`realtime/run_process.py`, one is kept ready) whose one thread listens, steps and tells (`served_run.py`, words:
`messages.py`, over pipes: `pickle_channel.py`); there is no other thread whose hold of an interpreter could make a step
late. Beside the clock rows wait for a listener, never a step (`heard`). `gui/run/run_thread.py` keeps what it hears; a
process that ends unasked is told, and its result file is whole up to then.
"""
