"""Diagram geometry without Qt: port places, wire routes, automatic layout.

No wire is drawn through a block: `Document.free_places` keeps room so that a route exists.
`gui/drawing/wire_layout.py` lays all wires of a canvas or an SVG so that no two nets share anything;
`route_search.py` finds a route where simple shapes do not suffice. A wire without a route, or with `labels` in the
layout, is drawn as two labels of one name (`drawing/net_labels.py`).
"""
