"""Dashboards: what an operator moves and looks at, in a panel."""
