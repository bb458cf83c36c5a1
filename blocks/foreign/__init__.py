"""Blocks whose equations come from elsewhere: FMUs and processes at the other end of a socket."""
