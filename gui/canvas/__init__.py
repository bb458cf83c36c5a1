"""Editable block diagram: block, port and wire items of a document, and the gestures that edit it."""
