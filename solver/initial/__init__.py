"""The first state of a mechanism with constraints: assembled, at rest if asked, coordinates chosen."""
