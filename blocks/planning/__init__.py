"""Planning blocks: motions, paths and shaped commands, all with exact rates."""
