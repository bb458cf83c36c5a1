"""Diagram geometry without Qt: port places, wire routes, automatic layout.

No wire is drawn through a block: `Document.freed` keeps room so that a route exists. `gui/drawing/wire_layout.py` lays
all wires of a canvas or an SVG (`route_search.py` finds a way where simple shapes do not do) so that no two nets share
anything; what has no free way, or says `labels` in the layout, is drawn as two labels of one name
(`drawing/net_labels.py`).
"""
