"""Three-dimensional view of the mechanism.

A drag pulls a copy of the start (`solver/initial/drag_ik.py`); `gui/window/initial_edits.py` finds where each start is
written. `view3d/block_drawing.py` draws blocks that say no shape; faces are painted from back to front by their
middles, so `face_arrays.py` parts the large ones. Modes swing (`view3d/mode_animation.py`) until anything else is shown
there.
"""
