"""The canvas: blocks, ports and wires of a document, and the gestures that edit it."""
