"""The mechanism in three dimensions."""
