"""The mechanism in three dimensions.

A drag pulls a copy of the start (`solver/start/posing.py`); `gui/window/starts.py` finds where each start is written.
`view3d/stage.py` draws blocks that say no shape; faces are painted from back to front by their middles, so `mesh.py`
parts the large ones. Modes swing (`view3d/swing.py`) until anything else is shown there.
"""
