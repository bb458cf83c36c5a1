"""A diagram with its undo stack: every edit of the window is one command here.

In: `Diagram`. Out: `Document` and its signals.
May import: drawing, look.
"""
