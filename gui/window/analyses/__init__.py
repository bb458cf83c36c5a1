"""Analyses beside the model: docked panels, each with settings, an answer that stays, and a note when it is old."""
