"""Diagnostics of a run: energy balance, Newton-Euler residuals, step error, switching, warnings."""
