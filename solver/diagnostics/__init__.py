"""Judgements of a run: energy balance, step error, switching, warnings."""
