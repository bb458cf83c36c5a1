"""Dashboards: operating elements and gauges in a panel."""
